# SPDX-License-Identifier: GPL-2.0
"""The text of a tracefs trace file and its buffers' counters, as Python objects."""

import re
from collections import namedtuple

# `current` is the id of the task on `cpu` when the event was written: of the one that goes in a
# Switch. `ns` is CLOCK_MONOTONIC, rounded to a microsecond by the kernel's text format.
Switch = namedtuple("Switch", "ns cpu current prev_state next_pid next_comm")
Waking = namedtuple("Waking", "ns cpu current pid comm")
Wakeup = namedtuple("Wakeup", "ns cpu current pid comm")
NewTask = namedtuple("NewTask", "ns cpu current pid comm clone_flags")
Exec = namedtuple("Exec", "ns cpu current pid old_pid")
Exit = namedtuple("Exit", "ns cpu current")
Rename = namedtuple("Rename", "ns cpu current pid comm")


class TraceError(Exception):
    """The trace cannot be used."""


LINE = re.compile(r"""
    \s* .{1,16}? -(?P<current>\d+) \s+
    (?: \( [-\s\d]+ \) \s+ )?
    \[(?P<cpu>\d+)\] \s+ (?:\S+\s+)?
    (?P<seconds>\d+)\.(?P<fraction>\d{6}) : \s
    (?P<event>\w+) : \s (?P<fields>.*)
""", re.VERBOSE)

SWITCH = re.compile(
    r"prev_comm=.* prev_pid=(\d+) prev_prio=-?\d+ prev_state=(\S+) ==> "
    r"next_comm=(.*) next_pid=(\d+) next_prio=")
WAKEUP = re.compile(r"comm=(.*) pid=(\d+) prio=")
NEWTASK = re.compile(r"pid=(\d+) comm=(.*) clone_flags=([0-9a-f]+) oom_score_adj=")
EXEC = re.compile(r"filename=.* pid=(\d+) old_pid=(\d+)$")
RENAME = re.compile(r"(?:pid=(\d+) )?oldcomm=.* newcomm=(.*) oom_score_adj=")
LOST = re.compile(r"LOST (?:\d+ )?EVENTS")


def parse_switch(ns, cpu, current, fields):
    prev_pid, prev_state, next_comm, next_pid = SWITCH.match(fields).groups()
    if int(prev_pid) != current:
        raise TraceError(f"task {prev_pid} is switched out while {current} runs")
    return Switch(ns, cpu, current, prev_state, int(next_pid), next_comm)


def parse_waking(ns, cpu, current, fields):
    comm, pid = WAKEUP.match(fields).groups()
    return Waking(ns, cpu, current, int(pid), comm)


def parse_wakeup(ns, cpu, current, fields):
    comm, pid = WAKEUP.match(fields).groups()
    return Wakeup(ns, cpu, current, int(pid), comm)


def parse_newtask(ns, cpu, current, fields):
    pid, comm, flags = NEWTASK.match(fields).groups()
    return NewTask(ns, cpu, current, int(pid), comm, int(flags, 16))


def parse_exec(ns, cpu, current, fields):
    pid, old_pid = EXEC.search(fields).groups()
    return Exec(ns, cpu, current, int(pid), int(old_pid))


def parse_exit(ns, cpu, current, _fields):
    return Exit(ns, cpu, current)


def parse_rename(ns, cpu, current, fields):
    pid, comm = RENAME.match(fields).groups()
    return Rename(ns, cpu, current, int(pid) if pid else current, comm)


# sched_process_fork is recorded for the human reader only.
PARSERS = {
    "sched_switch": parse_switch,
    "sched_waking": parse_waking,
    "sched_wakeup": parse_wakeup,
    "sched_wakeup_new": parse_wakeup,
    "sched_process_exec": parse_exec,
    "sched_process_exit": parse_exit,
    "task_newtask": parse_newtask,
    "task_rename": parse_rename,
}
IGNORED = {"sched_process_fork"}


def parse_line(line):
    """One event, or None for one that does not matter here."""
    match = LINE.match(line)
    if not match:
        raise TraceError(f"not understood: {line!r}")
    current, cpu, seconds, fraction, event, fields = match.groups()
    if event in IGNORED:
        return None
    if event not in PARSERS:
        raise TraceError(f"unknown event: {line!r}")
    ns = int(seconds) * 1_000_000_000 + int(fraction) * 1000
    try:
        return PARSERS[event](ns, int(cpu), int(current), fields)
    except AttributeError:
        raise TraceError(f"not understood: {line!r}") from None


def parse_trace(lines):
    """All events, in the order of the trace."""
    events = []
    for number, line in enumerate(lines, 1):
        line = line.rstrip("\n")
        if LOST.search(line):
            raise TraceError(f"line {number}: events were lost: {line.strip()}")
        if not line or line.startswith("#"):
            continue
        event = parse_line(line)
        if event:
            events.append(event)
    if not events:
        raise TraceError("the trace is empty")
    return events


def check_stats(lines):
    """Raises TraceError if a CPU's trace buffer lost an event."""
    cpu, cpus = None, 0
    for line in lines:
        name, _, value = line.strip().partition(": ")
        if not value:
            cpu = name
            cpus += 1
        elif name in ("overrun", "commit overrun", "dropped events") and int(value):
            raise TraceError(f"{cpu}: {name}: {value}")
    if not cpus:
        raise TraceError("no counters of the trace buffers")


class Stalls:
    """When and how long the CPUs stood still, as stallmon saw it: (begin, end) of each stall."""

    def __init__(self, lines=()):
        self.stalls = []
        complete = False
        for line in lines:
            words = line.split()
            if words[0] == "stall":
                begin, length = int(words[2]), int(words[3])
                self.stalls.append((begin, begin + length))
            elif words[0] == "total":
                complete = True
        if lines and not complete:
            raise TraceError("stallmon did not finish")

    def total(self, start_ns, stop_ns):
        """All CPUs' stalls between two instants, added up."""
        return sum(max(0, min(end, stop_ns) - max(begin, start_ns)) for begin, end in self.stalls)

    def longest(self, start_ns, stop_ns):
        """The longest stall that was not over before, nor began after, these two instants."""
        return max((end - begin for begin, end in self.stalls
                    if end > start_ns and begin < stop_ns), default=0)

    def since(self, ns):
        """For how long at most a CPU had stood still at an instant."""
        return max((ns - begin for begin, end in self.stalls if begin < ns < end), default=0)

# SPDX-License-Identifier: GPL-2.0
"""The text of a tracefs trace file and its buffers' counters, as Python objects."""

import re
from bisect import bisect_right
from collections import Counter, defaultdict, namedtuple

# `current` is the id of the task on `cpu` when the event was written: of the one that goes in a
# Switch. `ns` is CLOCK_MONOTONIC, rounded to a microsecond by the kernel's text format. `interrupt` is
# whether it happened in one, and not in the task.
Switch = namedtuple("Switch", "ns cpu current prev_pid prev_state next_comm next_pid")
Waking = namedtuple("Waking", "ns cpu current comm pid interrupt", defaults=(False,))
Wakeup = namedtuple("Wakeup", "ns cpu current comm pid")
NewTask = namedtuple("NewTask", "ns cpu current pid comm clone_flags")
Exec = namedtuple("Exec", "ns cpu current pid old_pid")
Exit = namedtuple("Exit", "ns cpu current")
Rename = namedtuple("Rename", "ns cpu current pid comm")
Enter = namedtuple("Enter", "ns cpu current number args")
Leave = namedtuple("Leave", "ns cpu current number")


class TraceError(Exception):
    """The trace cannot be used."""


LINE = re.compile(r"""
    \s* .{1,16}? -(?P<current>\d+) \s+
    (?: \( [-\s\d]+ \) \s+ )?
    \[(?P<cpu>\d+)\] \s+ (?:(?P<flags>\S+)\s+)?
    (?P<seconds>\d+)\.(?P<fraction>\d{6}) : \s
    (?P<event>\w+) : \s (?P<fields>.*)
""", re.VERBOSE)
LOST = re.compile(r"LOST (?:\d+ )?EVENTS")
# Of the kernel's part of the call path of a switch-out, in lines of its own.
STACK = "<stack trace>"
STACK_LINE = re.compile(r"\s*=> (\S+)")
INTERRUPT_FLAGS = "hHsSzZ"

# What an event is here, and where its fields are, in the order of the tuple; None: it is recorded
# for the human reader only.
WAKEUP_FIELDS = r"comm=(.*) pid=(\d+) prio="
EVENTS = {
    "sched_switch": (Switch, r"prev_comm=.* prev_pid=(\d+) prev_prio=-?\d+ prev_state=(\S+) ==> "
                             r"next_comm=(.*) next_pid=(\d+) next_prio="),
    "sched_waking": (Waking, WAKEUP_FIELDS),
    "sched_wakeup": (Wakeup, WAKEUP_FIELDS),
    "sched_wakeup_new": (Wakeup, WAKEUP_FIELDS),
    "sched_process_exec": (Exec, r"filename=.* pid=(\d+) old_pid=(\d+)$"),
    "sched_process_exit": (Exit, ""),
    "sched_process_fork": (None, ""),
    "task_newtask": (NewTask, r"pid=(\d+) comm=(.*) clone_flags=([0-9a-f]+) oom_score_adj="),
    "task_rename": (Rename, r"(?:pid=(\d+) )?oldcomm=.* newcomm=(.*) oom_score_adj="),
    "sys_enter": (Enter, r"NR (-?\d+) \(([0-9a-f, ]+)\)"),
    "sys_exit": (Leave, r"NR (-?\d+) = "),
}


def value_of(name, text, current):
    if name == "clone_flags":
        return int(text, 16)
    if name.endswith("pid"):
        return int(text) if text else current
    if name == "number":
        return int(text)
    if name == "args":
        return tuple(int(word, 16) for word in text.split(", "))
    return text


def parse_line(line):
    """One event, or None for one that does not matter here."""
    match = LINE.match(line)
    if not match or match["event"] not in EVENTS:
        raise TraceError(f"not understood: {line!r}")
    kind, pattern = EVENTS[match["event"]]
    fields = re.match(pattern, match["fields"])
    if not fields:
        raise TraceError(f"not understood: {line!r}")
    if not kind:
        return None
    ns = int(match["seconds"]) * 1_000_000_000 + int(match["fraction"]) * 1000
    current = int(match["current"])
    values = (value_of(name, text, current)
              for name, text in zip(kind._fields[3:], fields.groups()))
    event = kind(ns, int(match["cpu"]), current, *values)
    if kind is Waking:
        event = event._replace(interrupt=(match["flags"] or "...")[2] in INTERRUPT_FLAGS)
    if kind is Switch and event.prev_pid != current:
        raise TraceError(f"task {event.prev_pid} is switched out while {current} runs")
    return event


class Stacks:
    """
    Call paths in the kernel of threads that are switched out: `of` has (Switch, functions innermost
    first), CPU by CPU.
    """

    def __init__(self):
        self.of = defaultdict(list)
        self.open = None

    def take(self, line):
        """Whether the line is of a call path: that of its CPU's last switch."""
        if line.endswith(STACK):
            cpu = int(re.search(r"\[(\d+)\]", line).group(1))
            self.open = self.of[cpu][-1][1] if self.of[cpu] else []
            return True
        function = STACK_LINE.match(line)
        if function and self.open is not None:
            self.open.append(function.group(1))
        return bool(function)

    def add(self, event):
        if isinstance(event, Switch):
            self.of[event.cpu].append((event, []))


def parse_trace(lines, stacks=None):
    """All events, in the order of the trace; `stacks` gets call paths."""
    events = []
    for number, line in enumerate(lines, 1):
        line = line.rstrip("\n")
        if LOST.search(line):
            raise TraceError(f"line {number}: events were lost: {line.strip()}")
        if not line or line.startswith("#") or (stacks and stacks.take(line)):
            continue
        event = parse_line(line)
        if event:
            events.append(event)
            if stacks:
                stacks.add(event)
    if not events:
        raise TraceError("the trace is empty")
    return events


def mend_states(events):
    """
    The trace of a kernel before 5.18, with the states that threads had when they were switched out: that
    kernel writes the state a moment later, and who was woken meanwhile is R in it, or in one of two
    traces. Who is switched out as R, and not put back by force, is woken only if it slept, or if a signal
    kept it from that and its waker did not see it: see Timeline._doubtful_counts(). How it slept is lost,
    so all sleeps are S.
    """
    mended, out = list(events), {}
    for index, event in enumerate(events):
        if isinstance(event, Switch):
            out.pop(event.next_pid, None)
            if event.prev_state == "R":
                out[event.prev_pid] = index
            elif event.prev_state[0] not in "RZX":
                mended[index] = event._replace(prev_state="S")
        elif isinstance(event, Wakeup) and event.pid in out:
            index = out.pop(event.pid)
            mended[index] = events[index]._replace(prev_state="S")
    return mended


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


class Delays:
    """
    How much later than the trace gapp may have read its clock at an event: `after` is the same
    trace by a second instance, which the kernel called after gapp. `lengths` has the delays of more
    than `usual_ns`, by the event's time, and `short` the others.
    """

    def __init__(self, events=(), after=(), usual_ns=0):
        times = defaultdict(list)
        for event in events:
            times[self.kind_of(event)].append(event.ns)
        self.lengths = Counter()
        self.short = Counter()
        self.begun_ns = after[0].ns if after else 0
        for event in after:
            before = times[self.kind_of(event)]
            index = bisect_right(before, event.ns) - 1
            if index < 0:
                raise TraceError(f"only in the second trace: {event}")
            length = event.ns - before[index]
            delays = self.lengths if length > usual_ns else self.short
            delays[before[index]] = max(length, delays[before[index]])

    @staticmethod
    def kind_of(event):
        """
        Between the two traces a parent may take its dead child's status (Z, then X), and a thread
        that calls exec may take the id of its dead leader. Since 7.0 a thread may move to another
        CPU in between, where it says itself what it does.
        """
        if isinstance(event, (NewTask, Exec, Exit, Rename)):
            event = event._replace(cpu=None)
        if isinstance(event, Switch) and event.prev_state in ("Z", "X"):
            event = event._replace(prev_state="X", current=None, prev_pid=None)
        return type(event), *event[1:]

    def total(self, instants):
        return sum(self.lengths[ns] for ns in instants)

    def since(self, ns):
        """How long before an instant an event may have been that counts as after it."""
        return max((ns - begin for begin, length in self.lengths.items()
                    if begin < ns < begin + length), default=0)

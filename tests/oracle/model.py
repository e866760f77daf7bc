# SPDX-License-Identifier: GPL-2.0
"""
What gapp ought to report: n(t) and every thread's figures, from the tasks' records.

    active          on a CPU, or runnable and waiting for one
    n(t)            active threads of the target
    share           a thread's part of the integral of 1/n
    threshold       N_min; it depends on the target's live threads
    live            from the thread's creation to its sched_process_exit
    critical share  a thread's part of the integral of 1/n over the time with 0 < n <= N_min
    idle stretch    a time with n = 0; charged to the thread whose wake-up ends it
"""

from bisect import bisect_left, bisect_right
from collections import Counter

from tasks import IN, NEW, OUT_ASLEEP, OUT_DEAD, OUT_RUNNABLE, WAKE

ABSENT, BLOCKED, RUNNABLE, RUNNING, GONE = range(5)
ACTIVE = (RUNNABLE, RUNNING)
COUNTS = ("slices", "wakeups", "blocks")
# What a thread collects in a state: time, share, critical share. All but the last of RUNNABLE are
# names of gapp's JSON.
COLLECTS = {RUNNING: ("run_s", "cmetric_s", "critical_s"),
            RUNNABLE: ("runq_s", "runq_share_s", "runq_critical_s"), BLOCKED: ("blocked_s",)}

# A state before the first record, as that record implies it.
STATE_BEFORE = {NEW: ABSENT, WAKE: BLOCKED, IN: RUNNABLE,
                OUT_ASLEEP: RUNNING, OUT_RUNNABLE: RUNNING, OUT_DEAD: RUNNING}


def threshold(rule, cpus, live):
    """N_min by gapp-read's -n (`auto` is without), on `cpus` CPUs, with `live` threads."""
    if rule not in ("auto", "half"):
        return int(rule)
    return max(1, (min(live, cpus) if rule == "auto" else live) // 2)


class Timeline:
    """
    A thread's states: `changes` are (ns, new state, counted), the last being names of COUNTS, `causes`
    the record of each, and `wakes` the records of wake-ups that made it active.
    """

    def __init__(self, task):
        self.task = task
        self.initial = STATE_BEFORE[task.records[0].kind] if task.records else BLOCKED
        self.changes = []
        self.causes = []
        self.wakes = []
        self.never_slept = 0
        # Indices in changes of switch-outs, each followed by the wake-up that raced with it.
        self.races = []
        state = self.initial
        kinds = [record.kind for record in task.records]
        for index, (record, kind_after) in enumerate(zip(task.records, kinds[1:] + [None])):
            new, counted = self._step(state, record.kind, kind_after)
            if index in task.races:
                self.races.append(len(self.changes) - 1)
            if new != state or counted:
                self.changes.append((record.ns, new, counted))
                self.causes.append(record)
            if "wakeups" in counted:
                self.wakes.append(record)
            state = new
        self.times = [ns for ns, _, _ in self.changes]

    def _step(self, state, kind, kind_after):
        if kind == NEW:
            return BLOCKED, ()
        if kind == IN:
            return RUNNING, ()
        if kind == WAKE:
            return (state, ()) if state in ACTIVE else (RUNNABLE, ("wakeups",))
        if kind == OUT_DEAD:
            return GONE, ("slices", "blocks")
        if kind == OUT_ASLEEP and kind_after != IN:
            return BLOCKED, ("slices", "blocks")
        # Switched in again although nobody woke it: whatever its state said, it never slept.
        self.never_slept += kind == OUT_ASLEEP
        return RUNNABLE, ("slices",)

    def state_before(self, index):
        return self.changes[index - 1][1] if index else self.initial

    def segments(self, start_ns, stop_ns):
        """(begin, end, state) for all of the time between two instants."""
        begin, state = start_ns, self.state_before(bisect_right(self.times, start_ns))
        for ns, new, _ in self.changes[bisect_right(self.times, start_ns):]:
            if ns >= stop_ns:
                break
            yield begin, ns, state
            begin, state = ns, new
        yield begin, stop_ns, state

    def counts(self, first, end):
        """COUNTS of changes first to end - 1; a slice open at the end ends there."""
        sums = dict.fromkeys(COUNTS, 0)
        for _, _, counted in self.changes[first:end]:
            for name in counted:
                sums[name] += 1
        sums["slices"] += self.state_before(end) == RUNNING
        return tuple(sums[name] for name in COUNTS)

    def possible_counts(self, start_ns, stop_ns, start_edge_ns, stop_edge_ns, stale_states=False):
        """
        counts() between two instants, and the set of all that are as good: gapp reads its clock
        a moment after the trace does, so an event an edge before the start may count for gapp,
        and one an edge before the stop may not. With stale_states, see _doubtful_counts().
        """
        firsts = self.edge(start_ns, start_edge_ns)
        ends = self.edge(stop_ns, stop_edge_ns)
        exact = self.counts(firsts[-1], ends[-1])
        races = self.races if stale_states else ()
        return exact, {counts for first in firsts for end in ends
                       for counts in self._doubtful_counts(first, end, races)}

    def _doubtful_counts(self, first, end, races):
        """
        counts(), with each race taken for a sleep and for none. The scheduler lets a thread that
        has a signal pending go on, but the switch-out's state may be from before that. A waker
        that had read it, too, then waits for the run queue and wakes the thread up, although it
        never slept. The trace looks the same if it did.
        """
        possible = {self.counts(first, end)}
        for out in races:
            block, wakeup = first <= out < end, first <= out + 1 < end
            possible |= {(s, w - wakeup, b - block) for s, w, b in possible}
        return possible

    def edge(self, ns, edge_ns):
        """Indices of the first change that may count as after an instant."""
        return range(bisect_left(self.times, ns - edge_ns), bisect_left(self.times, ns) + 1)

    def joined_ns(self):
        return self.changes[0][0] if self.initial == ABSENT else None

    def left_ns(self):
        return self.times[-1] if self.changes and self.changes[-1][1] == GONE else None

    def steps(self, start_ns, stop_ns):
        """(ns, change of n, change of the live threads) between two instants."""
        for begin, end, state in self.segments(start_ns, stop_ns):
            if state in ACTIVE and end > begin:
                yield begin, 1, 0
                yield end, -1, 0
        exited = self.task.exited_ns
        if exited is None or exited > start_ns:
            yield max(start_ns, self.joined_ns() or 0), 0, 1
        if exited is not None and start_ns < exited < stop_ns:
            yield exited, 0, -1


class Parallelism:
    """
    n(t) of a set of timelines between two instants, and the integrals of 1/n: G(t) of all of the
    time, C(t) while n is at most the threshold. `histogram` is the time by n, `stretches` are the
    (end, length) of each idle one that has ended, `thresholds` the (ns, N_min) of each change.
    """

    def __init__(self, timelines, threshold_of, start_ns, stop_ns):
        self.times, self.points, self.thresholds, self.stretches = [], [], [], []
        self.histogram = Counter()
        n = live = 0
        g = c = 0.0
        now = idle_since = start_ns
        steps = sorted(step for t in timelines for step in t.steps(start_ns, stop_ns))
        for ns, dn, change_of_live in steps + [(stop_ns, 0, 0)]:
            if ns > now:
                n_min = threshold_of(live)
                rate = 1 / n if n else 0
                critical_rate = rate if n <= n_min else 0
                self.times.append(now)
                self.points.append((g, c, rate, critical_rate))
                self.thresholds.append((now, n_min))
                self.histogram[n] += ns - now
                g += rate * (ns - now)
                c += critical_rate * (ns - now)
                now = ns
            if not n and dn and ns > idle_since:
                self.stretches.append((ns, ns - idle_since))
            n += dn
            live += change_of_live
            if not n and dn:
                idle_since = ns

    def _integrals(self, ns):
        index = bisect_right(self.times, ns) - 1
        g, c, rate, critical_rate = self.points[index]
        dt = ns - self.times[index]
        return g + rate * dt, c + critical_rate * dt

    def shares(self, begin, end):
        """The growth of G and of C."""
        return [after - before for after, before in
                zip(self._integrals(end), self._integrals(begin))]

    def thresholds_since(self, ns):
        """All N_min in force at some time from an instant to the end."""
        return {n_min for _, n_min in self.thresholds[bisect_right(self.times, ns) - 1:]}


class ThreadFigures:
    """One thread's figures in nanoseconds, by the names in COLLECTS."""

    def __init__(self, timeline, parallelism, start_ns, stop_ns):
        self.timeline = timeline
        self.task = timeline.task
        self.ns = dict.fromkeys((name for names in COLLECTS.values() for name in names), 0)
        for begin, end, state in timeline.segments(start_ns, stop_ns):
            amounts = end - begin, *parallelism.shares(begin, end)
            for name, amount in zip(COLLECTS.get(state, ()), amounts):
                self.ns[name] += amount
        joined, left = timeline.joined_ns(), timeline.left_ns()
        self.joined = max(0, joined - start_ns) if joined is not None else 0
        self.left = left - start_ns if left is not None and left <= stop_ns else None


class Report:
    """What gapp ought to say about a target between two instants; `threshold_of` as threshold()."""

    def __init__(self, tasks, ancestors, threshold_of, start_ns, stop_ns):
        self.start_ns, self.stop_ns = start_ns, stop_ns
        timelines = [Timeline(task) for task in tasks.all if task.process.descends_from(ancestors)]
        timelines = [t for t in timelines if self._present(t)]
        self.parallelism = Parallelism(timelines, threshold_of, start_ns, stop_ns)
        # when an event changed n, the live threads or what a thread collects
        self.instants = {record.ns for t in timelines for record in t.task.records
                         if start_ns <= record.ns < stop_ns} | {t.task.exited_ns for t in timelines}
        self.never_slept = sum(t.never_slept for t in timelines)
        self.threads = [ThreadFigures(t, self.parallelism, start_ns, stop_ns) for t in timelines]
        self.wakes = sorted(((wake, t) for t in timelines for wake in t.wakes),
                            key=lambda pair: pair[0].number)
        # Threads with several ids, and all that have one of them, count as their leader.
        self.leaders = {(t.task.process.pid, tid): (t.task.process.pid,) * 2 for t in timelines
                        for tid in t.task.tids if len(t.task.tids) > 1}

    def owner(self, pid, tid):
        """To whom waits are charged: the ids of a process and a thread."""
        return self.leaders.get((pid, tid), (pid, tid))

    def _woken(self, wake, timeline):
        """
        The owner; or None if the wake-up ends no wait, but is the first one of a new thread.
        """
        if timeline.initial == ABSENT and wake is timeline.wakes[0]:
            return None
        return self.owner(timeline.task.process.pid, timeline.task.tid)

    def waits(self, edge_of):
        """
        The idle time charged to each owner; and how much, of each, may be another's: a wake-up on
        another CPU within `edge_of` the one that ended the time may have been before it for gapp.
        """
        exact, doubtful = Counter(), Counter()
        for ns, length in self.parallelism.stretches:
            edge_ns = edge_of(ns)
            index = bisect_left(self.wakes, ns, key=lambda pair: pair[0].ns)
            first = self.wakes[index][0]
            owners = {self._woken(*self.wakes[index])}
            exact.update({owner: length for owner in owners})
            for wake, timeline in self.wakes[index + 1:]:
                if wake.ns > ns + edge_ns:
                    break
                if wake.cpu != first.cpu:
                    owners.add(self._woken(wake, timeline))
            if len(owners) > 1 or ns > self.stop_ns - edge_ns:
                doubtful.update({owner: length for owner in owners})
        del exact[None]
        return exact, doubtful

    def _present(self, timeline):
        joined, left = timeline.joined_ns(), timeline.left_ns()
        return ((joined is None or joined < self.stop_ns)
                and (left is None or left > self.start_ns))

    def wall(self):
        return self.stop_ns - self.start_ns

    def idle(self):
        return self.parallelism.histogram[0]

    def thread_time(self):
        """Integral of n."""
        return sum(n * ns for n, ns in self.parallelism.histogram.items())

    def total(self, name):
        return sum(thread.ns[name] for thread in self.threads)


def target_of_command(tasks, reader_pid):
    """
    The process that gapp-read with this id started: the child that was the first to go on to exec. For
    its report, gapp-read may ask other programs.
    """
    children = [p for p in tasks.children(tasks.process(reader_pid)) if p.exec_ns]
    if not children:
        raise ValueError(f"gapp-read {reader_pid} started no program")
    return {min(children, key=lambda process: process.exec_ns)}


def target_of_attach(tasks, *pids):
    return {tasks.process(pid) for pid in pids}

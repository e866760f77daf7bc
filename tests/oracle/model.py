# SPDX-License-Identifier: GPL-2.0
"""
What gapp ought to report: n(t) and every thread's figures, from the tasks' records.

    active    on a CPU, or runnable and waiting for one
    n(t)      active threads of the target
    share     a thread's part of the integral of 1/n
"""

from bisect import bisect_left, bisect_right

from tasks import IN, NEW, OUT_ASLEEP, OUT_DEAD, OUT_RUNNABLE, WAKE

ABSENT, BLOCKED, RUNNABLE, RUNNING, GONE = range(5)
ACTIVE = (RUNNABLE, RUNNING)
COUNTS = ("slices", "wakeups", "blocks")

# A state before the first record, as that record implies it.
STATE_BEFORE = {NEW: ABSENT, WAKE: BLOCKED, IN: RUNNABLE,
                OUT_ASLEEP: RUNNING, OUT_RUNNABLE: RUNNING, OUT_DEAD: RUNNING}


class Timeline:
    """A thread's states: `changes` are (ns, new state, counted), the last being names of COUNTS."""

    def __init__(self, task):
        self.task = task
        self.initial = STATE_BEFORE[task.records[0][1]] if task.records else BLOCKED
        self.changes = []
        self.never_slept = 0
        # Indices in changes of switch-outs, each followed by the wake-up that raced with it.
        self.races = []
        state = self.initial
        kinds = [kind for _, kind in task.records]
        for index, ((ns, kind), kind_after) in enumerate(zip(task.records, kinds[1:] + [None])):
            new, counted = self._step(state, kind, kind_after)
            if index in task.races:
                self.races.append(len(self.changes) - 1)
            if new != state or counted:
                self.changes.append((ns, new, counted))
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
        firsts = self._edge(start_ns, start_edge_ns)
        ends = self._edge(stop_ns, stop_edge_ns)
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

    def _edge(self, ns, edge_ns):
        return range(bisect_left(self.times, ns - edge_ns), bisect_left(self.times, ns) + 1)

    def joined_ns(self):
        return self.changes[0][0] if self.initial == ABSENT else None

    def left_ns(self):
        return self.times[-1] if self.changes and self.changes[-1][1] == GONE else None


class Parallelism:
    """n(t) of a set of timelines, and G(t), the integral of 1/n, between two instants."""

    def __init__(self, timelines, start_ns, stop_ns):
        steps = []
        for timeline in timelines:
            for begin, end, state in timeline.segments(start_ns, stop_ns):
                if state in ACTIVE and end > begin:
                    steps += ((begin, 1), (end, -1))
        steps.sort()
        self.times, self.g, self.n = [start_ns], [0.0], [0]
        self.histogram = {}
        for ns, change in steps:
            self._advance(ns)
            self.n[-1] += change
        self._advance(stop_ns)

    def _advance(self, ns):
        dt, n = ns - self.times[-1], self.n[-1]
        if dt:
            self.histogram[n] = self.histogram.get(n, 0) + dt
            self.times.append(ns)
            self.g.append(self.g[-1] + (dt / n if n else 0))
            self.n.append(n)

    def g_at(self, ns):
        index = bisect_right(self.times, ns) - 1
        n = self.n[index]
        return self.g[index] + ((ns - self.times[index]) / n if n else 0)

    def share(self, begin, end):
        return self.g_at(end) - self.g_at(begin)


class ThreadFigures:
    """One thread's figures in nanoseconds, by the names that gapp's JSON has for them."""

    def __init__(self, timeline, parallelism, start_ns, stop_ns):
        self.timeline = timeline
        self.task = timeline.task
        self.ns = dict.fromkeys(("cmetric_s", "runq_share_s", "run_s", "runq_s", "blocked_s"), 0)
        for begin, end, state in timeline.segments(start_ns, stop_ns):
            if state == RUNNING:
                self.ns["run_s"] += end - begin
                self.ns["cmetric_s"] += parallelism.share(begin, end)
            elif state == RUNNABLE:
                self.ns["runq_s"] += end - begin
                self.ns["runq_share_s"] += parallelism.share(begin, end)
            elif state == BLOCKED:
                self.ns["blocked_s"] += end - begin
        joined, left = timeline.joined_ns(), timeline.left_ns()
        self.joined = max(0, joined - start_ns) if joined is not None else 0
        self.left = left - start_ns if left is not None and left <= stop_ns else None


class Report:
    """What gapp ought to say about a target between two instants."""

    def __init__(self, tasks, ancestors, start_ns, stop_ns):
        self.start_ns, self.stop_ns = start_ns, stop_ns
        timelines = [Timeline(task) for task in tasks.all if task.process.descends_from(ancestors)]
        timelines = [t for t in timelines if self._present(t)]
        parallelism = Parallelism(timelines, start_ns, stop_ns)
        self.never_slept = sum(t.never_slept for t in timelines)
        self.histogram = parallelism.histogram
        self.threads = [ThreadFigures(t, parallelism, start_ns, stop_ns) for t in timelines]

    def _present(self, timeline):
        joined, left = timeline.joined_ns(), timeline.left_ns()
        return ((joined is None or joined < self.stop_ns)
                and (left is None or left > self.start_ns))

    def wall(self):
        return self.stop_ns - self.start_ns

    def idle(self):
        return self.histogram.get(0, 0)

    def thread_time(self):
        """Integral of n."""
        return sum(n * ns for n, ns in self.histogram.items())

    def total(self, name):
        return sum(thread.ns[name] for thread in self.threads)


def target_of_command(tasks, reader_pid):
    """The process that gapp-read with this id started: the child that went on to exec."""
    children = {p for p in tasks.children(tasks.process(reader_pid)) if p.execs}
    if len(children) != 1:
        raise ValueError(f"gapp-read {reader_pid} started {len(children)} programs")
    return children


def target_of_attach(tasks, *pids):
    return {tasks.process(pid) for pid in pids}

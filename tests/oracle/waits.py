# SPDX-License-Identifier: GPL-2.0
"""
What gapp says of threads' waits, against the kernel's own trace: blocked time by reason, stays in the
run queue, who preempted whom, and who woke whom.
"""

from bisect import bisect_right
from collections import Counter, defaultdict, namedtuple

from model import BLOCKED, RUNNABLE, RUNNING
from parse import TraceError, Waking
from reasons import FUTEX, reason_of
from tasks import NEW, OUT_ASLEEP

NS = 1e9
# gapp keeps so many preempters of a thread apart.
PREEMPTERS = 12
INTERRUPT = "an interrupt"
# A wait: of a thread, from its switch-out to the wake-up; `wakers` and `woken` are the names that may be
# given for who woke it and for itself.
Wait = namedtuple("Wait", "begin end reason wakers woken")


def short_name(name):
    """A kworker's name in /proc says what it does at the moment."""
    if name and name.startswith("kworker/"):
        return name.partition("-")[0].partition("+")[0]
    return name


class Wakers:
    """Who woke whom: the last sched_waking of a thread before its wake-up."""

    def __init__(self, events, tasks, followed):
        self.tasks, self.followed = tasks, followed
        self.wakings = {}
        last = {}
        for number, event in enumerate(events):
            if isinstance(event, Waking):
                last[event.pid] = number, event
            elif getattr(event, "pid", None) in last:
                self.wakings[number] = last[event.pid]

    def names(self, record):
        """
        All names that may be given. A followed thread has that of its last slice, or a newer one. Another
        one, and one whose first slice has not ended, has that of when the reader looked: none, if it was
        gone by then.
        """
        number, waking = self.wakings.get(record.number, (None, None))
        if waking is None:
            raise TraceError(f"nobody woke a thread at {record.ns}")
        if waking.interrupt:
            return {INTERRUPT}
        if not waking.current:
            return {None}
        names = set()
        for task in self.tasks.all:
            if waking.current in task.tids:
                names |= self._names_of(task, number)
        return names or {None}

    def _names_of(self, task, number):
        last = task.last_slice(number) if task in self.followed else None
        if last is not None:
            return {short_name(task.name_at(last)), short_name(task.name_at(number))}
        names = {short_name(name) for _, name in task.names}
        return names | {None} if task.dead else names


class ThreadWaits:
    """A thread's waits and stays in the run queue between two instants."""

    def __init__(self, thread, calls, wakers, events, tids):
        self.thread = thread
        self.timeline = thread.timeline
        self.events, self.calls, self.wakers, self.tids = events, calls, wakers, tids
        self.reasons = [self._reason(index) for index in range(len(self.timeline.changes))]

    def _reason(self, index):
        """Of the wait that a change begins; None if it begins none."""
        cause = self.timeline.causes[index]
        if self.timeline.changes[index][1] != BLOCKED:
            return None
        if cause.kind == NEW:
            return "other"
        call, path = self.calls.at[cause.number]
        return None if path is None else reason_of(call, path, self.tids)

    def blocked(self, start_ns, stop_ns):
        """Nanoseconds by reason."""
        sums = Counter()
        for index, begin, end in self._stays(BLOCKED, start_ns, stop_ns):
            reason = self.reasons[index] if index is not None else None
            if end > begin:
                sums[reason] += end - begin
        return sums

    def queued(self, start_ns, stop_ns):
        """(begin, length) of each stay in the run queue."""
        return [(begin, end - begin) for _, begin, end in self._stays(RUNNABLE, start_ns, stop_ns)]

    def _stays(self, state, start_ns, stop_ns):
        """(index of the change that began it, begin, end) of each stay in a state, cut at both instants."""
        changes = self.timeline.changes
        first = bisect_right(self.timeline.times, start_ns)
        for index in range(max(first - 1, 0), len(changes)):
            begin = changes[index][0]
            if begin >= stop_ns:
                break
            end = changes[index + 1][0] if index + 1 < len(changes) else stop_ns
            if changes[index][1] == state and end > start_ns:
                yield index, max(begin, start_ns), min(end, stop_ns)
        if first == 0 and self.timeline.initial == state and changes:
            yield None, start_ns, min(changes[0][0], stop_ns)

    def queue_counts(self, first, end):
        """
        Of changes first to end - 1: stays in the run queue that end, and of these that a preemption began, by
        the preempter's thread id.
        """
        counts = Counter()
        for index in range(max(first, 1), end):
            if (self.timeline.changes[index - 1][1], self.timeline.changes[index][1]) != (RUNNABLE, RUNNING):
                continue
            counts["stays"] += 1
            if self.timeline.state_before(index - 1) == RUNNING:
                counts[self.events[self.timeline.causes[index - 1].number].next_pid] += 1
        return counts

    def preempter_names(self):
        names = defaultdict(set)
        for cause in self.timeline.causes:
            event = self.events[cause.number] if cause.number >= 0 else None
            if hasattr(event, "next_pid"):
                names[event.next_pid].add(event.next_comm)
        return names

    def waits(self):
        """All that have ended, of the whole trace."""
        changes, causes = self.timeline.changes, self.timeline.causes
        for index in range(1, len(changes)):
            if (changes[index - 1][1], changes[index][1]) != (BLOCKED, RUNNABLE) or \
                    causes[index - 1].kind != OUT_ASLEEP:
                continue
            woken = short_name(self.timeline.task.name_at(causes[index - 1].number))
            yield Wait(changes[index - 1][0], changes[index][0], self.reasons[index - 1],
                       self.wakers.names(causes[index]), woken)


class WaitsComparison:
    """
    All that a report says of waits; adds to the errors of a Comparison, whose limits it uses. `futex` has
    the reasons of those futexes of the program that do not say themselves what they are.
    """

    def __init__(self, comparison, events, tasks, calls, futex):
        self.of, self.report, self.json = comparison, comparison.report, comparison.json
        self.futex = futex
        self.unnamed_preempters = self.doubtful_waits = self.missing_waits = self.waits = 0
        wakers = Wakers(events, tasks, {thread.task for thread in self.report.threads})
        tids = defaultdict(set)
        for task in tasks.all:
            tids[task.process] |= task.tids
        self.threads = [ThreadWaits(thread, calls, wakers, events, tids[thread.task.process])
                        for thread in self.report.threads]
        rows = list(self.json["threads"])
        for thread in self.threads:
            row = comparison.row_of(thread.thread, rows)
            if row:
                rows.remove(row)
                self._thread(comparison.name_of(thread.thread), thread, row)
        self._wakers()
        self._objects()

    def _error(self, text):
        self.of.errors.append(text)

    def _thread(self, name, thread, row):
        start, stop = self.report.start_ns, self.report.stop_ns
        late = self.of.late_of(thread.thread)
        self._blocked(f"of {name}", thread.blocked(start, stop), row["blocked_by"], late["blocked_s"])
        parts = row["run_s"] + row["ready_s"] + row["unknown_s"] + sum(row["blocked_by"].values())
        if abs(parts - row["life_s"]) * NS > 100:
            self._error(f"{name}: its parts are {parts}, its life {row['life_s']}")
        stays = thread.queued(start, stop)
        self.of.time(f"ready_s of {name}", row["ready_s"], sum(length for _, length in stays), late["runq_s"])
        self._longest(name, stays, row)
        self._queue_counts(name, thread, row)

    def _blocked(self, whose, oracle, gapp, doubtful_ns=0):
        """
        Blocked time by reason. What futexes wait for that could be any of several is compared in one sum,
        of which each has at least what is known to be its.
        """
        if oracle[None]:
            self._error(f"{oracle[None] / 1e6:.3f} ms {whose} are on no path")
        for reason in sorted((set(oracle) | set(gapp)) - set(self.futex) - {FUTEX, None}):
            self.of.time(f"blocked for {reason} {whose}", gapp.get(reason, 0), oracle[reason], doubtful_ns)
        self.of.time(f"blocked for {' or '.join(sorted(self.futex))} {whose}",
                     sum(gapp.get(reason, 0) for reason in self.futex),
                     oracle[FUTEX] + sum(oracle[reason] for reason in self.futex), doubtful_ns)
        for reason in self.futex:
            if gapp.get(reason, 0) * NS < oracle[reason]:
                self.of.time(f"blocked for {reason} at least, {whose}", gapp.get(reason, 0), oracle[reason],
                             doubtful_ns)

    def _longest(self, name, stays, row):
        """There may be several of nearly the same length: the moment must be the begin of such a one."""
        longest = max((length for _, length in stays), default=0)
        self.of.time(f"runq_max_s of {name}", row["runq_max_s"], longest)
        if not longest:
            return
        at = self.report.start_ns + row["runq_max_at_s"] * NS
        allowed = self.of.allowed(longest)
        if not any(abs(begin - at) <= allowed and length >= longest - 2 * allowed for begin, length in stays):
            self._error(f"{name}: no stay of {longest / 1e6:.3f} ms in the run queue at {row['runq_max_at_s']}")

    def _queue_counts(self, name, thread, row):
        report, timeline = self.report, thread.timeline
        gapp = Counter({"stays": row["runq_stays"]})
        for by in row["preempted_by"]:
            gapp[by["tid"]] += by["times"]
        firsts = timeline.edge(report.start_ns, self.of.start_edge_ns)
        ends = timeline.edge(report.stop_ns, self.of.stop_edge_ns)
        exact = thread.queue_counts(firsts[-1], ends[-1])
        possible = [thread.queue_counts(first, end) for first in firsts for end in ends]
        if not any(self._agree(gapp, counts) for counts in possible):
            self._error(f"{name}: stays and preempters {describe(gapp)}, are {describe(exact)}")
        if row["preempted"] != sum(by["times"] for by in row["preempted_by"]):
            self._error(f"{name}: preempted {row['preempted']} times, by {describe(gapp)}")
        self.unnamed_preempters += gapp[None]
        names = thread.preempter_names()
        for by in row["preempted_by"]:
            if by["tid"] and by["comm"] not in names[by["tid"]]:
                self._error(f"{name}: preempted by {by['comm']}/{by['tid']}, which is {names[by['tid']]}")

    def _agree(self, gapp, oracle):
        """Without a name are only those beyond the number that gapp keeps, and those of posts."""
        keys = (set(gapp) | set(oracle)) - {None}
        unnamed = sum(oracle[key] - gapp[key] for key in keys)
        if any(gapp[key] > oracle[key] for key in keys) or unnamed != gapp[None]:
            return False
        others = len(oracle) - ("stays" in oracle) > PREEMPTERS
        return gapp["stays"] == oracle["stays"] and (others or gapp[None] <= self.json["overhead"]["posts"])

    def _certain(self, wait):
        """Whether it is in the session, however late gapp reads its clock."""
        return (wait.begin > self.report.start_ns and
                wait.end < self.report.stop_ns - self.of.stop_edge_ns)

    def _expected(self):
        """
        Lengths of the waits by who woke whom: those that are certain, and those that may count for this pair,
        because a thread has had several names, or a wait is at an edge of the session.
        """
        certain, possible = defaultdict(list), defaultdict(list)
        begin = self.report.start_ns - self.of.start_edge_ns
        for wait in (wait for thread in self.threads for wait in thread.waits()):
            if wait.begin < begin or wait.end > self.report.stop_ns:
                continue
            self.waits += 1
            is_certain = len(wait.wakers) == 1 and self._certain(wait)
            self.doubtful_waits += not is_certain
            for waker in wait.wakers:
                (certain if is_certain else possible)[waker, wait.woken].append(wait.end - wait.begin)
        return certain, possible

    def _told(self):
        """What gapp says: how often each woke each, and how long they had waited in all."""
        counts, waited = Counter(), Counter()
        for row in self.json["wakers"]:
            pair = INTERRUPT if row["interrupt"] else short_name(row["thread"]), short_name(row["woke"])
            counts[pair] += row["waits"]
            waited[pair] += row["waited_s"]
        return counts, waited

    def _wakers(self):
        """An event that gapp applied later, a post, has no record: as many waits as posts may be missing."""
        certain, possible = self._expected()
        counts, waited = self._told()
        for pair in sorted(set(certain) | set(possible) | set(counts), key=str):
            what = f"{pair[0]} woke {pair[1]}"
            least, most = len(certain[pair]), len(certain[pair]) + len(possible[pair])
            missing = max(least - counts[pair], 0)
            self.missing_waits += missing
            if counts[pair] > most:
                self._error(f"{what} {counts[pair]} times, are {most}")
            self.of.time(f"waited until {what}", waited[pair], sum(certain[pair]),
                         sum(possible[pair]) + sum(longest(certain[pair], missing)))
        self.missing_waits = max(self.missing_waits, self.waits - self.doubtful_waits - sum(counts.values()))
        if self.missing_waits > self.json["overhead"]["posts"] or sum(counts.values()) > self.waits:
            self._error(f"wakers of {sum(counts.values())} waits, of {self.missing_waits} "
                        f"that there are none, are {self.waits}")

    def _objects(self):
        """What all threads waited for, by reason, in the sums of objects: without the open ones."""
        start, stop = self.report.start_ns, self.report.stop_ns
        oracle, gapp = Counter(), Counter()
        lengths = []
        for wait in (wait for thread in self.threads for wait in thread.waits()):
            if start <= wait.begin and wait.end < stop:
                oracle[wait.reason] += wait.end - wait.begin
                lengths.append(wait.end - wait.begin)
        for row in self.json["wait_objects"]:
            gapp[row["reason"]] += row["waited_s"]
        self._blocked("by object", oracle, gapp, sum(longest(lengths, self.missing_waits)))


def longest(lengths, number):
    return sorted(lengths, reverse=True)[:number]


def describe(counts):
    return ", ".join(f"{key} {number}" for key, number in sorted(counts.items(), key=str) if number)

# SPDX-License-Identifier: GPL-2.0
"""gapp's report (its JSON) against what the trace says."""

from collections import Counter
from dataclasses import dataclass, field

from model import COLLECTS, COUNTS
from parse import Delays

NS = 1e9
FLOOR_NS = 200_000
TIMES = ("cmetric_s", "critical_s", "runq_share_s", "run_s", "runq_s", "blocked_s")


@dataclass
class Limits:
    """
    How far gapp may be off: a part of the value or FLOOR_NS, and the delays of its clock.

    `times` is for what single threads have, and sums of it. `totals` is for what the session as a
    whole has: active and idle time and the time that each n has are parts of wall time, the sum
    of all shares and the integral of n parts of themselves. `edge_ns` is how long before the begin
    or the end of the session an event may count on the other side. `stale_states` is whether a
    switch-out's state in the trace may be from before a pending signal put it back.
    """

    times: float
    totals: float
    edge_ns: int
    delays: Delays = field(default_factory=Delays)
    stale_states: bool = False


@dataclass
class Deviation:
    """Of one figure: how far off it is, and how far it may be."""

    what: str
    gapp_ns: float
    oracle_ns: float
    allowed_ns: float

    def ratio(self):
        return abs(self.gapp_ns - self.oracle_ns) / self.allowed_ns

    def __str__(self):
        off = self.gapp_ns - self.oracle_ns
        percent = f" ({100 * off / self.oracle_ns:+.2f} %)" if self.oracle_ns else ""
        return (f"{self.what} {self.gapp_ns / 1e6:.3f} ms, is {self.oracle_ns / 1e6:.3f} ms: "
                f"{off / 1e6:+.3f} ms{percent}, allowed {self.allowed_ns / 1e6:.3f} ms")


class Comparison:
    """All of a report, compared: `errors` in words, `worst` the Deviation nearest its limit."""

    def __init__(self, json, report, limits):
        self.json, self.report, self.limits = json, report, limits
        self.errors = []
        self.worst = None
        self.waits = None
        self.edges_used = 0
        self.races_used = 0
        self.slack_ns = limits.delays.total(report.instants)
        self.start_edge_ns = limits.edge_ns + limits.delays.since(report.start_ns)
        self.stop_edge_ns = limits.edge_ns + limits.delays.since(report.stop_ns)
        self._claims()
        self._totals()
        self._critical()
        self._waits()
        self._threads()

    def _claims(self):
        """What gapp says of its own work; and what makes the rest comparable."""
        for name, expected in (("n_recount_ok", True), ("not_followed", 0), ("unexpected", 0),
                               ("exited", [])):
            if self.json[name] != expected:
                self.errors.append(f"{name} is {self.json[name]}")
        if self.json["lost"]["ring"]:
            self.errors.append(f"{self.json['lost']['ring']} records lost")

    def allowed(self, ns):
        """How far off a time of a thread may be."""
        return max(self.limits.times * ns, FLOOR_NS) + self.slack_ns

    def time(self, what, gapp_s, oracle_ns, doubtful_ns=0):
        """Compares a time of a thread."""
        self._time(what, gapp_s, oracle_ns, self.limits.times, doubtful_ns=doubtful_ns)

    def _time(self, what, gapp_s, oracle_ns, part, part_of=None, doubtful_ns=0):
        allowed = max(part * (part_of or oracle_ns), FLOOR_NS) + self.slack_ns + doubtful_ns
        deviation = Deviation(what, gapp_s * NS, oracle_ns, allowed)
        if deviation.ratio() > 1:
            self.errors.append(str(deviation))
        if not self.worst or deviation.ratio() > self.worst.ratio():
            self.worst = deviation

    def _totals(self):
        report, rows, part = self.report, self.json["threads"], self.limits.totals
        wall = report.wall()
        if abs(self.json["wall_s"] * NS - wall) > 1000:
            self.errors.append(f"wall_s {self.json['wall_s']}, but stop - start is {wall / NS}")
        self._time("active_s", self.json["active_s"], wall - report.idle(), part, wall)
        self._time("idle_s", self.json["idle_s"], report.idle(), part, wall)
        late = sum((self.late_of(thread) for thread in report.threads), Counter())
        for names in (("cmetric_s", "runq_share_s"), ("run_s", "runq_s")):
            self._time("sum of " + " + ".join(names),
                       sum(row[name] for row in rows for name in names),
                       sum(report.total(name) for name in names), part,
                       doubtful_ns=sum(late[name] for name in names))
        for name in TIMES:
            self._time(f"sum of {name}", sum(row[name] for row in rows), report.total(name),
                       self.limits.times, doubtful_ns=late[name])
        self._parallelism(wall, part, late["run_s"] + late["runq_s"])

    def _parallelism(self, wall, part, late_ns):
        """n(t), as the part of wall time that each n has."""
        percents = self.json["parallelism"]
        for n in range(max(len(percents), max(self.report.parallelism.histogram, default=0) + 1)):
            percent = percents[n] if n < len(percents) else 0
            self._time(f"time with {n} active", percent / 100 * wall / NS,
                       self.report.parallelism.histogram.get(n, 0), part, wall)
        self._time("integral of n", self.json["parallelism_average"] * wall / NS,
                   self.report.thread_time(), part, doubtful_ns=late_ns)

    def _critical(self):
        """C, and the threshold at the end; before that it shows in C."""
        report, times = self.report, self.limits.times
        queued = report.total("runq_critical_s")
        self._time("critical_s", self.json["critical_s"], report.total("critical_s") + queued,
                   times)
        self._time("unattributed_s.run_queue", self.json["unattributed_s"]["run_queue"], queued,
                   times)
        possible = report.parallelism.thresholds_since(report.stop_ns - self.stop_edge_ns)
        if self.json["n_min"] not in possible:
            self.errors.append(f"n_min {self.json['n_min']}, is {possible}")

    def _waits(self):
        """The idle time by the thread whose wake-up ended it; a view has no rows of it."""
        if "rows" not in self.json:
            return
        limits = self.limits
        exact, doubtful = self.report.waits(lambda ns: limits.edge_ns + limits.delays.lengths[ns])
        gapp = Counter()
        for row in self.json["rows"]:
            if row["kind"] == "waited":
                gapp[self.report.owner(row["tgid"], row["tid"])] += row["critical_s"]
        for owner in exact | doubtful | gapp:
            self._time(f"waited by {owner[1]}", gapp[owner], exact[owner], limits.times,
                       doubtful_ns=doubtful[owner])

    def _threads(self):
        rows = list(self.json["threads"])
        for thread in self.report.threads:
            row = self.row_of(thread, rows)
            if row:
                rows.remove(row)
                self._thread(thread, row)
            elif not self._at_edge(thread):
                self.errors.append(f"thread {self.name_of(thread)} is missing")
        for row in rows:
            self.errors.append(f"thread {row['comm']}/{row['tid']} is not of the target")

    def late_of(self, thread):
        """
        How far off each of a thread's times may be because gapp reads its clock a moment after the
        trace at each event that begins or ends such a time. One moment is nothing, but a thread that
        sleeps a thousand times has thousands, and a switch takes longer than a wake-up.
        """
        begins, ends = Counter(), Counter()
        short = self.limits.delays.short
        window = self.report.start_ns, self.report.stop_ns
        for begin, end, state in thread.timeline.segments(*window):
            for name in COLLECTS.get(state, ()):
                begins[name] += short[begin]
                ends[name] += short[end]
        return begins | ends

    def name_of(self, thread):
        return f"{thread.task.comm}/{thread.task.tid}"

    def _at_edge(self, thread):
        """Whether it joined just before the end or left just after the begin."""
        return (thread.joined > self.report.wall() - self.stop_edge_ns
                or (thread.left is not None and thread.left < self.start_edge_ns))

    def row_of(self, thread, rows):
        """The row with a thread's id; of those, for ids are used again, the one of its time."""
        found = [row for row in rows if row["tid"] in thread.task.tids
                 and row["tgid"] == thread.task.process.pid]
        return min(found, key=lambda row: abs(row["joined_s"] * NS - thread.joined), default=None)

    def _thread(self, thread, row):
        name = self.name_of(thread)
        if row["comm"] != thread.task.comm:
            self.errors.append(f"{name} is called {row['comm']}")
        self._counts(name, thread, row)
        late = self.late_of(thread)
        for figure in TIMES:
            self._time(f"{figure} of {name}", row[figure], thread.ns[figure], self.limits.times,
                       doubtful_ns=late[figure])
        self._time(f"joined_s of {name}", row["joined_s"], thread.joined, 0)
        self._left(name, thread, row)

    def _left(self, name, thread, row):
        wall = self.report.wall()
        gapp = row["left_s"] * NS if row["left_s"] else wall
        oracle = thread.left if thread.left is not None else wall
        self._time(f"left_s of {name}", gapp / NS, oracle, 0)

    def _counts(self, name, thread, row):
        window = (self.report.start_ns, self.report.stop_ns, self.start_edge_ns, self.stop_edge_ns)
        exact, possible = thread.timeline.possible_counts(*window)
        _, doubtful = thread.timeline.possible_counts(*window, self.limits.stale_states)
        counts = tuple(row[count] for count in COUNTS)
        if counts in doubtful - possible:
            self.races_used += 1
        elif counts not in possible:
            pairs = zip(COUNTS, counts, exact)
            wrong = ", ".join(f"{count} {gapp}, is {oracle}" for count, gapp, oracle in pairs
                              if gapp != oracle)
            self.errors.append(f"{name}: {wrong or counts}")
        elif counts != exact:
            self.edges_used += 1

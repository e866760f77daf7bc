# SPDX-License-Identifier: GPL-2.0
"""A made-up program: threads that run, wait and wake one another, with every figure that follows.

The report's figures and the timeline's stays come of one list of slices, so a page made of them
can be checked against itself.
"""
import gc
import heapq
import random

REASONS = ["other", "lock", "queue", "join", "barrier", "disk", "network", "pipe", "sleep", "fault",
           "memory", "event", "signal", "futex", "kernel-lock", "spin"]
USED = [1, 2, 4, 7]
HOSTILE = ["</script><img src=x onerror=alert(1)>", "<b>bold</b>&amp;\"'", "a\u202eb\u0001\n]]>",
           "std::map<std::string, <!-- int>::operator[]", "${alert(1)}", "@SCRIPT@"]
RAN, READY, WAITED = 0, 2, 3
STEPS = 2000
NS = 1e9


class Run:
    """What happened: slices (begin, end, thread, cpu, place), ready and waited (begin, end, thread, reason),
    wakes (at, from, to, waited)."""

    def __init__(self, slices, threads=6, programs=1, cpus=4, seed=1, hostile=False):
        self.random = random.Random(seed)
        self.cpus, self.programs, self.hostile = cpus, programs, hostile
        self.threads = [{"tid": 101 + i, "tgid": 101 + i % programs, "program": i % programs,
                         "comm": HOSTILE[0] if hostile and i == 1 else f"worker-{i}"}
                        for i in range(threads)]
        names = HOSTILE if hostile else ["compress", "parse_block", "update_index", "wait_for_input", "main_loop"]
        self.places = [{"function": name, "object": "prog", "file": f"/src/{'<i>x' if hostile else 'work'}.c",
                        "line": 10 + 7 * i} for i, name in enumerate(names)]
        self.slices, self.ready, self.waited, self.wakes = [], [], [], []
        gc.disable()  # nothing here is circular, and there are millions of tuples
        self.simulate(slices)
        gc.enable()

    def simulate(self, count):
        """A CPU that is free takes who has waited longest for one."""
        free = [(0, cpu) for cpu in range(self.cpus)]
        ready = [(0, i) for i in range(len(self.threads))]
        draw = self.random.random
        heapq.heapify(free)
        heapq.heapify(ready)
        while len(self.slices) < count:
            woken, thread = heapq.heappop(ready)
            free_at, cpu = heapq.heappop(free)
            begin = max(woken, free_at)
            # thread 0 takes longest, and holds the others up
            length = int(20000 + draw() * (900000 if thread == 0 else 240000))
            place = 0 if thread == 0 else 1 + int(draw() ** 2 * (len(self.places) - 1))
            if begin > woken:
                self.ready.append((woken, begin, thread))
            self.slices.append((begin, begin + length, thread, cpu, place))
            heapq.heappush(free, (begin + length, cpu))
            if draw() < 0.1:
                heapq.heappush(ready, (begin + length, thread))
                continue
            waits = int(10000 + draw() * 700000)
            self.waited.append((begin + length, begin + length + waits, thread,
                                USED[int(draw() * len(USED))]))
            self.wakes.append((begin + length + waits, int(draw() * len(self.threads)), thread, waits))
            heapq.heappush(ready, (begin + length + waits, thread))
        self.length = max(end for _, end, _, _, _ in self.slices)
        self.waited = [(begin, min(end, self.length), thread, reason)
                       for begin, end, thread, reason in self.waited if begin < self.length]
        self.wakes = sorted(wake for wake in self.wakes if wake[0] < self.length)
        self.make_sections()
        self.n_min = max(self.cpus // 2, 1)
        self.integrate()

    def make_sections(self):
        """Thread 0 says what its program does, one section after the other, with others within; thread 1, of
        another program if there are two, begins some too. (thread, depth, begin, end, name)"""
        self.section_names = HOSTILE[:4] if self.hostile else ["solve", "exchange", "write", "rest"]
        self.sections = []
        step = max(self.length // 40, 8)
        for i in range(0, 38, 2):
            begin = i * step
            self.sections.append((0, 0, begin, begin + 2 * step, 0))
            self.sections.append((0, 1, begin + step // 4, begin + step, 1 + i // 2 % 2))
            if i % 6 == 0:
                self.sections.append((1, 0, begin + step // 2, begin + 3 * step, 3))

    def current_sections(self):
        """How long each was the current one of a process: of those that are open the one that began last."""
        sums = {}
        for program in range(self.programs):
            own = [one for one in self.sections if self.threads[one[0]]["program"] == program]
            moments = sorted({moment for one in own for moment in one[2:4]})
            for begin, end in zip(moments, moments[1:]):
                inside = [one for one in own if one[2] <= begin and one[3] >= end]
                if inside:
                    name = max(inside, key=lambda one: (one[2], one[1]))[4]
                    sums[name] = sums.get(name, 0) + end - begin
        return sums

    def events(self):
        """Begins and ends in the order of time, an end first: at, 1: begin, 1: ready, number, as one integer."""
        found = []
        for kind, intervals in enumerate((self.slices, self.ready)):
            for number, interval in enumerate(intervals):
                found.append(interval[1] << 32 | kind << 30 | number)
                found.append(interval[0] << 32 | 1 << 31 | kind << 30 | number)
        found.sort()
        return found

    def add_level(self, begin, end, n):
        """Adds to the averages of steps."""
        for i in range(begin // self.step, (end - 1) // self.step + 1):
            part = min(end, (i + 1) * self.step) - max(begin, i * self.step)
            self.active[i] += n * part
            self.few[i] += part if 0 < n <= self.n_min else 0

    def integrate(self):
        """G and C at each event; CMetric and critical time of each slice; how often how many were active."""
        n, at, g, c = 0, 0, 0.0, 0.0
        self.by_n = {}
        self.step = -(-self.length // STEPS)
        self.active = [0] * -(-self.length // self.step)
        self.few = list(self.active)
        begun = [[(0, 0)] * len(self.slices), [(0, 0)] * len(self.ready)]
        self.shares = [[(0, 0)] * len(self.slices), [(0, 0)] * len(self.ready)]
        for event in self.events():
            time, kind, number = event >> 32, event >> 30 & 1, event & (1 << 30) - 1
            if time > at:
                self.by_n[n] = self.by_n.get(n, 0) + time - at
                self.add_level(at, time, n)
                if n:
                    g += (time - at) / n
                    c += (time - at) / n if n <= self.n_min else 0
                at = time
            if event >> 31 & 1:
                n += 1
                begun[kind][number] = (g, c)
            else:
                n -= 1
                self.shares[kind][number] = (g - begun[kind][number][0], c - begun[kind][number][1])
        self.critical = sum(length for n, length in self.by_n.items() if 0 < n <= self.n_min)

    def rows_of_threads(self):
        rows = [[] for _ in self.threads]
        for begin, end, thread, cpu, place in self.slices:
            rows[thread].append((begin, end, RAN, cpu, place))
        for begin, end, thread in self.ready:
            rows[thread].append((begin, end, READY, -1, -1))
        for begin, end, thread, reason in self.waited:
            rows[thread].append((begin, end, WAITED, reason, -1))
        return [sorted(row) for row in rows]

    def rows_of_cpus(self):
        rows = [[] for _ in range(self.cpus)]
        for begin, end, thread, cpu, place in self.slices:
            rows[cpu].append((begin, end, RAN, thread, place))
        return [sorted(row) for row in rows]


def steps(run):
    """Active threads on average, and the part of each step with few of them; the last may be shorter."""
    lengths = [min(run.step, run.length - i * run.step) for i in range(len(run.active))]
    return {"step_ns": run.step, "active": [round(x / length, 4) for x, length in zip(run.active, lengths)],
            "critical": [round(x / length, 4) for x, length in zip(run.few, lengths)]}


def critical_path(run, most=20000):
    """Always on to the slice that is longest still to run; flat, as the timeline has it."""
    flat, at = [], 0
    best = None
    for begin, end, thread, _, _ in sorted(run.slices):
        if begin > at and best:
            flat += [at if at > best[0] else best[0], best[1], best[2], 0]
            at, best = best[1], None
        if end > at and (best is None or end > best[1]):
            best = (begin, end, thread)
        if len(flat) > 4 * most:
            break
    values, at = [], 0
    for i in range(0, len(flat), 4):
        values += [flat[i] - at, flat[i + 1] - flat[i], *flat[i + 2:i + 4]]
        at = flat[i + 1]
    return {"parts": values, "merged_below_ns": 0, "merged": 0, "unknown_ns": 0, "known_from_ns": 0}


def merge(row, shortest):
    """Stays narrower than shortest, with their neighbours: docs/design/page.md."""
    found, merged, group = [], 0, []

    def close():
        nonlocal merged
        if len(group) < 2:
            found.extend(group)
        else:
            merged += len(group)
            ran = sum(stay[1] - stay[0] for stay in group if stay[2] == RAN)
            kind = 5 if 2 * ran > group[-1][1] - group[0][0] else 6
            longest = max((stay for stay in group if (stay[2] == RAN) == (kind == 5)), default=group[0],
                          key=lambda stay: stay[1] - stay[0])
            found.append((group[0][0], group[-1][1], kind, longest[3] if kind == 5 else -1, longest[4]))
        group.clear()

    for stay in row:
        near = group and stay[0] - group[-1][1] < shortest
        if stay[1] - stay[0] >= shortest or not near or group[-1][1] - group[0][0] >= shortest:
            close()
        if stay[1] - stay[0] >= shortest:
            found.append(stay)
        else:
            group.append(stay)
    close()
    return found, merged


def flat(row):
    values, at = [], 0
    for begin, end, kind, who, place in row:
        values += [begin - at, end - begin, kind, who, place]
        at = end
    return values


def sections(run):
    rows = []
    for thread in (0, 1):
        values = []
        for depth in (0, 1):
            at = 0
            for _, _, begin, end, name in sorted(one for one in run.sections if one[:2] == (thread, depth)):
                values += [begin - at, end - begin, name, depth, 1, end - begin]
                at = end
        rows.append({"thread": thread, "program": run.threads[thread]["program"], "stays": values})
    return {"names": run.section_names, "threads": rows, "merged_below_ns": 0, "merged": 0, "left_out": 2,
            "marks_left_out": 0, "_current": {run.section_names[name]: ns
                                              for name, ns in run.current_sections().items()}}


def marks(run):
    """Thread 0 says what it does at the begin of each of its sections; others have no room."""
    values, at, texts = [], 0, ["begins \N{RIGHTWARDS ARROW} step", "ends"]
    for i, (_, _, begin, _, _) in enumerate(sorted(one for one in run.sections if one[:2] == (0, 0))):
        values += [begin - at, 0, i % 2]
        at = begin
    return {"texts": texts, "counts": [10, 9], "points": values, "left_out": 3}


def timeline(run, stays=150000, wakes=16384, every_slice=True):
    """The timeline of the page, merged until it has so many stays at most."""
    cpus, threads = run.rows_of_cpus(), run.rows_of_threads()
    shortest, merged = 0, 0
    rows = cpus + threads
    while sum(map(len, rows)) > stays:
        shortest = shortest * 2 or max(run.length // 100000, 1)
        both = [merge(row, shortest) for row in cpus + threads]
        rows, merged = [row for row, _ in both], sum(count for _, count in both)
    kept = sorted(sorted(run.wakes, key=lambda wake: -wake[3])[:wakes])
    flat_wakes, at = [], 0
    for time, waker, woken, _ in kept:
        flat_wakes += [time - at, -1 if waker == woken else waker, woken]
        at = time
    hole = run.length * 7 // 10
    return {
        "version": 1, "every_slice": every_slice, "length_ns": run.length, "merged_below_ns": shortest,
        "merged_stays": merged, "lost_records": 12, "lost": [[hole, hole + run.length // 100]],
        "reasons": REASONS,
        "programs": [{"name": f"prog{i}", "tgid": 101 + i} for i in range(run.programs)],
        "threads": run.threads,
        "cpus": [{"cpu": i, "node": i * 2 // run.cpus} for i in range(run.cpus)],
        "places": run.places,
        "cpu_rows": [flat(row) for row in rows[:run.cpus]],
        "thread_rows": [flat(row) for row in rows[run.cpus:]],
        "wakes": flat_wakes, "wakes_left_out": len(run.wakes) - len(kept),
        "parallelism": steps(run), "critical_path": critical_path(run), "marks": marks(run), "sections": sections(run),
    }

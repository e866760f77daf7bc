# SPDX-License-Identifier: GPL-2.0
"""The oracle itself, checked on small traces with known answers, and on reports made wrong."""

import copy
from functools import partial

from compare import TIMES, Comparison, Limits
from model import COUNTS, Report, target_of_attach, target_of_command, threshold
from parse import Delays, Exec, Switch, TraceError, check_stats, mend_states, parse_trace
from tasks import IN, Tasks

EXACT = Limits(times=0.01, totals=0.001, edge_ns=200_000)
MS = 1_000_000


class Writer:
    """Writes trace text; times are milliseconds, the numbers task ids, 0 the idle task."""

    def __init__(self, cpus=2):
        self.lines = ["# tracer: nop", "#"]
        self.running = [0] * cpus

    def event(self, ms, cpu, text):
        self.lines.append(f"  some-name-{self.running[cpu]:<5} [{cpu:03d}] d..2. "
                          f"{1 + ms / 1000:12.6f}: {text}")
        return self

    def switch(self, ms, cpu, state, to):
        self.event(ms, cpu, f"sched_switch: prev_comm=a b prev_pid={self.running[cpu]} "
                            f"prev_prio=120 prev_state={state} ==> next_comm=x ==> y "
                            f"next_pid={to} next_prio=120")
        self.running[cpu] = to
        return self

    def wake(self, ms, cpu, tid, event="sched_wakeup"):
        return self.event(ms, cpu, f"{event}: comm=pid=7 pid={tid} prio=120 target_cpu=000")

    def waking(self, ms, cpu, tid):
        return self.wake(ms, cpu, tid, "sched_waking")

    def create(self, ms, cpu, tid, comm, flags="3d0f00"):
        return self.event(ms, cpu, f"task_newtask: pid={tid} comm={comm} clone_flags={flags} "
                                   "oom_score_adj=0")

    def execute(self, ms, cpu, tid, old):
        return self.event(ms, cpu, f"sched_process_exec: filename=/a b pid={tid} old_pid={old}")

    def exit(self, ms, cpu):
        return self.event(ms, cpu, f"sched_process_exit: comm=a b pid={self.running[cpu]} prio=120")

    def tasks(self):
        return Tasks(parse_trace(self.lines))


def report_of(tasks, target, start_ms, stop_ms, rule="auto", cpus=2):
    return Report(tasks, target, partial(threshold, rule, cpus),
                  int(1e9 + start_ms * MS), int(1e9 + stop_ms * MS))


def thread_of(report, tid, nth=0):
    return [t for t in report.threads if tid in t.task.tids][nth]


def expect(what, got, wanted):
    if got != wanted:
        raise AssertionError(f"{what}: {got}, expected {wanted}")


def expect_thread(report, tid, figures_ms, counts, nth=0):
    thread = thread_of(report, tid, nth)
    got = tuple(round(thread.ns[name] / MS, 6) for name in TIMES)
    expect(f"times of {tid}", got, figures_ms)
    start, stop = report.start_ns, report.stop_ns
    expect(f"counts of {tid}", thread.timeline.possible_counts(start, stop, 0, 0)[0], counts)


def two_threads():
    """
    Process 10 with thread 11 on two CPUs from 0 to 10 ms: alone 1 to 4, with 11 running 4 to 6,
    with 11 waiting for a CPU 6 to 8, and 11 alone 8 to 9, then 11 is gone and all asleep.
    """
    return (Writer()
            .create(0, 0, 10, "main", "1200000")
            .wake(0.5, 0, 10, "sched_wakeup_new").switch(1, 0, "R", 10)
            .create(2, 0, 11, "worker")
            .wake(4, 0, 11, "sched_wakeup_new").switch(4, 1, "R", 11)
            .switch(6, 1, "R+", 0)
            .switch(8, 0, "S", 11)
            .switch(9, 0, "X", 0))


def test_shares():
    tasks = two_threads().tasks()
    report = report_of(tasks, target_of_attach(tasks, 10), 0, 10)
    expect("idle", report.idle(), 1.5 * MS)
    expect("n", report.parallelism.histogram, {0: 1.5 * MS, 1: 4.5 * MS, 2: 4 * MS})
    # 10 runs 1 to 8, of which 4 ms with n = 2; 11 shares 4 ms and is then alone for 1.
    expect_thread(report, 10, (5.0, 3.0, 0.5, 7.0, 0.5, 2.5), (1, 1, 1))
    expect_thread(report, 11, (2.0, 1.0, 1.0, 3.0, 2.0, 2.0), (2, 1, 1))
    expect("C of the run queue", report.total("runq_critical_s"), 0.5 * MS)
    # The idle stretches are 0 to 0.5, which a new thread ends, and 9 to 10, which nobody does.
    expect("waits", report.waits(lambda _: 0), ({}, {}))
    expect("left", thread_of(report, 11).left, 9 * MS)
    expect("joined", thread_of(report, 11).joined, 2 * MS)


def test_window():
    """A session in the middle: open slices at both ends."""
    tasks = two_threads().tasks()
    report = report_of(tasks, target_of_attach(tasks, 10), 3, 7)
    expect_thread(report, 10, (2.5, 1.0, 0.0, 4.0, 0.0, 0.0), (1, 0, 0))
    expect_thread(report, 11, (1.0, 0.0, 0.5, 2.0, 1.0, 1.0), (1, 1, 0))


def shifts():
    """
    Process 10 with threads 11 to 13 on four CPUs. 10 is alone; 11 joins it at 2 ms, on a CPU from
    2.5 on; 12 at 3; 11 sleeps at 4; 12 begins to exit at 6, is gone at 7; 13 runs 8 to 9 and exits;
    10 sleeps at 10; 11 is woken at 12 and sleeps at 13; 10 is woken at 14.
    """
    return (Writer(cpus=4)
            .create(0, 0, 10, "main", "0").wake(0, 0, 10).switch(0, 0, "R", 10)
            .create(1, 0, 11, "x").create(1, 0, 12, "x").create(1, 0, 13, "x")
            .wake(2, 0, 11).switch(2.5, 1, "R", 11).wake(3, 0, 12).switch(3, 2, "R", 12)
            .switch(4, 1, "S", 0).exit(6, 2).switch(7, 2, "X", 0)
            .wake(8, 0, 13).switch(8, 3, "R", 13).exit(9, 3).switch(9, 3, "X", 0)
            .switch(10, 0, "S", 0).wake(12, 1, 11).switch(12, 1, "R", 11).switch(13, 1, "S", 0)
            .wake(14, 0, 10).switch(14, 0, "R", 10))


def test_threshold():
    """
    In shifts() n is 1 at 0 to 2, 7 to 8, 9 to 10, 12 to 13 and 14 to 15; 2 at 2 to 3, 4 to 7 and 8
    to 9; 3 at 3 to 4. There are 1, from 1 ms 4, from 6 ms 3, from 9 ms 2 live threads. So half of
    them, on four CPUs, is an N_min of 2 from 1 to 6, else 1: of n = 2 only 2 to 3 and 4 to 6 count.
    """
    tasks = shifts().tasks()
    half = (6.5, 1.25, 1.0, 0.0), 0.25
    for rule, cpus, n_mins, (shares, queued) in (
            # 10: 0-2 7-8 9-10 14-15, half of 2-3 4-6; 11: 12-13, half of 2.5-3; 12: half of 4-6;
            # the run queue: half of 2-2.5
            ("auto", 4, {1, 2}, half), ("half", 1, {1, 2}, half),
            # only who is alone
            ("auto", 3, {1}, ((5.0, 1.0, 0.0, 0.0), 0.0)),
            # half of 2-3 4-7 8-9
            ("2", 1, {2}, ((7.5, 1.25, 1.5, 0.5), 0.25)),
            # and a third of 3-4
            ("3", 4, {3}, ((7.833333, 1.583333, 1.833333, 0.5), 0.25))):
        report = report_of(tasks, target_of_attach(tasks, 10), 0, 15, rule, cpus)
        expect(f"N_min of {rule}", report.parallelism.thresholds_since(report.start_ns), n_mins)
        expect(f"last N_min of {rule}", report.parallelism.thresholds_since(report.stop_ns),
               {int(rule)} if rule.isdigit() else {1})
        expect(f"critical shares of {rule}",
               tuple(round(t.ns["critical_s"] / MS, 6) for t in report.threads), shares)
        expect(f"C of the run queue of {rule}", report.total("runq_critical_s"), queued * MS)
    report = report_of(tasks, target_of_attach(tasks, 10), 5, 5.5, "half")
    expect("N_min in the middle", report.parallelism.thresholds_since(report.start_ns), {2})


def two_sleepers(second_cpu, second_ms=5.02, stop_ms=6):
    """11 sleeps at 1 ms, 10 at 2; 11 is woken at 5, and then 10: on which CPU matters."""
    tasks = (Writer()
             .create(0, 0, 10, "main", "0").wake(0, 0, 10).switch(0, 0, "R", 10)
             .create(0, 0, 11, "x").wake(0, 0, 11).switch(0, 1, "R", 11)
             .switch(1, 1, "S", 0).switch(2, 0, "S", 0)
             .wake(5, 1, 11).wake(second_ms, second_cpu, 10)).tasks()
    return report_of(tasks, target_of_attach(tasks, 10), 0, stop_ms)


def test_waits():
    exact = {(10, 11): 3 * MS}
    either = {(10, 11): 3 * MS, (10, 10): 3 * MS}
    for what, report, edge_ns, doubtful in (
            ("same CPU", two_sleepers(1), 50_000, {}),
            ("long after", two_sleepers(0), 10_000, {}),
            ("another CPU", two_sleepers(0), 50_000, either),
            ("just before the stop", two_sleepers(1, stop_ms=5.04), 50_000, exact)):
        expect(what, report.waits(lambda _, edge_ns=edge_ns: edge_ns), (exact, doubtful))


def test_never_slept():
    """A stale state at the switch-out, a wake-up of the running, and a wake-up of the waiting."""
    tasks = (Writer()
             .create(0, 0, 10, "main", "0").wake(0, 0, 10).switch(0, 0, "R", 10)
             .switch(1, 0, "S", 0).switch(2, 0, "R", 10)
             .wake(3, 0, 10).switch(4, 0, "R", 0).wake(5, 1, 10).switch(6, 0, "R", 10)
             .switch(7, 0, "D", 0).wake(8, 1, 10).switch(9, 0, "R", 10)).tasks()
    report = report_of(tasks, target_of_attach(tasks, 10), 0, 10)
    expect("never slept", report.never_slept, 1)
    expect_thread(report, 10, (5.0, 5.0, 4.0, 5.0, 4.0, 1.0), (4, 2, 1))


def race(state="S", waker=1, before=2.5, waking=(3, 10), between=()):
    """Thread 10 goes to sleep at 3.5 ms, and its waker begins before or after that."""
    writer = (Writer()
              .create(0, 0, 10, "main", "0").wake(0, 0, 10).switch(0, 0, "R", 10)
              .create(0, 1, 11, "other", "0").wake(0, 1, 11).switch(1, 1, "R", 11))
    events = [(before, lambda: writer.wake(before, waker, 12)),
              (waking[0], lambda: writer.waking(waking[0], waker, waking[1])),
              (3.5, lambda: writer.switch(3.5, 0, state, 0)),
              (4.5, lambda: writer.wake(4.5, waker, 10)),
              (5, lambda: writer.switch(5, 0, "R", 10))]
    events += [(ms, lambda ms=ms: writer.wake(ms, waker, 12)) for ms in between]
    for _, write in sorted(events, key=lambda event: event[0]):
        write()
    tasks = Tasks(mend_states(parse_trace(writer.lines))) if state == "R" else writer.tasks()
    return report_of(tasks, target_of_attach(tasks, 10), 2, 10)


def test_race():
    """A sleep that may be none if the waker may have come first; exact everywhere else."""
    stale = Limits(times=0.2, totals=0.2, edge_ns=0, stale_states=True)
    rest = Limits(times=0.2, totals=0.2, edge_ns=0)

    def verdict(report, limits, wakeups, blocks):
        json = json_of(report)
        json["threads"][0]["wakeups"] += wakeups
        json["threads"][0]["blocks"] += blocks
        comparison = Comparison(json, report, limits)
        return len(comparison.errors), comparison.races_used

    # the last one as a kernel with late states traces it
    for report in (race(), race(waking=(4, 10)), race(state="R")):
        expect("slept", verdict(report, stale, 0, 0), (0, 0))
        expect("never slept", verdict(report, stale, -1, -1), (0, 1))
        expect("a right state", verdict(report, rest, -1, -1), (1, 0))
        expect("half", verdict(report, stale, -1, 0), (1, 0))
        expect("twice", verdict(report, stale, -2, -2), (1, 0))
    for what, report in (("not for signals", race(state="D")),
                         ("the same CPU", race(waker=0)),
                         ("busy before", race(before=3.7, waking=(4, 10))),
                         ("busy since", race(between=(3.2,))),
                         ("another thread's", race(waking=(3, 12)))):
        expect(what, verdict(report, stale, -1, -1), (1, 0))


def test_late_states():
    """10 sleeps and is woken before the trace has its state; it is preempted; 11 yields, and sleeps."""
    events = parse_trace(Writer()
                         .switch(0, 0, "R", 10).switch(1, 0, "R", 0).wake(2, 1, 10)
                         .switch(3, 0, "R", 10).switch(4, 0, "R+", 0).wake(5, 1, 10)
                         .switch(6, 1, "R", 11).switch(7, 1, "R", 0).switch(8, 1, "R", 11)
                         .switch(9, 1, "I", 0).lines)
    expect("states", [event.prev_state for event in mend_states(events) if isinstance(event, Switch)],
           ["R", "S", "R", "R+", "R", "R", "R", "S"])


def test_exec_by_thread():
    """Thread 11 execs: the leader dies, 11 goes on as 10, and 11 is used again."""
    tasks = (Writer()
             .create(0, 0, 10, "main", "0").wake(0, 0, 10).switch(0, 0, "R", 10)
             .create(0, 0, 11, "worker").wake(0, 0, 11).switch(1, 1, "R", 11)
             .switch(3, 0, "Z", 0)
             .event(4, 1, "task_newtask: pid=12 comm=before clone_flags=3d0f00 oom_score_adj=0")
             )
    tasks.running[1] = 10
    tasks.switch(5, 1, "D", 0).wake(6, 0, 10).switch(6, 1, "R", 10).execute(7, 1, 10, 11)
    tasks.create(8, 1, 11, "again")
    tasks = tasks.tasks()
    report = report_of(tasks, target_of_attach(tasks, 10), 0, 10)
    expect("ids", [sorted(t.task.tids) for t in report.threads], [[10], [10, 11], [12], [11]])
    # critical is 3 to 5 and 6 to 10, when the other one is dead
    expect_thread(report, 10, (1.5, 0.0, 0.0, 3.0, 0.0, 0.0), (1, 1, 1))
    expect_thread(report, 10, (7.0, 6.0, 0.5, 8.0, 1.0, 1.0), (2, 2, 1), nth=1)
    # 5 to 6, whatever id gapp has for it
    expect("waits", report.waits(lambda _: 0), ({(10, 10): MS}, {}))
    expect("owner", report.owner(10, 11), (10, 10))


def test_family():
    """gapp-read's child that execs is the target, with its children; gapp-read is not."""
    tasks = (Writer()
             .create(0, 0, 5, "gapp-read", "0").wake(0, 0, 5).switch(0, 0, "R", 5)
             .create(0, 0, 6, "gapp-read", "3d0f00")
             .create(0, 0, 9, "helper", "0")
             .create(0, 0, 10, "gapp-read", "0").wake(0, 0, 10).switch(0, 1, "R", 10)
             .switch(0.4, 1, "S", 0).wake(0.9, 0, 10).switch(0.9, 1, "R", 10)
             .execute(1, 1, 10, 10)
             .create(2, 1, 20, "child", "4111").wake(2, 1, 20).switch(3, 1, "D", 20)
             .create(4, 1, 21, "child", "80810f00")).tasks()
    target = target_of_command(tasks, 5)
    report = report_of(tasks, target, 1, 10)
    expect("threads", [t.task.tid for t in report.threads], [10, 20, 21])
    expect("processes", [t.task.process.pid for t in report.threads], [10, 20, 20])
    expect("joined", [t.joined for t in report.threads], [0, 1 * MS, 3 * MS])
    expect("no wait from before the exec", report.waits(lambda _: 0), ({}, {}))


def json_of(report):
    """What gapp would print if it agreed to the last digit."""
    rows = []
    for thread in report.threads:
        counts = thread.timeline.possible_counts(report.start_ns, report.stop_ns, 0, 0)[0]
        row = {name: thread.ns[name] / 1e9 for name in TIMES}
        row |= dict(zip(COUNTS, counts))
        row |= {"tid": thread.task.tid, "tgid": thread.task.process.pid,
                "comm": thread.task.comm, "joined_s": thread.joined / 1e9,
                "left_s": thread.left and thread.left / 1e9}
        rows.append(row)
    wall = report.wall()
    return {"wall_s": wall / 1e9, "active_s": (wall - report.idle()) / 1e9,
            "idle_s": report.idle() / 1e9, "n_recount_ok": True, "not_followed": 0,
            "unexpected": 0, "exited": [], "lost": {"ring": 0}, "threads": rows,
            "critical_s": (report.total("critical_s") + report.total("runq_critical_s")) / 1e9,
            "unattributed_s": {"run_queue": report.total("runq_critical_s") / 1e9},
            "n_min": max(report.parallelism.thresholds_since(report.stop_ns)),
            "rows": [{"kind": "ran", "tgid": 10, "tid": 10, "critical_s": 1}]
                    + [{"kind": "waited", "tgid": pid, "tid": tid, "critical_s": ns / 1e9}
                       for (pid, tid), ns in report.waits(lambda _: 0)[0].items()],
            "parallelism_average": report.thread_time() / wall,
            "parallelism": [100 * report.parallelism.histogram.get(n, 0) / wall
                            for n in range(max(report.parallelism.histogram) + 1)]}


def doctored(json):
    """Reports with one thing wrong each, by name."""
    def change(name, edit):
        wrong = copy.deepcopy(json)
        edit(wrong)
        return name, wrong

    row = 1
    for name in TIMES:
        yield change(f"{name} + 3 %", lambda j, n=name: j["threads"][row].update(
            {n: j["threads"][row][n] * 1.03}))
    for name in COUNTS:
        for off in (-1, 1):
            yield change(f"{name} {off:+d}", lambda j, n=name, o=off: j["threads"][row].update(
                {n: j["threads"][row][n] + o}))
    yield change("another name", lambda j: j["threads"][row].update(comm="else"))
    yield change("another process", lambda j: j["threads"][row].update(tgid=1))
    yield change("left too early", lambda j: j["threads"][row].update(left_s=0.1))
    yield change("joined too late", lambda j: j["threads"][row].update(joined_s=0.5))
    yield change("a thread missing", lambda j: j["threads"].pop(row))
    yield change("a thread too many", lambda j: j["threads"].append(dict(j["threads"][row])))
    yield change("idle", lambda j: j.update(idle_s=j["idle_s"] + 0.002))
    yield change("active", lambda j: j.update(active_s=j["active_s"] * 1.002))
    yield change("parallelism", lambda j: j.update(parallelism=j["parallelism"][::-1]))
    yield change("average", lambda j: j.update(parallelism_average=1.0))
    yield change("C", lambda j: j.update(critical_s=j["critical_s"] * 1.03))
    yield change("C of the run queue", lambda j: j["unattributed_s"].update(
        run_queue=j["unattributed_s"]["run_queue"] * 1.03))
    yield change("N_min", lambda j: j.update(n_min=j["n_min"] + 1))
    yield change("wait + 3 %", lambda j: j["rows"][1].update(
        critical_s=j["rows"][1]["critical_s"] * 1.03))
    yield change("wait of another", lambda j: j["rows"][1].update(tid=13))
    yield change("no wait", lambda j: j["rows"].pop())
    yield change("lost", lambda j: j["lost"].update(ring=1))
    yield change("recount", lambda j: j.update(n_recount_ok=False))
    yield change("not followed", lambda j: j.update(not_followed=1))


def test_doctored():
    """shifts() a hundred times as slow: its report passes, no report with an error does."""
    slow = [line if line.startswith("#") else slowed(line, 100) for line in shifts().lines]
    tasks = Tasks(parse_trace(slow))
    report = report_of(tasks, target_of_attach(tasks, 10), 0, 1500, cpus=4)
    json = json_of(report)
    expect("errors of a right report", Comparison(json, report, EXACT).errors, [])
    for name, wrong in doctored(json):
        if not Comparison(wrong, report, EXACT).errors:
            raise AssertionError(f"a report with this wrong passed: {name}")


def slowed(line, factor):
    head, separator, tail = line.partition(": ")
    words = head.split(" ")
    ms = (float(words[-1]) - 1) * factor
    words[-1] = f"{1 + ms:.6f}"
    return " ".join(words) + separator + tail


def test_edges():
    """An event just before the stop may count or not."""
    tasks = two_threads().tasks()
    report = report_of(tasks, target_of_attach(tasks, 10), 0, 8.1)
    json = json_of(report)
    expect("exact", Comparison(json, report, EXACT).errors, [])
    json["threads"][0]["blocks"] -= 1
    comparison = Comparison(json, report, EXACT)
    expect("late", (comparison.errors, comparison.edges_used), ([], 1))
    report = report_of(tasks, target_of_attach(tasks, 10), 0, 8.5)
    expect("too late", len(Comparison(json, report, EXACT).errors) > 0, True)


def test_delays():
    """Of two wake-ups of the same thread the first is delayed by 0.3 ms, the second by 0.01."""
    events, after = (parse_trace(Writer().wake(ms, 0, 7).wake(ms + extra, 0, 7).lines)
                     for ms, extra in ((1, 1), (1.3, 0.71)))
    delays = Delays(events, after, 50_000)
    begin = events[0].ns
    expect("delays", delays.lengths, {begin: 300_000})
    expect("short ones", set(delays.short.values()), {10_000})
    expect("sums", (delays.total({begin}), delays.total({begin + 1})), (300_000, 0))
    expect("in the middle", delays.since(begin + 100_000), 100_000)
    expect("at the end", delays.since(begin + 300_000), 0)
    expect_trouble(lambda: Delays(after[:1], events[:1]))
    dies, died = (parse_trace(Writer().switch(0, 0, state, 7).lines) for state in "ZX")
    expect("taken meanwhile", len(Delays(dies, died, -1).lengths), 1)
    renamed = [event._replace(current=8, prev_pid=8) for event in died]
    expect("exec meanwhile", len(Delays(dies, renamed, -1).lengths), 1)
    expect_trouble(lambda: Delays(dies, [renamed[0]._replace(prev_state="S")]))
    execs = Exec(ns=MS, cpu=0, current=7, pid=7, old_pid=7)
    expect("moved meanwhile", len(Delays([execs], [execs._replace(cpu=1)], -1).lengths), 1)
    # 0.5 ms at the wake-up that ends the wait: the other may have come first, and idle time is less
    # sure. Without, both threads' waits and the idle time are wrong.
    report = two_sleepers(0, second_ms=5.4)
    delays.lengths[report.start_ns + 5 * MS] = 500_000
    json = json_of(report)
    json["rows"][1]["tid"] = 10
    json["idle_s"] += 0.0004
    expect("errors", len(Comparison(json, report, Limits(0.01, 0.001, 200_000, delays)).errors), 0)
    expect("without", len(Comparison(json, report, EXACT).errors), 3)


def test_short_delays():
    """Gapp's clock is late by 40 us whenever the thread is switched in, and the trace shows it."""
    written = Writer()
    for ms in range(0, 100, 2):
        written.wake(ms, 0, 10).switch(ms + 0.1, 0, "R", 10).switch(ms + 1, 0, "S", 0)
    tasks = written.tasks()
    report = report_of(tasks, target_of_attach(tasks, 10), 0, 100)
    thread, = report.threads
    json = json_of(report)
    late_ns = 50 * 40_000
    json["threads"][0]["runq_s"] += late_ns / 1e9
    json["threads"][0]["run_s"] -= late_ns / 1e9
    expect("without", len(Comparison(json, report, Limits(0.01, 1, 0)).errors), 4)
    switched_in = {record.ns: 40_000 for record in thread.task.records if record.kind == IN}
    delays = Delays()
    delays.short.update(switched_in)
    comparison = Comparison(json, report, Limits(0.01, 1, 0, delays))
    expect("with", comparison.errors, [])
    late = comparison.late_of(thread)
    expect("late", (late["runq_s"], late["run_s"], late["blocked_s"]), (late_ns, late_ns, 0))


def test_lost():
    """Whatever says that events are missing makes the trace unusable."""
    good = two_threads().lines
    stats = ["cpu0", "entries: 5", "overrun: 0", "commit overrun: 0", "dropped events: 0"]
    check_stats(stats)
    traces = (good + ["CPU:1 [LOST 7 EVENTS]"], good + ["CPU:1 [LOST EVENTS]"], good[:2],
              good + ["what is this"], good[:4] + good[5:])
    for lines in traces:
        expect_trouble(lambda lines=lines: Tasks(parse_trace(lines)))
    for counter in (1, 2, 3, 4):
        wrong = list(stats)
        wrong[counter] = wrong[counter].replace(": 0", ": 3")
        if wrong != stats:
            expect_trouble(lambda wrong=wrong: check_stats(wrong))


def expect_trouble(action):
    try:
        action()
    except TraceError:
        return
    raise AssertionError("a bad trace was taken for good")


TESTS = (test_shares, test_window, test_threshold, test_waits, test_never_slept, test_race,
         test_late_states, test_exec_by_thread, test_family, test_doctored, test_edges, test_delays,
         test_short_delays, test_lost)


def run(tests):
    """Prints a line for each test; True if all passed."""
    passed = True
    for test in tests:
        name = test.__name__.removeprefix("test_")
        try:
            test()
            print(f"ok - oracle selftest {name}")
        except AssertionError as error:
            passed = False
            print(f"not ok - oracle selftest {name} ({error})")
    return passed

# SPDX-License-Identifier: GPL-2.0
"""The oracle for waits, checked on a small trace with known answers, and on reports made wrong."""

import copy

from compare import Comparison
from model import target_of_attach
from parse import Stacks, parse_trace
from reasons import Calls, futex_class, reason_of
from selftest import EXACT, MS, Writer, expect, json_of, report_of
from tasks import Tasks
from waits import INTERRUPT, WaitsComparison, short_name

CALL = ["schedule", "do_syscall_64"]
READ, FUTEX, POLL, NANOSLEEP, UNLINK, MMAP = 0, 202, 7, 35, 87, 9
WAIT_FOR_THREAD, WAIT_PRIVATE, LOCK = 0x109, 0x89, 0x80


class WaitWriter(Writer):
    """Writes two traces: the second one has call paths in the kernel."""

    def __init__(self):
        super().__init__()
        self.paths = {}

    def sleep(self, ms, cpu, path, to, state="S"):
        self.switch(ms, cpu, state, to)
        self.paths[len(self.lines)] = path
        return self

    def enter(self, ms, cpu, number, *args):
        words = ", ".join(f"{word:x}" for word in (*args, *(0,) * 6)[:6])
        return self.event(ms, cpu, f"sys_enter: NR {number} ({words})")

    def leave(self, ms, cpu, number):
        return self.event(ms, cpu, f"sys_exit: NR {number} = 0")

    def interrupt(self, ms, cpu, tid):
        self.waking(ms, cpu, tid)
        self.lines[-1] = self.lines[-1].replace("d..2.", "d.h2.")
        return self.wake(ms, cpu, tid)

    def wake_up(self, ms, cpu, tid):
        return self.waking(ms, cpu, tid).wake(ms, cpu, tid)

    def second(self):
        for number, line in enumerate(self.lines, 1):
            yield line
            if number in self.paths:
                yield line.partition(": sched_switch")[0] + ": <stack trace>"
                yield from (f" => {function}" for function in self.paths[number])


def trace():
    """
    Thread 10 "main" on CPU 0, 11 "worker" on CPU 1. 10 reads a pipe from 20 ms on, is woken by 11 at 50 and runs
    at 60; is preempted by 12 from 80 to 90; waits for the end of 11 from 100 to 120; faults from 140 to
    160, and sleeps from 170 to 190, both until an interrupt; from 199 on another one has its CPU. 11 waits for a lock from 30 to 40, until an
    interrupt, too.
    """
    return (WaitWriter()
            .create(0, 0, 10, "main", "0").wake_up(0, 0, 10).switch(0, 0, "R", 10)
            .create(1, 0, 11, "worker").wake_up(1, 0, 11).switch(1, 1, "R", 11)
            .enter(15, 0, READ).sleep(20, 0, ["anon_pipe_read", *CALL], 0)
            .enter(25, 1, FUTEX, 0x1000, LOCK, 2).sleep(30, 1, CALL, 0)
            .interrupt(40, 1, 11).switch(40, 1, "R", 11).leave(41, 1, FUTEX)
            .wake_up(50, 1, 10).switch(60, 0, "R", 10).leave(61, 0, READ)
            .switch(80, 0, "R+", 12).switch(90, 0, "S", 10)
            .enter(95, 0, FUTEX, 0x2000, WAIT_FOR_THREAD, 11).sleep(100, 0, CALL, 0)
            .exit(115, 1).wake_up(120, 1, 10).switch(120, 0, "R", 10).sleep(121, 1, ["do_exit"], 0, "X")
            .leave(130, 0, FUTEX).sleep(140, 0, ["io_schedule", "asm_exc_page_fault"], 0, "D")
            .interrupt(160, 0, 10).switch(160, 0, "R", 10)
            .enter(165, 0, NANOSLEEP).sleep(170, 0, CALL, 0)
            .interrupt(190, 0, 10).switch(190, 0, "R", 10).switch(199, 0, "R+", 14))


def waiter(thread, woke, waits, seconds):
    return {"thread": None if thread == INTERRUPT else thread, "interrupt": thread == INTERRUPT,
            "woke": woke, "waits": waits, "waited_s": seconds}


def life(row, blocked, stays, longest, preempted):
    row.update(blocked_by=blocked, runq_stays=stays, runq_max_s=longest[0], runq_max_at_s=longest[1],
               unknown_s=0.0, ready_s=row["runq_s"], preempted=len(preempted), preempted_by=preempted)
    row["life_s"] = row["run_s"] + row["ready_s"] + sum(blocked.values())


def right_json(report):
    """What gapp ought to say of the trace from 10 to 200 ms."""
    json = json_of(report)
    del json["rows"]
    main, worker = json["threads"]
    life(main, {"pipe": 0.03, "join": 0.02, "fault": 0.02, "sleep": 0.02}, 5, (0.01, 0.04),
         [{"tid": 12, "comm": "x ==> y", "times": 1}])
    life(worker, {"lock": 0.01}, 1, (0, 0), [])
    json["wakers"] = [waiter("worker", "main", 2, 0.05), waiter(INTERRUPT, "main", 2, 0.04),
                      waiter(INTERRUPT, "worker", 1, 0.01)]
    json["wait_objects"] = [{"reason": reason, "waited_s": seconds} for reason, seconds in
                            (("pipe", 0.03), ("join", 0.02), ("fault", 0.02), ("sleep", 0.02), ("lock", 0.01))]
    json["overhead"] = {"posts": 0}
    return json


def compared(json, report, events, tasks, calls):
    comparison = Comparison(json, report, EXACT)
    comparison.waits = WaitsComparison(comparison, events, tasks, calls, ())
    return comparison


def prepared():
    written, stacks = trace(), Stacks()
    events = parse_trace(written.lines)
    parse_trace(written.second(), stacks)
    tasks = Tasks(events)
    report = report_of(tasks, target_of_attach(tasks, 10), 10, 200)
    return report, events, tasks, Calls(events, stacks)


def wrong_ones(json):
    """Reports with one thing wrong each, by name."""
    def change(name, edit):
        wrong = copy.deepcopy(json)
        edit(wrong)
        return name, wrong

    def swap(one, other):
        def edit(wrong):
            blocked = wrong["threads"][0]["blocked_by"]
            blocked[one], blocked[other] = blocked.get(other, 0), blocked.get(one, 0)
        return edit

    main = ("threads", 0)
    for one, other in (("pipe", "network"), ("pipe", "join"), ("join", "queue"), ("fault", "disk"),
                       ("sleep", "event")):
        yield change(f"{one} is {other}", swap(one, other))
    for key, value in (("runq_stays", 4), ("runq_max_s", 0.012), ("runq_max_at_s", 0.06), ("ready_s", 0.03),
                       ("preempted", 2), ("preempted_by", []), ("life_s", 1.0)):
        yield change(key, lambda j, k=key, v=value: j[main[0]][main[1]].update({k: v}))
    for key, value in (("tid", 13), ("comm", "another"), ("times", 2), ("tid", None)):
        yield change(f"preempter's {key}", lambda j, k=key, v=value: j["threads"][0]["preempted_by"][0].update({k: v}))
    for number in range(3):
        yield change(f"no waker {number}", lambda j, n=number: j["wakers"].pop(n))
        yield change(f"waker {number} once more", lambda j, n=number: j["wakers"][n].update(waits=3))
        yield change(f"waker {number}: time", lambda j, n=number: j["wakers"][n].update(waited_s=0.06))
        yield change(f"waker {number} is another", lambda j, n=number: j["wakers"][n].update(
            thread="kworker/0:1", interrupt=False))
    for number in range(5):
        yield change(f"object {number}", lambda j, n=number: j["wait_objects"][n].update(reason="memory"))


def test_wait_reports():
    report, *rest = prepared()
    json = right_json(report)
    right = compared(json, report, *rest)
    expect("errors of a right report", right.errors, [])
    expect("waits", (right.waits.waits, right.waits.doubtful_waits, right.waits.missing_waits), (5, 0, 0))
    for name, wrong in wrong_ones(json):
        if not compared(wrong, report, *rest).errors:
            raise AssertionError(f"a report with this wrong passed: {name}")


def test_posts():
    """One wait may be missing if there was one post, and who preempted may have no name."""
    report, *rest = prepared()
    json = right_json(report)
    json["wakers"][0].update(waits=1, waited_s=0.03)
    json["wait_objects"].pop(1)
    expect("without posts", bool(compared(json, report, *rest).errors), True)
    json["overhead"]["posts"] = 1
    expect("with one", compared(json, report, *rest).errors, [])
    json["threads"][0]["preempted_by"][0].update(tid=None, comm=None)
    expect("no name", compared(json, report, *rest).errors, [])
    json["wakers"].pop()
    expect("two missing", bool(compared(json, report, *rest).errors), True)


def test_reasons():
    zero = (0,) * 6
    for what, call, path, wanted in (
            ("pipe", (READ, zero), ["anon_pipe_read", *CALL], "pipe"),
            ("socket", (READ, zero), ["sock_read_iter", *CALL], "network"),
            ("terminal", (READ, zero), ["n_tty_read", *CALL], "other"),
            ("file", (READ, zero), ["io_schedule", "ext4_file_read_iter", *CALL], "disk"),
            ("poll of none", (POLL, zero), CALL, "sleep"),
            ("poll of one", (POLL, (1, 1, 0, 0, 0, 0)), CALL, "event"),
            ("wait4", (61, zero), CALL, "join"), ("fsync", (74, zero), CALL, "disk"),
            ("vfork", (56, (0x4000, 0, 0, 0, 0, 0)), CALL, "join"), ("fork", (56, zero), CALL, "other"),
            ("fault after a call", (READ, zero), ["handle_mm_fault", "exc_page_fault"], "fault"),
            ("fault in a call", (NANOSLEEP, zero), ["exc_page_fault", *CALL], "sleep"),
            ("mutex", (READ, zero), ["__mutex_lock.constprop.0", "__fdget_pos", *CALL], "kernel-lock"),
            ("directory", (UNLINK, zero), ["rwsem_down_write_slowpath", "do_unlinkat", *CALL], "kernel-lock"),
            ("lock of a fault", (READ, zero), ["rwsem_down_read_slowpath", "exc_page_fault"], "fault"),
            ("of the address space", (MMAP, zero), ["rwsem_down_write_slowpath", *CALL], "memory"),
            ("unknown", (334, zero), CALL, "other"), ("no call", None, ["ret_from_fork"], "other")):
        expect(what, reason_of(call, path, ()), wanted)


def test_futexes():
    for what, operation, value, wanted in (
            ("join", WAIT_FOR_THREAD, 11, "join"), ("another's id", WAIT_FOR_THREAD, 12, "futex"),
            ("private", WAIT_PRIVATE, 11, "futex"), ("mutex", LOCK, 2, "lock"), ("barrier", LOCK, 7, "futex"),
            ("with priority", 0x86, 0, "lock")):
        expect(what, futex_class((0x1000, operation, value, 0, 0, 0), {10, 11}), wanted)
    expect("worker of the kernel", short_name("kworker/0:1-events"), "kworker/0:1")
    expect("name", short_name("a-b"), "a-b")


TESTS = (test_wait_reports, test_posts, test_reasons, test_futexes)

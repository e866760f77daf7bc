# SPDX-License-Identifier: GPL-2.0
"""What threads waited for, and who preempted them: --waits, in text, JSON and later reports."""

import json
import os
import signal
import tempfile
import time

from harness import TOP, Running, Sleeper, equal, expect, has, read, reader, test

try:
    import jsonschema
except ImportError:
    jsonschema = None

MEMBERS = ("life_s ready_s unknown_s blocked_by runq_stays runq_average_s runq_max_s runq_max_at_s"
           " preempted preempted_runq_s preempted_by").split()


def run(*words, fake="", folder=None):
    return reader(*words, "--", "true", fake=f"threads=3 {fake}", cwd=folder)


def document(*words, fake=""):
    with tempfile.TemporaryDirectory() as folder:
        result = run("-o", "x.json", *words, fake=fake, folder=folder)
        equal((result.status, result.err), (0, ""))
        return json.loads(read(os.path.join(folder, "x.json")))


@test
def waits_are_in_json_if_asked_for():
    for thread in document()["threads"]:
        expect(not set(MEMBERS) & set(thread))
    for words in (("--waits",), ("--by", "thread", "-v"), ("--waits", "--level", "trace")):
        made = document(*words)
        equal(len(made["threads"]), 3)
        for thread in made["threads"]:
            equal(list(thread)[-len(MEMBERS):], MEMBERS)
            equal(list(thread["blocked_by"]), ["lock", "queue"])
            whole = (thread["run_s"] + thread["ready_s"] + thread["unknown_s"] +
                     sum(thread["blocked_by"].values()))
            expect(abs(whole - thread["life_s"]) < 5e-9)
            number = thread["tid"] - 1000
            equal((thread["runq_stays"], thread["preempted"]), (2 * number + 2, (1, 2, 4)[number]))
            equal(round(thread["runq_average_s"] * 1e9), 500)
            equal(round(thread["runq_max_s"] * 1e9), 900 * (number + 1))
            equal(round(thread["runq_max_at_s"] * 1e9), number)
            by = [(row["tid"], row["comm"], row["times"]) for row in thread["preempted_by"]]
            equal(by, ([], [(0, None, 1)], [(1, "worker-1", 2), (0, None, 1)])[number] + [(None, None, 1)])
        if jsonschema:
            schema = json.loads(read(os.path.join(TOP, "docs", "schema", "report.schema.json")))
            jsonschema.Draft202012Validator(schema).validate(made)


@test
def waits_are_in_the_text_at_length():
    for words in (("--waits", "-v"), ("--by", "thread", "-v")):
        text = run(*words).out
        has(text, "Threads' lives in ")
        has(text, "          preempted 4 times (0.2 us in the run queue): by worker-1 (1) 2, no thread 1, others 1")
        has(text, "          blocked: queue ")
        has(text, "run + run-queue + blocked = life: of 3 threads")
    expect("lives" not in run("--waits").out)
    expect("lives" not in run("-v").out)


@test
def a_life_that_does_not_add_up_is_told():
    result = run("--waits", "-v", fake="short_life=1")
    has(result.out, "run + run-queue + blocked = life: not of 1 of 3 threads")
    has(result.out, "checks fail:")
    has(result.out, "sum of threads' times")
    has(run("--waits", fake="short_life=1").out, "sum of threads' times; -v says more")


@test
def a_recording_without_them_says_how_to_get_them():
    with tempfile.TemporaryDirectory() as folder:
        equal(run(folder=folder).status, 0)
        has(reader("report", "--by", "thread", "-v", cwd=folder).out, "use --waits")
        expect("use --waits" not in reader("report", "-v", cwd=folder).out)


@test
def what_is_recorded_is_reported_later():
    with tempfile.TemporaryDirectory() as folder:
        result = run("--by", "thread", "-v", "-o", "a.json", "-o", "a.txt", fake="hostile=1", folder=folder)
        equal((result.status, result.err), (0, ""))
        again = reader("report", "--by", "thread", "-v", "-o", "b.json", "-o", "b.txt", cwd=folder)
        equal((again.status, again.err), (0, ""))
        for suffix in ("json", "txt"):
            equal(read(os.path.join(folder, "a." + suffix)), read(os.path.join(folder, "b." + suffix)))


@test
def waits_have_no_meaning_elsewhere():
    reader("report", "--waits").is_refusal(2, "--waits has no meaning with report")
    run("--waits", "--level", "stats").is_refusal(2, "--waits has no meaning with --level stats")
    expect("lives" not in run("--level", "stats", "-v").out)


@test
def an_old_module_is_refused_only_if_it_matters():
    run("--waits", fake="minor=4").is_refusal(125, "the loaded module is too old")
    equal(run("--by", "thread", "-v", fake="minor=4").status, 0)


def golden_text(name, *words):
    done = reader("report", *words, os.path.join(TOP, "tests/cli/golden-recordings", name))
    equal((done.status, done.err), (0, ""))
    return done.out


@test
def what_is_waited_for_agrees_with_why_low():
    # one thread spins for the lock once more than it sleeps for it
    text = golden_text("1.7-paths.data", "--view", "wait-objects")
    has(text, "97.6 %: other 45.7, join 39.7, spin 9.6,")
    has(text, "      59  other       hot_lock\n")
    text = golden_text("1.7-paths.data", "--view", "wakers")
    has(text, "from other hot_lock in sleep_for_lock (")
    has(text, "from spin hot_lock in spin_for_lock (")


@test
def what_waits_took_is_no_figure_where_few_say_it():
    text = golden_text("1.3-paths.data", "--view", "wait-objects")
    # those 153 waits were 1.026 s long, and their critical time is 1.113 s: not all were recorded
    has(text, "          -      153  disk        /disk/log\n")
    has(text, "          -       37  mutex       log_lock\n")


@test
def rows_by_wait_object_have_waits():
    text = golden_text("1.3-paths.data", "--by", "wait-object", "-v")
    has(text, " s in 153 waits\n")
    expect(" stretch" not in text.partition("#1  ")[2], text)


@test
def files_of_waits_are_asked_for_where_waits_are_looked_at():
    wakers, sums, paths, files, locks, spins, marks = 2, 32, 64, 256, 512, 1024, 2048
    with tempfile.TemporaryDirectory() as folder:
        for words, fake, flags in (
                ((), "", 0),
                (("--level", "trace"), "", 0),
                (("--view", "threads"), "", 0),
                (("--view", "wait-objects"), "", wakers | paths | files | locks),
                (("--by", "wait-object", "--level", "trace"), "", wakers | paths | files | locks),
                (("--level", "trace", "--view", "critical-path"), "", wakers | files | locks),
                (("--level", "trace", "-o", "x.dot"), "", wakers | files | locks),
                (("--level", "trace", "-o", "x.cores.csv"), "", 0),
                (("--level", "trace", "-o", "x.pftrace"), "", wakers),
                (("--level", "trace", "-o", "x.trace.json"), "", wakers),
                (("--waits",), "", locks),
                # modules that do not know them
                (("--view", "wakers"), "minor=9", wakers | paths | files),
                (("--view", "wakers"), "minor=8", wakers | paths),
                (("--view", "wakers"), "minor=6", wakers),
                (("--level", "trace", "--view", "graph"), "minor=4", wakers)):
            log = os.path.join(folder, "log")
            result = reader(*words, "--", "true", fake=f"threads=3 {fake}", log=log, cwd=folder)
            equal((result.status, result.err), (0, ""), words)
            asked = int(read(log).split(" flags=", 1)[1].split()[0])
            equal(asked & ~(sums | spins | marks), flags, words)
            equal(bool(asked & marks), not fake.startswith("minor="), words)
            equal(bool(asked & spins), not fake.startswith("minor="), words)
            os.unlink(log)


@test
def a_kernel_that_does_not_tell_its_locks_is_said_once():
    """A kernel before 5.19: the rest is recorded as ever."""
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        result = reader("--view", "wakers", "--", "true", fake="threads=3 no_locks=1", log=log, cwd=folder)
        equal(result.status, 0)
        equal(result.err.count("does not say which of its locks"), 1)
        calls = read(log)
        has(calls, " flags=3394 ")
        equal(calls.count("CONFIGURE"), 2)
        result = reader("--", "true", fake="threads=3 no_locks=1", cwd=folder)
        equal((result.status, result.err), (0, ""))


@test
def objects_on_the_critical_path_add_up_to_their_reasons():
    golden = os.path.join(TOP, "tests/cli/golden-recordings/1.4-holders.data")
    with tempfile.TemporaryDirectory() as folder:
        result = reader("report", golden, "-o", "x.json", cwd=folder)
        equal((result.status, result.err), (0, ""))
        made = json.loads(read(os.path.join(folder, "x.json")))
    path, sums = made["critical_path"], {}
    for row in path["by_object"]:
        of = sums.setdefault((row["reason"], row["called"]), [0, 0])
        of[0] += row["through_s"]
        of[1] += row["s"]
    equal({key: [round(value, 6) for value in of] for key, of in sums.items()},
          {(row["reason"], row["name"]): [round(row["through_s"], 6), round(row["s"], 6)] for row in path["by_reason"]})
    lock = next(row for row in made["wait_objects"] if row["name"] == "locks")
    equal(next(row for row in path["by_object"] if row["name"] == "locks")["called"], "mutex")
    expect({row["function"] for row in lock["holders"]} == {None, "worker", "insert_entry"}, lock["holders"])
    expect(sum(row["waits"] for row in lock["holders"]) <= lock["waits"], lock)
    expect(all(row["hold_critical_s"] <= row["hold_s"] for row in lock["holders"]), lock)


def handovers(made):
    return [(row["from"]["tid"], row["from"]["comm"], row["to"]["tid"], row["to"]["comm"], row["count"])
            for row in made["handovers"]]


@test
def who_hands_the_cpu_to_whom_is_in_json_if_asked_for():
    expect(not {"handovers", "handovers_total", "handovers_lost"} & set(document("--waits")))
    made = document("--view", "handover", fake="handovers_lost=4")
    # two CPUs' rows of the same threads and places are one, and thread 7 is not known any more
    equal(handovers(made), [(1000, "worker-0", 1001, "worker-1", 12), (1001, "worker-1", 7, None, 3)])
    equal((made["handovers_total"], made["handovers_lost"]), (19, 4))
    equal(sum(row["count"] for row in made["handovers"]) + made["handovers_lost"], made["handovers_total"])
    expect(abs(made["handovers"][0]["last_s"] - made["wall_s"] / 2) < 1e-8)
    equal(made["handovers"][1]["from"]["module"], None)
    expect(all("life_s" in thread for thread in made["threads"]))
    equal(len(document("--view", "handover", "--top", "1")["handovers"]), 1)
    if jsonschema:
        schema = json.loads(read(os.path.join(TOP, "docs", "schema", "report.schema.json")))
        jsonschema.Draft202012Validator(schema).validate(made)


@test
def who_hands_the_cpu_to_whom_is_a_view():
    text = run("--view", "handover", fake="handovers_lost=4").out
    has(text, "     times      %")
    has(text, "  who hands the CPU to whom\n")
    has(text, "        12   63.2 ")
    has(text, "  worker-0 (1000) in ")
    words = " ".join(text.split())
    has(words, "worker-0 (1000) in unknown+0x1000 hands the CPU to worker-1 (1001) in unknown+0x2000")
    has(words, "worker-1 (1001) in code that is not known hands the CPU to a thread (7) in unknown+0x1000")
    has(text, "4 of 19 handovers (21.1 %) are in no row: the module's tables had no room for more.")
    expect("are in no row" not in run("--view", "handover").out)
    has(run("--view", "handover", "--top", "1").out, "     1 more: --top N or -v shows them")


@test
def handovers_are_reported_later():
    with tempfile.TemporaryDirectory() as folder:
        first = run("--view", "handover", fake="handovers_lost=4", folder=folder).out
        later = reader("report", "--view", "handover", cwd=folder)
        equal((later.status, later.err), (0, ""))
        has(later.out, first[first.index("     times"):].split("\n", 4)[3])
        equal(len(json.loads(reader("report", "--format", "json", cwd=folder).out)["handovers"]), 2)
        run(folder=folder)
        has(reader("report", "--view", "handover", cwd=folder).out,
            "This recording has no handovers: record with --view handover.")


@test
def handovers_need_records_and_a_module_that_counts_them():
    run("--view", "handover", fake="minor=7").is_refusal(125, "--view handover: the loaded module is too old")
    run("--view", "handover", "--level", "stats").is_refusal(2, "--view has no meaning with --level stats")
    run("--view", "handover", fake="HANDOVERS=5").is_refusal(125, "")


@test
def handovers_of_a_recording_name_the_programs_code():
    golden = os.path.join(TOP, "tests/cli/golden-recordings/1.5-handovers.data")
    made = json.loads(reader("report", "--format", "json", golden).out)
    equal(sum(row["count"] for row in made["handovers"]) + made["handovers_lost"], made["handovers_total"])
    own = {row[end]["own"]["function"] for row in made["handovers"] for end in ("from", "to")
           if row[end]["own"] and row[end]["comm"] in ("asker", "answerer")}
    expect({"asks", "answers"} <= own, own)
    has(reader("report", "--view", "handover", golden).out, " in asks (handover.c:")


SPIN_VIEW = ("--view", "wait-objects")
WATCHED = "with pid=1000 address=0x5000 goes_on=0 bytes=4 number=0"


def spin(*words, how=1, fake="", folder=None):
    """Records until the module was asked to watch. Returns the result and the calls."""
    with Sleeper() as sleeper, Running(*words, "-p", sleeper.pid, fake=f"spin={how} " + fake, cwd=folder) as running:
        running.wait_for_call("WATCH")
        running.signal(signal.SIGINT)
        return running.end(), running.calls()


def objects_in(text):
    """What a report says of wait objects, each line without its breaks."""
    return " ".join(text[text.index("wait object\n"):].split())


@test
def who_ends_busy_waits_is_seen_while_their_word_is_watched():
    with tempfile.TemporaryDirectory() as folder:
        result, calls = spin(*SPIN_VIEW, "-o", "x.json", folder=folder)
        equal((result.status, result.err), (0, ""))
        has(calls, WATCHED)
        # of three waits two ended meanwhile, one of them with no thread active; nobody is named for the other
        has(objects_in(result.out), " waited for in unknown+0x1000; ended by unknown+0x2000 of giver (seen of 67 %) ")
        expect("not known" not in result.out, result.out)
        made = json.loads(read(os.path.join(folder, "x.json")))
        busy = next(row for row in made["wait_objects"] if row["reason"] == "spin")
        equal(busy["waits"], 3)
        equal(sorted((row["thread"] or "", row["waits"]) for row in busy["enders"]), [("", 1), ("giver", 2)])
        again = reader("report", *SPIN_VIEW, cwd=folder)
        equal((again.status, again.err), (0, ""))
        has(objects_in(again.out), "; ended by unknown+0x2000 of giver (seen of 67 %) ")


@test
def whether_who_ended_busy_waits_had_a_cpu_is_known_with_every_wait():
    with tempfile.TemporaryDirectory() as folder:
        for level, wanted in (("critical", None), ("trace", 0.0004996)):
            result, _ = spin(*SPIN_VIEW, "--level", level, "-o", "x.json", "-o", "x.data", how=2, folder=folder)
            equal((result.status, result.err), (0, ""))
            recorded = json.loads(read(os.path.join(folder, "x.json")))["wait_objects"]
            read_again = json.loads(reader("report", "--format", "json", "x.data", cwd=folder).out)["wait_objects"]
            for rows in recorded, read_again:
                busy = next(row for row in rows if row["reason"] == "spin")
                if wanted is None:
                    equal(busy["spins"], None)
                    continue
                equal((busy["spins"]["count"], busy["spins"]["in_vain"]), (2, 0))
                equal(busy["spins"]["ender_without_cpu_s"], wanted)
                expect(0 < busy["spins"]["end_seen_s"] < busy["spins"]["spun_s"], busy)


@test
def who_ended_busy_waits_is_in_records_that_are_kept():
    with tempfile.TemporaryDirectory() as folder:
        result, _ = spin(*SPIN_VIEW, "--records", folder=folder)
        equal((result.status, result.err), (0, ""))
        printed = reader("script", "gapp.data", cwd=folder)
        equal((printed.status, printed.err), (0, ""))
        wakes = [line.split(" - ", 1)[1] for line in printed.out.splitlines() if " wake " in line]
        equal(wakes, ["1001/1000 wake target=0 n=1 flags=-", "0/1000 wake target=0 n=1 flags=-",
                      # as of a thread that slept
                      "1001/1000 wake target=0 n=1 flags=waker waker=1002/1000 waker_cpu=0"])
        wait = next(line for line in printed.out.splitlines() if " alone 1003/1000 wait " in line)
        has(wait, " flags=waker ")
        has(wait, " waker=1002/1000 waker_cpu=0 ")


@test
def a_machine_that_does_not_tell_who_stores_is_said_once():
    # EOPNOTSUPP, and ENOSPC
    for errno, words in (95, "this machine does not tell who stores into a word"), (28, "a debugger"):
        with tempfile.TemporaryDirectory() as folder:
            result, _ = spin(*SPIN_VIEW, fake=f"WATCH={errno}", folder=folder)
            equal(result.status, 0)
            equal((result.err.count("\n"), result.err.count("gapp: ")), (1, 1), result.err)
            has(result.err, words)
            has(objects_in(result.out), " spin ")
            has(objects_in(result.out), " waited for in unknown+0x1000; ended by not known ")
            expect("seen of" not in result.out, result.out)


@test
def who_may_not_watch_is_not_told_of_it():
    # EPERM; EBUSY: another session watches
    for errno in 1, 16:
        with tempfile.TemporaryDirectory() as folder:
            result, _ = spin(*SPIN_VIEW, fake=f"WATCH={errno}", folder=folder)
            equal((result.status, result.err), (0, ""))
            has(objects_in(result.out), "; ended by not known ")


@test
def without_waits_asked_for_nothing_is_watched():
    for words, fake in (((), ""), (("--by", "thread"), ""), (("--spin", "off", *SPIN_VIEW), ""),
                        # a module that cannot
                        (SPIN_VIEW, "minor=12")):
        with tempfile.TemporaryDirectory() as folder, Sleeper() as sleeper, \
                Running(*words, "-p", sleeper.pid, fake="spin=1 " + fake, cwd=folder) as running:
            running.wait_for_call("START")
            # records are taken after 100 ms
            time.sleep(0.4)
            running.signal(signal.SIGINT)
            result = running.end()
            equal((result.status, result.err), (0, ""), words)
            expect("WATCH" not in running.calls(), words)

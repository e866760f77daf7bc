# SPDX-License-Identifier: GPL-2.0
"""The reports, of sessions that fake_node.c makes up."""

import copy
import json
import os
import re
import subprocess
import tempfile

from harness import (
    BUILT, READER, Running, Skip, Sleeper, TOP, as_json, environment, equal, expect, has,
    is_sentence, read, reader, test,
)

try:
    import jsonschema
except ImportError:
    jsonschema = None

SHAPES = (
    "",
    "threads=0",
    "threads=1",
    "threads=40 exited=3",
    "threads=30 exited=2 hostile=1",
    "threads=5 lost=1 differ=2 not_followed=12 unexpected=3",
    "threads=20 off=9",
)


def validator():
    if not jsonschema:
        raise Skip("no python3-jsonschema")
    schema = json.loads(read(os.path.join(TOP, "docs", "schema", "report.schema.json")))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def json_of(fake, *words):
    result = as_json(*(words or ("--", "sleep", "0.05")), fake=fake)
    equal((result.status, result.err), (0, ""))
    return json.loads(result.json)


@test
def json_is_as_its_schema_says():
    check = validator()
    for fake in SHAPES:
        check.validate(json_of(fake))
    with Sleeper() as sleeper:
        report = json_of("", "-p", sleeper.pid, "-d", "0.05")
        check.validate(report)
        expect(report["command"] is None)


@test
def json_of_a_ranking_is_as_its_schema_says():
    check = validator()
    made = {what: json.loads(subprocess.run([os.path.join(BUILT, "made-report"), what],
                                            capture_output=True, check=True).stdout)
            for what in ("json", "targets")}
    for report in made.values():
        check.validate(report)
    report = dict(made["json"], targets=made["targets"]["targets"])
    for spoil in (
        lambda r: r.pop("critical_s"),
        lambda r: r.pop("lost"),
        lambda r: r.pop("reader"),
        lambda r: r["lost"].update(more=1),
        lambda r: r["unattributed_s"].pop("table_full"),
        lambda r: r.update(call_graph="dwarf"),
        lambda r: r.pop("cut_percent"),
        lambda r: r["cut_percent"].update(more=1),
        lambda r: r["complete_by_percent"].pop("copy"),
        lambda r: r["tables"].pop("mapping_requests"),
        lambda r: r["verify"].pop("equal"),
        lambda r: r["verify"]["cases"][0]["frames"][0].pop("module"),
        lambda r: r["paths"][0].pop("kind"),
        lambda r: r["paths"][0].update(kind="slept"),
        lambda r: r["paths"][0].update(more=1),
        lambda r: r["paths"][0]["frames"][0].pop("module"),
        lambda r: r["paths"][0]["lines"][0].update(samples="1"),
        lambda r: r["functions"][0].pop("percent"),
        lambda r: r["targets"][0].pop("n_min"),
    ):
        spoiled = copy.deepcopy(report)
        spoil(spoiled)
        expect(not check.is_valid(spoiled), "valid:", spoiled)


@test
def schema_knows_each_wait_reason():
    names = re.findall(r"\[GAPP_WAIT_\w+\] = \"([^\"]+)\"", read(os.path.join(TOP, "user", "profile", "names.c")))
    schema = read(os.path.join(TOP, "docs", "schema", "report.schema.json"))
    lists = [re.findall(r"\"([^\"]+)\"", words) for words in re.findall(r"\"enum\": \[([^]]*\"lock\"[^]]*)\]", schema)]
    expect(len(names) > 15 and len(lists) == 2)
    for one in lists:
        equal(one, names)


@test
def schema_refuses_what_is_not_a_report():
    check = validator()
    report = json_of("exited=1")
    for spoil in (
        lambda r: r.pop("wall_s"),
        lambda r: r["threads"][0].pop("tid"),
        lambda r: r["threads"][0].update(more=1),
        lambda r: r["exited"][0].update(tid=1),
        lambda r: r["recount"].update(more=1),
        lambda r: r.update(wall_s="1"),
        lambda r: r.update(n_recount_ok=1),
        lambda r: r["threads"][0].update(cmetric_s=None),
    ):
        spoiled = copy.deepcopy(report)
        spoil(spoiled)
        expect(not check.is_valid(spoiled), "valid:", spoiled)
    report["more"] = 1
    check.validate(report)


@test
def json_adds_up():
    for fake in ("", "threads=1", "threads=40 exited=3", "threads=100 lost=1"):
        report = json_of(fake)
        rows = report["threads"] + report["exited"]
        shares = sum(row["cmetric_s"] + row["runq_share_s"] for row in rows)
        accounted = 100 * (shares + report["idle_s"]) / report["wall_s"]
        expect(abs(accounted - report["accounted_percent"]) < 0.001, accounted, report)
        expect((abs(accounted - 100) < 0.001) == ("lost" not in fake), fake, accounted)
        expect(abs(report["active_s"] + report["idle_s"] - report["wall_s"]) < 1e-8)
        expect(abs(sum(report["parallelism"]) - 100) < 1e-4, report["parallelism"])
        equal(len(report["parallelism"]), 3)
        expect(abs(report["parallelism_average"] - 1) < 1e-4, report["parallelism_average"])
        wall = (report["stop_ns"] - report["start_ns"]) / 1e9
        expect(abs(wall - report["wall_s"]) < 1e-8)
        order = [thread["cmetric_s"] for thread in report["threads"]]
        equal(order, sorted(order, reverse=True))


@test
def json_compares_with_the_kernel():
    expect(abs(json_of("threads=20 off=9")["kernel_agrees_percent"] - 91) < 0.01)
    equal(json_of("threads=20")["kernel_agrees_percent"], 100)
    equal(json_of("threads=0")["kernel_agrees_percent"], None)
    equal(json_of("threads=20 off=250")["kernel_agrees_percent"], 0)
    rows = json_of("threads=20")["threads"]
    equal({row["kernel_run_s"] is None for row in rows if (row["tid"] - 1000) % 5 == 4}, {True})
    equal({row["kernel_run_s"] is None for row in rows if (row["tid"] - 1000) % 5 != 4}, {False})


@test
def json_tells_of_the_recount():
    report = json_of("differ=2 not_followed=12 unexpected=3")
    equal(report["n_recount_ok"], False)
    equal(report["recount"],
          {"n": 1, "tracked_n": 1, "threads": 3, "tracked_threads": 3, "differ": 2})
    equal((report["not_followed"], report["unexpected"]), (12, 3))
    equal(json_of("")["n_recount_ok"], True)


@test
def json_has_each_thread_once():
    for threads in (0, 1, 63, 64, 65, 4095, 4096, 4097, 20000):
        report = json_of("threads=%d" % threads)
        tids = sorted(row["tid"] for row in report["threads"])
        equal(tids, list(range(1000, 1000 + threads)), threads)


@test
def json_of_hostile_names():
    report = json_of("threads=8 hostile=1", "--", "true", "", b"\xff\x1b\"\\")
    equal(report["command"], ["true", "", "\ufffd\x1b\"\\"])
    names = {row["comm"] for row in report["threads"]}
    expect({"a\x1b[31mred", "\ufffd\ufffd", "caf\u00e9", "\x9b2J", "\"q\\uote"} <= names, names)
    raw = as_json("--", "true", fake="threads=8 hostile=1").json
    expect(not [c for c in raw if c not in "\n\t" and (c < " " or "\x7f" <= c < "\xa0")])


@test
def text_is_no_wider_than_a_terminal():
    with Sleeper() as sleeper:
        for fake in SHAPES:
            for words in ((), ("-v",)):
                result = reader("-p", sleeper.pid, "-d", "0.05", *words, fake=fake)
                equal((result.status, result.err), (0, ""))
                for line in result.out.splitlines():
                    expect(len(line) <= 100, len(line), line)
                expect("\033" not in result.out and "\x9b" not in result.out)


@test
def text_warns_first():
    fake = "not_followed=12 denied=2 late=3 unexpected=3 differ=1"
    lines = reader("--level", "stats", "--", "true", fake=fake).out.splitlines()
    equal(lines[:3], ["Warning: 2 threads with other rights (set-id) not followed: use sudo",
                      "Warning: 7 threads not followed: use --max-threads",
                      "Warning: 3 threads not followed for lack of memory: free some, or use --delay"])
    has(lines[3], "3 impossible state changes")
    has(lines[4], "do not pass every check")
    expect(lines[5].startswith("For "), lines[5])
    expect(reader("--level", "stats", "--", "true").out.startswith("For "))


@test
def text_with_a_ranking_warns_after_its_sentence():
    fake = "not_followed=12 unexpected=3 differ=1"
    lines = reader("--", "true", fake=fake).out.splitlines()
    has(lines[0], "12 threads not followed")
    expect(is_sentence(lines[1]), lines[1])
    warnings = lines[2:lines.index("")] if "" in lines else lines[2:8]
    has(" ".join(warnings), "checks fail: 3 impossible state changes (missed events), recount; -v says more")
    expect(is_sentence(reader("--", "true").out))


@test
def text_of_a_recording_of_nothing():
    result = reader("--", "true", fake="threads=0")
    equal((result.status, result.err), (0, ""))
    expect(result.out.startswith("Nothing was recorded: the target ended"), result.out)
    for words in ((), ("--level", "stats")):
        out = reader(*words, "--", "true", fake="threads=0 not_followed=1 denied=1").out
        has(" ".join(out.split()), "Nothing was recorded: you may not follow the program, which "
            "runs with other rights than yours (set-id): run gapp-read with sudo.")
        expect("Warning" not in out, out)


@test
def program_that_nobody_executed():
    words = ("-x", "/bin/sh", "-d", "0.05")
    told = "no process executed /bin/sh while it was recorded: is it a script?"
    for more in ((), ("--level", "stats")):
        result = reader(*words, *more, fake="threads=0")
        equal((result.status, result.err), (0, ""))
        has(" ".join(result.out.split()), told)
    result = reader(*words, "--format", "json", fake="threads=0")
    equal((result.status, json.loads(result.out)["threads_total"]), (0, 0))
    has(result.err, told)
    result = reader("script", *words, fake="threads=0")
    equal((result.status, result.out), (0, ""))
    has(result.err, told)


@test
def selection_that_nobody_belonged_to():
    words = ("--comm", "no*such", "-d", "0.05")
    told = "no process that --comm or --cgroup names was there, or executed a program"
    result = reader(*words, fake="threads=0")
    equal((result.status, result.err), (0, ""))
    has(" ".join(result.out.split()), "Nothing was recorded: " + told)
    has(result.out, "Processes    called no*such\n")
    result = reader("--cgroup", "/", *words, "--format", "json", fake="threads=0")
    equal(result.status, 0)
    has(result.err, told)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.data")
        result = reader("--cgroup", "/", "--comm", "no*", "-d", "0.05", "-o", path)
        has(result.out, "processes called no* of control group /: ")
        equal(reader("report", path).out, result.out)


@test
def text_without_utf8():
    env = environment("threads=8 hostile=1", LC_ALL="C")
    result = reader("--level", "stats", "--", "true", env=env)
    result.is_report()
    has(result.out, r"caf\xc3\xa9")
    expect(result.out.isascii())


@test
def reader_of_the_report_may_leave():
    env = environment("threads=20000")
    command = [READER, "-v", "--", "sh", "-c", "exit 3"]
    with subprocess.Popen(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.read(1)
        process.stdout.close()
        err = process.stderr.read()
        equal((process.wait(), err), (3, b""))


@test
def report_that_cannot_be_written():
    for words in ((), ("-v",)):
        for script in ('"$@" >/dev/full', '"$@" >&-'):
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run(
                    ["sh", "-c", script, "sh", READER, *words, "--", "sh", "-c", "exit 3"],
                    env=environment("threads=3000"), cwd=folder, capture_output=True, check=False,
                )
                equal(done.returncode, 125, script)
                has(done.stderr, b"gapp: cannot write the report: ")
                again = reader("report", cwd=folder)
                equal((again.status, again.err), (0, ""), "the recording is kept")


@test
def closed_standard_files_are_not_taken_for_the_device():
    with Running("--", "sh", "-c", "exit 3", preexec_fn=lambda: os.closerange(0, 3)) as running:
        equal(running.process.wait(), 125)


@test
def memory_is_its_own_and_not_that_of_who_started_it():
    size = 600 << 20
    large = bytearray(size)
    large[::4096] = b"x" * (size // 4096)
    with tempfile.TemporaryDirectory() as folder:
        result = reader("-o", "x.json", "--", "true", cwd=folder)
        equal((result.status, result.err), (0, ""))
        kib = json.loads(read(os.path.join(folder, "x.json")))["reader"]["rss_kib"]
    expect(1000 < kib < len(large) >> 10, f"{kib} KiB")

# SPDX-License-Identifier: GPL-2.0
"""Which busy-wait loops were timed exactly: --spin exact, in reports and recordings."""

import json
import os
import signal
import tempfile
import time

from harness import Running, Sleeper, equal, expect, has, read, reader, test, until

EXACT = ("--spin", "exact")
GIVEN_UP = ", given up: more than 20000 passes a second"


def exact(*words, how=3, fake="", folder=None, times=2):
    """Records until the module was asked so often to time a loop. Returns the result and the calls."""
    with Sleeper() as sleeper, Running(*words, "-p", sleeper.pid, fake=f"spin={how} " + fake, cwd=folder) as running:
        until(lambda: running.calls().count("EXACT ") >= times, "EXACT")
        running.signal(signal.SIGINT)
        return running.end(), running.calls()


def line_of(text):
    """What a report says behind "Exact", without its breaks."""
    lines = text[text.index("\nExact "):].splitlines()[1:]
    more = [line for line in lines[1:] if line.startswith(" " * 13)]
    return " ".join(" ".join(lines[:1] + more[:len(lines)]).split())


def loops_in(made):
    return [(row["module"], row["offset"], row["tgid"], row["given_up"]) for row in made["exact_loops"]]


@test
def loops_that_were_timed_exactly_are_in_the_report_and_in_its_recording():
    with tempfile.TemporaryDirectory() as folder:
        result, calls = exact(*EXACT, "-o", "x.json", "-o", "x.data", folder=folder)
        equal((result.status, result.err), (0, ""))
        has(calls, "at pid=1000 address=0x1000 passes=2000")
        made = json.loads(read(os.path.join(folder, "x.json")))
        again = json.loads(reader("report", "--format", "json", "x.data", cwd=folder).out)
        for report in made, again:
            equal(loops_in(report), [("[unknown]", 0x1000, 1000, True)])
            equal((report["exact_loops_total"], report["exact_passes_per_s"]), (1, 20000))
            expect(0 < report["exact_loops"][0]["timed_s"] < report["wall_s"] + 1, report["exact_loops"])
        equal(made["exact_loops"], again["exact_loops"])
        has(line_of(result.out), "Exact 1 busy-wait loop timed by breakpoints: unknown+0x1000 for ")
        has(line_of(result.out), GIVEN_UP)
        equal(line_of(reader("report", "x.data", cwd=folder).out), line_of(result.out))


@test
def a_report_says_that_no_loop_was_timed_exactly():
    with tempfile.TemporaryDirectory() as folder:
        # ENOENT: the module does not know all exits
        result, _ = exact(*EXACT, "-o", "x.json", fake="EXACT=2", folder=folder, times=1)
        equal((result.status, result.err), (0, ""))
        has(line_of(result.out), "Exact no busy-wait loop was timed exactly: samples found threads in none often enough, "
                                 "or not all of its exits are known")
        equal(json.loads(read(os.path.join(folder, "x.json")))["exact_loops"], [])


@test
def who_may_not_time_loops_has_a_report_without_them():
    with tempfile.TemporaryDirectory() as folder:
        result, _ = exact(*EXACT, "-o", "x.json", fake="EXACT=1", folder=folder, times=1)
        equal(result.status, 0)
        has(result.err, "gapp: --spin exact: it takes CAP_PERFMON: samples find out ")
        expect("\nExact " not in result.out, result.out)
        expect("exact_loops" not in json.loads(read(os.path.join(folder, "x.json"))))


@test
def without_the_option_no_loop_is_timed_exactly():
    with tempfile.TemporaryDirectory() as folder, Sleeper() as sleeper, \
            Running("-o", "x.json", "-p", sleeper.pid, fake="spin=3", cwd=folder) as running:
        running.wait_for_call("START")
        # records are taken after 100 ms
        time.sleep(0.4)
        running.signal(signal.SIGINT)
        result = running.end()
        equal((result.status, result.err), (0, ""))
        expect("EXACT" not in running.calls(), running.calls())
        expect("\nExact " not in result.out, result.out)


@test
def where_records_are_printed_the_loops_are_told_at_the_end():
    with tempfile.TemporaryDirectory() as folder:
        result, _ = exact("script", *EXACT, folder=folder)
        equal(result.status, 0)
        has(result.err, "gapp: --spin exact: 1 busy-wait loop was timed exactly\n")
        has(result.err, "gapp: --spin exact: 1 of them was passed too often for that: ")
        quiet, _ = exact("script", "-q", *EXACT, folder=folder)
        equal((quiet.status, quiet.err), (0, ""))

# SPDX-License-Identifier: GPL-2.0
"""What the module is told of unwind tables and mappings, over whole recordings."""

import errno
import os
import re
import subprocess
import sys
import tempfile

from harness import Running, Skip, Sleeper, equal, expect, has, read, reader, test, until


def maps_of(calls, pid):
    """What was told of a process, in that order: mappings, and those of them with a table."""
    return [(int(count), int(tables)) for count, tables in
            re.findall(r"^maps pid=%s count=(\d+) tables=(\d+)$" % pid, calls, re.M)]


def last_maps(calls, pid):
    told = maps_of(calls, pid)
    expect(told, "nothing was told of", pid, "in", calls)
    return told[-1]


def need_sideband():
    with Sleeper() as sleeper:
        err = reader("-p", sleeper.pid, "-d", "0.01", "-v").err
    if "mappings are read from /proc alone" in err:
        raise Skip("no side-band: " + err.strip())


@test
def attaching_teaches_before_the_start():
    with Sleeper() as sleeper:
        with Running("-p", sleeper.pid) as running:
            # what comes next finds them in the cache, and need not make them in time
            until(lambda: re.search(r"^maps .* count=(\d+) tables=\1$", running.calls(), re.M),
                  "all tables")
        with Running("-p", sleeper.pid, "-d", "0.05") as running:
            running.end().is_report()
            calls = running.calls()
        count, tables = last_maps(calls[: calls.index("START")], sleeper.pid)
        expect(count >= 3, count)
        # the C library, the loader, the program and the vdso all have call frame information
        equal(tables, count)
        equal(len(re.findall(r"^table number=\d+ bytes=\d+$", calls, re.M)), tables)
        has(calls, "with calls=1 ")


@test
def attaching_teaches_children_too():
    script = "sleep 1000 & echo $!; wait"
    with subprocess.Popen(["bash", "-c", script], stdout=subprocess.PIPE, text=True) as process:
        child = process.stdout.readline().strip()
        try:
            with Running("-p", str(process.pid), "-d", "0.05") as running:
                running.end().is_report()
                calls = running.calls()
                before = calls[: calls.index("START")]
                last_maps(before, str(process.pid))
                last_maps(before, child)
            with Running("-p", str(process.pid), "-d", "0.05", "--no-inherit") as running:
                running.end().is_report()
                last_maps(running.calls(), str(process.pid))
                equal(maps_of(running.calls(), child), [])
        finally:
            subprocess.run(["kill", child], check=False)
            process.kill()


@test
def tables_are_made_for_walks_by_tables_only():
    with Sleeper() as sleeper:
        for words in (("--call-graph", "fp"), ("--call-graph", "none"), ("--call-graph", "copy"),
                      ("--level", "stats")):
            with Running("-p", sleeper.pid, "-d", "0.05", *words) as running:
                running.end().is_report()
                expect("SET_MAPS" not in running.calls(), words, running.calls())
                expect("LOAD_TABLE" not in running.calls(), words)


@test
def a_module_without_room_is_no_failure():
    with Sleeper() as sleeper:
        with Running("-p", sleeper.pid, "-d", "0.05", "-v",
                     fake="LOAD_TABLE=%d" % errno.ENOSPC) as running:
            result = running.end()
            equal(result.status, 0, result.err)
            equal(result.err.count("does not take the unwind table"), 1, result.err)
            has(result.err, "too many tables")
            count, tables = last_maps(running.calls(), sleeper.pid)
            expect(count >= 1, count)
            equal(tables, 0)


@test
def a_module_that_takes_no_mappings_is_no_failure():
    with Sleeper() as sleeper:
        with Running("-p", sleeper.pid, "-d", "0.05",
                     fake="SET_MAPS=%d" % errno.ENOTTY) as running:
            result = running.end()
            equal(result.status, 0, result.err)
            equal(result.err.count("takes no unwind tables"), 1, result.err)
            equal(running.calls().count("SET_MAPS"), 1)


@test
def a_command_has_its_tables_before_its_exec():
    with Sleeper() as sleeper, Running("-p", sleeper.pid) as running:
        # what comes next finds them in the cache, and need not make them in time
        until(lambda: re.search(r"^maps .* count=(\d+) tables=\1$", running.calls(), re.M),
              "all tables")
    for delay in ([], ["--delay", "0.2"]):
        with Running(*delay, "--", "sleep", "1000") as running:
            running.wait_for_call("START")
            pid = re.search(r"^with pid=(\d+) ", running.calls(), re.M).group(1)
            until(lambda: maps_of(running.calls(), pid), "its mappings")
            before, _, after = running.calls().partition("maps pid=" + pid)
            # the program, ld.so, libc, the vdso: no library of ours
            equal(len(re.findall(r"^table ", before, re.M)), 4, before)
            expect("table " not in after, after)
            for count, tables in maps_of(running.calls(), pid):
                equal(tables, count)
            if not delay:
                equal(maps_of(running.calls().partition("START")[0], pid), [])


LOADS = """
import ctypes, sys
print("ready", flush=True)
sys.stdin.readline()
ctypes.CDLL("libresolv.so.2")
print("loaded", flush=True)
sys.stdin.readline()
"""


@test
def a_library_that_is_loaded_is_taught():
    need_sideband()
    with subprocess.Popen([sys.executable, "-c", LOADS], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        with Running("-p", str(process.pid)) as running:
            running.wait_for_call("START")
            pid = str(process.pid)
            before = maps_of(running.calls(), pid)
            process.stdin.write(b"\n")
            process.stdin.flush()
            process.stdout.readline()
            until(lambda: maps_of(running.calls(), pid)[-1][1] > before[-1][1], "the library")
            process.stdin.close()
            running.end().is_report()


@test
def what_the_module_asks_for_is_taught():
    with Sleeper() as sleeper:
        with Running("-a", "-d", "1000", fake="needmap=" + sleeper.pid) as running:
            running.wait_for_call("maps pid=%s " % sleeper.pid)
            until(lambda: last_maps(running.calls(), sleeper.pid)[1] >= 3, "its tables")
            calls = running.calls()
            equal(maps_of(calls[: calls.index("START")], sleeper.pid), [])

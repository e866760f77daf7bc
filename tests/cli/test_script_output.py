# SPDX-License-Identifier: GPL-2.0
"""Where the lines of `gapp-read script` go, and when that is no more."""

import os
import subprocess

from harness import PATIENCE, READER, Running, Sleeper, end_group, environment, equal, has, reader, test


@test
def script_prints_every_record():
    with Sleeper() as sleeper:
        result = reader("script", "-p", sleeper.pid, "-d", "0.3", fake="records=300")
    equal((result.status, result.err), (0, ""))
    equal(result.out.count(" wake "), 300)
    equal(result.out.count("\n"), 300)


@test
def script_prints_while_it_records():
    with Sleeper() as sleeper, Running("script", "-p", sleeper.pid, fake="records=3") as running:
        has(running.process.stdout.readline().decode(), " wake ")
        equal(running.process.poll(), None)
        sleeper.end()
        equal(running.end().status, 0)


def script_to(stdout, target, records):
    """Ends by itself, though its target does not."""
    with subprocess.Popen(
        [READER, "script", *target], env=environment("records=%d" % records),
        stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE, start_new_session=True,
    ) as process:
        os.close(stdout)
        try:
            _, err = process.communicate(timeout=PATIENCE)
        finally:
            end_group(process)
    return process.returncode, err.decode()


@test
def script_ends_when_nobody_reads_it():
    with Sleeper() as sleeper:
        # even while there is nothing to write
        for records in (20000, 1, 0):
            source, sink = os.pipe()
            os.close(source)
            equal(script_to(sink, ("-p", sleeper.pid), records), (0, ""), records)
    source, sink = os.pipe()
    os.close(source)
    equal(script_to(sink, ("--", "sh", "-c", "sleep 0.3; exit 7"), 9), (7, ""))


@test
def script_on_a_full_disk_ends_at_once():
    with Sleeper() as sleeper:
        for records in (20000, 1):
            sink = os.open("/dev/full", os.O_WRONLY)
            status, err = script_to(sink, ("-p", sleeper.pid), records)
            equal((status, err), (125, "gapp: cannot write the records: No space left on device\n"))

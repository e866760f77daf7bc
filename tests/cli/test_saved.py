# SPDX-License-Identifier: GPL-2.0
"""The recording that is kept, and what is made of it later."""

import json
import os
import resource
import shutil
import signal
import stat
import subprocess
import tempfile

from harness import READER, Running, Skip, Sleeper, environment, equal, expect, has, read, reader, test, until


def recorded(folder, *words, fake=""):
    """Records in a folder; the result and the names of the files there."""
    result = reader(*words, "--", "true", fake=fake, cwd=folder)
    return result, sorted(os.listdir(folder))


@test
def every_recording_is_kept():
    with tempfile.TemporaryDirectory() as folder:
        for expected in (["gapp.data"], ["gapp.data", "gapp.data.old"], ["gapp.data", "gapp.data.old"]):
            result, there = recorded(folder)
            equal((result.status, result.err, there), (0, "", expected))
        for name in there:
            equal(stat.S_IMODE(os.stat(os.path.join(folder, name)).st_mode), 0o600)


@test
def recordings_can_have_other_names_or_none():
    with tempfile.TemporaryDirectory() as folder:
        equal(recorded(folder, "--no-save")[1], [])
        equal(recorded(folder, "-o", "x.data", "-o", "x.json")[1], ["x.data", "x.json"])
        equal(recorded(folder, "--level", "stats", "-o", "y.data")[1], ["x.data", "x.json", "y.data"])
    for words, part in (
        (("-o", "x.data", "--no-save"), "exclude each other"),
        (("-o", "x.data", "-o", "y.data"), "can be written once"),
    ):
        reader("-p", "1", *words).is_refusal(2, part)
    reader("export", "-o", "y.data").is_refusal(2, "only record and merge write recordings")


@test
def what_is_reported_there_is_reported_here():
    for words in ((), ("-n", "2"), ("--level", "stats"), ("-k",)):
        with tempfile.TemporaryDirectory() as folder:
            result, _ = recorded(folder, *words, "-o", "a.json", "-o", "a.txt", fake="threads=8 hostile=1")
            equal(result.status, 0)
            again = reader("report", "-o", "b.json", "-o", "b.txt", cwd=folder)
            equal((again.status, again.err), (0, ""))
            for suffix in ("json", "txt"):
                equal(read(os.path.join(folder, "a." + suffix)), read(os.path.join(folder, "b." + suffix)))
            equal(again.out, read(os.path.join(folder, "a.txt")))
            equal(reader("report", "--format", "json", "gapp.data", cwd=folder).out,
                  read(os.path.join(folder, "a.json")))
            done = reader("export", "-o", "c.json", "gapp.data", cwd=folder)
            equal((done.status, done.out, done.err), (0, "", ""))
            equal(read(os.path.join(folder, "a.json")), read(os.path.join(folder, "c.json")))


@test
def critical_path_and_graph_are_those_of_the_recording():
    kinds = ("json", "txt", "dot")
    with tempfile.TemporaryDirectory() as folder:
        files = [word for kind in kinds for word in ("-o", f"a.{kind}")]
        result, _ = recorded(folder, "--level", "trace", "--view", "critical-path", *files)
        equal((result.status, result.err), (0, ""))
        again = [word for kind in kinds for word in ("-o", f"b.{kind}")]
        equal(reader("report", "--view", "critical-path", *again, cwd=folder).status, 0)
        for kind in kinds:
            equal(read(os.path.join(folder, f"a.{kind}")), read(os.path.join(folder, f"b.{kind}")))
        path = json.loads(read(os.path.join(folder, "a.json")))["critical_path"]
        equal(path["sum_s"], path["run_s"])
        recorded(folder)
        told = reader("report", "--view", "graph", cwd=folder)
        equal((told.status, "record with --level trace --view graph" in told.out.replace("\n", " ")), (0, True))
        reader("export", "-o", "c.dot", cwd=folder).is_refusal(125, "has no wait-for graph")


@test
def traces_over_time_are_made_of_the_records_in_the_file():
    kinds = ("pftrace", "trace.json", "cores.csv")
    with tempfile.TemporaryDirectory() as folder:
        files = [word for kind in kinds for word in ("-o", f"a.{kind}")]
        result, _ = recorded(folder, "--level", "trace", *files)
        equal((result.status, result.err), (0, ""))
        again = [word for kind in kinds for word in ("-o", f"b.{kind}")]
        equal(reader("export", *again, cwd=folder).status, 0)
        for kind in kinds:
            with open(os.path.join(folder, f"a.{kind}"), "rb") as a, open(os.path.join(folder, f"b.{kind}"), "rb") as b:
                equal(a.read(), b.read())
        recorded(folder)
        for kind in kinds:
            reader("export", "-o", f"c.{kind}", cwd=folder).is_refusal(125, "has no records")


@test
def records_are_kept_if_wanted():
    with tempfile.TemporaryDirectory() as folder:
        for words in ((), ("--level", "trace")):
            result, _ = recorded(folder, "--records", *words, fake="records=300 needmap=7")
            equal((result.status, result.err), (0, ""))
            listed = reader("script", "gapp.data", cwd=folder)
            equal((listed.status, listed.err), (0, ""))
            equal(listed.out.count(" wake "), 300)
            equal(listed.out.count(" need_mapping "), 1)
            equal(listed.out.count("\n"), 301)
            result = reader("report", cwd=folder)
            equal((result.status, result.err), (0, ""))


@test
def long_command_lines_are_cut():
    with tempfile.TemporaryDirectory() as folder:
        for words in (["x" * 65000] * 18, ["x" * 120000], ["x" * 600] * 2000):
            result = reader("-o", "x.txt", "--", "true", *words, cwd=folder)
            equal((result.status, result.err), (0, ""))
            result = reader("report", cwd=folder)
            equal((result.status, result.err), (0, ""))
            has(result.out, "true x" if len(words) > 1 else "true")


@test
def a_recording_without_records_says_how_to_have_them():
    with tempfile.TemporaryDirectory() as folder:
        recorded(folder)
        reader("script", "gapp.data", cwd=folder).is_refusal(
            125, "gapp.data has no records: record with --records, too")
        recorded(folder, "--records")
        result = reader("script", "gapp.data", cwd=folder)
        equal((result.status, result.out, result.err), (0, "", ""))
    for words, status, part in (
        (("--records", "--no-save", "--", "true"), 2, "records are kept in the recording"),
        (("--records", "--level", "stats", "--", "true"), 2, "--records has no meaning with --level stats"),
        (("script", "--records", "-p", "1"), 2, "--records has no meaning with script"),
        (("script", "a.data", "b.data"), 2, "script reads 1 recording at most"),
        (("script", "a.data", "-p", "1"), 2, "--pid and a recording exclude each other"),
        (("script", "/nonexistent.data"), 125, "cannot open /nonexistent.data"),
    ):
        reader(*words).is_refusal(status, part)


@test
def records_go_where_script_is_read():
    with tempfile.TemporaryDirectory() as folder:
        recorded(folder, "--records", fake="records=20000")
        with open("/dev/full", "wb") as full:
            done = subprocess.run([READER, "script", "gapp.data"], stdout=full, stderr=subprocess.PIPE,
                                  cwd=folder, env=environment(), check=False)
        equal((done.returncode, done.stderr),
              (125, b"gapp: cannot write the records: No space left on device\n"))
        source, sink = os.pipe()
        os.close(source)
        with os.fdopen(sink, "wb") as unread:
            done = subprocess.run([READER, "script", "gapp.data"], stdout=unread, stderr=subprocess.PIPE,
                                  cwd=folder, env=environment(), check=False)
        equal((done.returncode, done.stderr), (-signal.SIGPIPE, b""))


@test
def damaged_records_are_counted():
    with tempfile.TemporaryDirectory() as folder:
        recorded(folder, "--records", fake="records=300")
        path = os.path.join(folder, "gapp.data")
        with open(path, "rb") as file:
            whole = file.read()
        # records are the first block: a byte of what they became
        with open(path, "wb") as file:
            file.write(whole[:60] + bytes([whole[60] ^ 1]) + whole[61:])
        result = reader("script", path)
        equal(result.status, 0)
        has(result.err, "has 0 of 300 records: it is damaged")
        # which a report does not need
        result = reader("report", path)
        equal((result.status, result.err), (0, ""))


@test
def a_folder_that_cannot_be_written_is_said():
    if os.geteuid() == 0:
        where = "/proc/self"
    else:
        where = "/"
    result = reader("--", "true", cwd=where)
    equal(result.status, 0)
    has(result.out, "Checks       shares + idle")
    has(result.err, "cannot write the recording to gapp.data: ")
    has(result.err, "; give -o FILE.data, or --no-save")
    # which was asked for
    for words in ((), ("--records",)):
        result = reader(*words, "-o", "/nonexistent/x.data", "--", "true")
        equal(result.status, 125)
        has(result.out, "Checks       shares + idle")
        equal(result.err, "gapp: cannot write the recording to /nonexistent/x.data: No such file or directory\n")


# Bytes that are not enough for 20,000 records.
LITTLE = 16384
# How a process's file says in which system call it is.
PPOLL = "271 "


def limited():
    """For preexec_fn: files cannot become larger, as after `ulimit -f 0`."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def is_readable(folder, whole):
    """A report is made, if only records had no room; else the file is refused for what is missing."""
    result = reader("report", cwd=folder)
    if whole:
        result.is_report()
        has(reader("script", "gapp.data", cwd=folder).err, "of 20000 records: there was no room for more")
    else:
        result.is_refusal(125, "it was cut, or its disk was full")


@test
def a_limit_of_file_sizes_is_a_full_disk():
    with tempfile.TemporaryDirectory() as folder:
        recorded(folder, "-o", "ok.data")
        result = reader("export", "ok.data", "-o", "x.json", cwd=folder, preexec_fn=limited)
        result.is_refusal(125, "cannot write x.json: File too large")
        equal(sorted(os.listdir(folder)), ["ok.data"])
        for size, error in ((300, "cannot write the recording to gapp.data: File too large"), (LITTLE, "")):
            with Sleeper() as sleeper, Running("--records", "-p", sleeper.pid, fake="records=20000",
                                               cwd=folder) as running:
                # not before it waits, because the rings of the stand-in are files, too
                running.wait_for_call("START")
                until(lambda: read(f"/proc/{running.process.pid}/syscall").startswith(PPOLL), "that it waits")
                resource.prlimit(running.process.pid, resource.RLIMIT_FSIZE, (size, size))
                sleeper.end()
                result = running.end()
            equal(result.status, 0)
            has(result.out, "Checks       shares + idle")
            has(result.err, error)
            equal(sorted(set(os.listdir(folder)) - {"gapp.data.old"}), ["gapp.data", "ok.data"])
            expect(os.path.getsize(os.path.join(folder, "gapp.data")) <= size, "too large")
            is_readable(folder, not error)


@test
def the_command_has_the_signals_that_it_had():
    result = reader("--no-save", "--", "grep", "SigIgn", "/proc/self/status")
    ignored = int(result.out.split()[1], 16)
    expect(not ignored >> signal.SIGXFSZ - 1 & 1, "SIGXFSZ is ignored")
    expect(not ignored >> signal.SIGPIPE - 1 & 1, "SIGPIPE is ignored")


@test
def a_full_disk_is_said():
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", folder],
                              stderr=subprocess.PIPE, check=False) if shutil.which("mount") else None
        if done is None or done.returncode:
            raise Skip("a small file system cannot be mounted here")
        try:
            result = reader("--records", "--", "true", fake="records=20000", cwd=folder)
            equal(result.status, 0)
            has(result.out, "Checks       shares + idle")
            equal(os.listdir(folder), ["gapp.data"])
            is_readable(folder, True)
            with open(os.path.join(folder, "full"), "wb") as full:
                while size := os.statvfs(folder).f_bavail * os.statvfs(folder).f_bsize:
                    full.write(bytes(size))
                    full.flush()
            result = reader("--", "true", cwd=folder)
            equal(result.status, 0)
            has(result.err, "cannot write the recording to gapp.data: No space left on device")
            # the former one stays
            reader("report", cwd=folder).is_report()
        finally:
            subprocess.run(["umount", folder], check=True)


@test
def links_are_replaced_not_followed():
    with tempfile.TemporaryDirectory() as folder:
        other = os.path.join(folder, "other")
        with open(other, "w", encoding="ascii") as file:
            file.write("mine")
        os.symlink("other", os.path.join(folder, "gapp.data"))
        _, there = recorded(folder)
        equal(there, ["gapp.data", "other"])
        equal(read(other), "mine")
        expect(not os.path.islink(os.path.join(folder, "gapp.data")), "a link")


@test
def cut_and_damaged_recordings_are_told():
    with tempfile.TemporaryDirectory() as folder:
        recorded(folder, fake="threads=8")
        path = os.path.join(folder, "gapp.data")
        with open(path, "rb") as file:
            whole = file.read()
        worst = os.path.join(folder, "worst.data")
        reported = 0
        for size in range(0, len(whole), 37):
            with open(worst, "wb") as file:
                file.write(whole[:size])
            result = reader("report", worst)
            if result.status:
                result.is_refusal(125, "worst.data")
            else:
                has(result.err, "was cut, or its disk was full")
                reported += 1
        expect(reported, "no cut file was reported")
        for at in range(16, len(whole) - 8, 53):
            with open(worst, "wb") as file:
                file.write(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:])
            result = reader("report", worst)
            expect(result.status in (0, 125), result.status)
            expect(result.err, f"nothing is said of byte {at}")


@test
def other_files_are_no_recordings():
    with tempfile.TemporaryDirectory() as folder:
        reader("report", cwd=folder).is_refusal(125, "cannot open gapp.data: No such file")
        reader("report", "/dev/null").is_refusal(125, "/dev/null: it is no regular file")
        reader("report", "/proc/self/status").is_refusal(125, "is no recording of gapp-read")
        reader("export", "-o", "x.json", cwd=folder).is_refusal(125, "gapp.data")
        equal(os.listdir(folder), [])


@test
def actions_that_read_do_not_record():
    for words, part in (
        (("report", "a", "b"), "report reads 1 recording at most"),
        (("report", "-p", "1"), "--pid has no meaning with report: it prints what has been recorded"),
        (("report", "--", "true"), "a command after -- is recorded"),
        (("export",), "export writes files: give -o FILE"),
        (("export", "-F", "3", "-o", "x.json"), "--rate has no meaning with export"),
        (("report", "--no-save"), "--no-save has no meaning with report"),
        (("report", "--format", "json", "--tree"), "--tree is a part of the text"),
    ):
        reader(*words).is_refusal(2, part)

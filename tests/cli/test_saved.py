# SPDX-License-Identifier: GPL-2.0
"""The recording that is kept, and what is made of it later."""

import os
import stat
import tempfile

from harness import equal, expect, has, read, reader, test


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
    reader("export", "-o", "y.data").is_refusal(2, "only record writes recordings")


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
    result = reader("-o", "/nonexistent/x.data", "--", "true")
    equal(result.status, 0)
    has(result.err, "cannot write the recording to /nonexistent/x.data: ")


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

# SPDX-License-Identifier: GPL-2.0
"""What is made of a recording's records: who ran where, and the page."""

import csv
import json
import os
import re
import tempfile
import xml.etree.ElementTree

from harness import equal, has, read, reader, test

# Slices of two threads, one of which spins: see fake_records.c.
FAKE = "spin=1"
SVG_PATH = "{http://www.w3.org/2000/svg}path"
TRACED = ("--level", "trace", "-o")


def rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def node_of_cpu_0():
    """As this machine's kernel has it; nothing: it is not known."""
    found = [name for name in os.listdir("/sys/devices/system/cpu/cpu0") if re.fullmatch(r"node\d+", name)]
    return found[0][4:] if found and os.path.exists("/sys/devices/system/node") else ""


def is_who_ran_where(path, every_slice=True):
    """The rows of the stand-in's records; without every slice nobody knows how long a thread spun."""
    table = rows(path)
    wanted = [("1002", "giver", "ran", 0, 1000), ("1001", "spinner", "ran", 999000, 1000000),
              ("1001", "spinner", "spun", 1000000, 2000000), ("1001", "spinner", "ran", 2999000, 3000000)]
    if every_slice:
        last = table.pop()
        equal((last["tid"], last["state"], last["start_ns"]), ("1001", "spun", "3000000"))
        equal(int(last["stop_ns"]) > 3000000, True)
    equal([(row["tid"], row["comm"], row["state"], int(row["start_ns"]), int(row["stop_ns"])) for row in table],
          [row for row in wanted if every_slice or row[2] == "ran"])
    equal({(row["cpu"], row["tgid"], row["node"]) for row in table}, {("0", "1000", node_of_cpu_0())})


@test
def who_ran_where_is_written_with_the_recording_and_later():
    with tempfile.TemporaryDirectory() as folder:
        result = reader(*TRACED, "a.cores.csv", "--", "sleep", "0.02", fake=FAKE, cwd=folder)
        equal((result.status, result.err), (0, ""))
        equal(sorted(os.listdir(folder)), ["a.cores.csv", "gapp.data"])
        is_who_ran_where(os.path.join(folder, "a.cores.csv"))
        later = reader("export", "-o", "b.cores.csv", cwd=folder)
        equal((later.status, later.out, later.err), (0, "", ""))
        equal(read(os.path.join(folder, "a.cores.csv")), read(os.path.join(folder, "b.cores.csv")))
        # a name of the recording that was asked for
        result = reader(*TRACED, "c.cores.csv", "-o", "c.data", "--", "sleep", "0.02", fake=FAKE, cwd=folder)
        equal((result.status, result.err), (0, ""))
        is_who_ran_where(os.path.join(folder, "c.cores.csv"))


@test
def who_ran_where_goes_to_a_pipe():
    read_end, write_end = os.pipe()
    with os.fdopen(read_end) as file, tempfile.TemporaryDirectory() as folder:
        os.symlink("/dev/fd/%d" % write_end, os.path.join(folder, "pipe.cores.csv"))
        result = reader(*TRACED, "pipe.cores.csv", "--", "sleep", "0.02", fake=FAKE, cwd=folder, pass_fds=[write_end])
        os.close(write_end)
        equal((result.status, result.err), (0, ""))
        equal(len(file.read().splitlines()), 6)


@test
def timelines_need_every_slice_and_the_file():
    with tempfile.TemporaryDirectory() as folder:
        for words, part in (
            ((), "only --level trace records: give it, too"),
            (("--level", "stats"), "only --level trace records: give it, too"),
            (("--level", "trace", "--no-save"), "is made of the recording's file: leave out --no-save"),
        ):
            result = reader(*words, "-o", "a.cores.csv", "--", "sleep", "0.02", fake=FAKE, cwd=folder)
            result.is_refusal(2, "a.cores.csv", part)
        equal(os.listdir(folder), [])


@test
def timelines_of_a_file_say_what_it_lacks():
    with tempfile.TemporaryDirectory() as folder:
        equal(reader("--", "sleep", "0.02", fake=FAKE, cwd=folder).status, 0)
        reader("export", "-o", "a.cores.csv", cwd=folder).is_refusal(
            125, "gapp.data has no records, which a.cores.csv is made of", "record with --level trace --records")
        equal(sorted(os.listdir(folder)), ["gapp.data"])
        equal(reader("--records", "--", "sleep", "0.02", fake=FAKE, cwd=folder).status, 0)
        result = reader("export", "-o", "a.cores.csv", cwd=folder)
        equal((result.status, result.out), (0, ""))
        has(result.err, "was not recorded with --level trace: a.cores.csv has only slices with few threads active")
        is_who_ran_where(os.path.join(folder, "a.cores.csv"), every_slice=False)


@test
def pictures_are_made_of_every_slice():
    with tempfile.TemporaryDirectory() as folder:
        words = (*TRACED, "a.cores.svg", "-o", "a.parallelism.svg", "-o", "a.cores.csv")
        result = reader(*words, "--", "sleep", "0.02", fake=FAKE, cwd=folder)
        equal((result.status, result.err), (0, ""))
        again = reader("export", "-o", "b.cores.svg", "-o", "b.parallelism.svg", cwd=folder)
        equal((again.status, again.out, again.err), (0, "", ""))
        for name in ("cores.svg", "parallelism.svg"):
            equal(read(os.path.join(folder, "a." + name)), read(os.path.join(folder, "b." + name)))
        found = []
        for path in xml.etree.ElementTree.parse(os.path.join(folder, "a.cores.svg")).iter(SVG_PATH):
            for begin, length in re.findall(r"M(\d+) [\d.]+h(\d+)", path.get("d")):
                found.append((path.get("class"), int(begin), int(begin) + int(length), path.get("data-tgid")))
        equal(sorted(found), sorted((row["state"], int(row["start_ns"]), int(row["stop_ns"]), row["tgid"])
                                    for row in rows(os.path.join(folder, "a.cores.csv"))))
        equal(reader("--records", "--", "sleep", "0.02", fake=FAKE, cwd=folder).status, 0)
        refused = reader("export", "-o", "c.parallelism.svg", cwd=folder)
        equal(refused.status, 125)
        has(refused.err, "how many threads were active over time is not known: record with --level trace")
        equal(os.path.exists(os.path.join(folder, "c.parallelism.svg")), False)
        result = reader("export", "-o", "c.cores.svg", cwd=folder)
        equal(result.status, 0)
        has(read(os.path.join(folder, "c.cores.svg")), "Only slices with few threads active are here")


@test
def a_recording_that_cannot_be_kept_has_no_timelines():
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "x.data"))
        words = (*TRACED, "a.cores.csv", "-o", "x.data/none/y.data", "-o", "a.txt")
        result = reader(*words, "--", "sleep", "0.02", fake=FAKE, cwd=folder)
        equal(result.status, 125)
        has(result.err, "a.cores.csv is made of the recording's file, which could not be written")
        # the report is there all the same
        has(read(os.path.join(folder, "a.txt")), "Checks ")
        equal(os.path.exists(os.path.join(folder, "a.cores.csv")), False)


def page_data(path):
    """The report, the timeline and the details that a page has, as a browser reads them."""
    text = read(path)
    found = re.findall(r'<script type="application/json" id="gapp-(\w+)">\n(.*?)</script>', text, re.S)
    equal([name for name, _ in found], ["report", "timeline", "details"])
    equal(text.count("</script>"), 4)
    return [json.loads(data) for _, data in found]


@test
def a_page_has_the_report_the_timeline_and_details():
    with tempfile.TemporaryDirectory() as folder:
        words = (*TRACED, "a.html", "-o", "a.json", "-o", "a.txt")
        result = reader(*words, "--", "sleep", "0.02", fake=FAKE + " hostile=1 threads=8", cwd=folder)
        equal((result.status, result.err), (0, ""))
        again = reader("export", "-o", "b.html", cwd=folder)
        equal((again.status, again.out, again.err), (0, "", ""))
        equal(read(os.path.join(folder, "a.html")), read(os.path.join(folder, "b.html")))
        report, timeline, details = page_data(os.path.join(folder, "a.html"))
        equal(report, json.loads(read(os.path.join(folder, "a.json"))))
        equal(details["text"], read(os.path.join(folder, "a.txt")))
        equal(timeline["every_slice"], True)
        equal((timeline["merged_below_ns"], timeline["merged_stays"], timeline["lost"]), (0, 0, []))
        names = [thread["comm"] for thread in timeline["threads"]]
        giver, spinner = names.index("giver"), names.index("spinner")
        equal([(cpu["cpu"], cpu["node"]) for cpu in timeline["cpus"]],
              [(0, int(node_of_cpu_0()) if node_of_cpu_0() else None)])
        row = timeline["cpu_rows"][0]
        stays = [tuple(row[i:i + 4]) for i in range(0, len(row), 5)]
        equal(stays[:4], [(0, 1000, 0, giver), (998000, 1000, 0, spinner), (0, 1000000, 1, spinner),
                          (999000, 1000, 0, spinner)])
        row = timeline["thread_rows"][spinner]
        equal([row[i + 2] for i in range(0, len(row), 5)], [0, 1, 2, 0, 1])
        steps = timeline["parallelism"]
        equal(len(steps["active"]), len(steps["critical"]))
        # each record of the stand-in leaves one active; before the first one there were two
        equal({value for value in steps["active"][1:]}, {1})
        frames = details["flame"]["frames"]
        equal(len(frames), len(details["flame"]["modules"]))
        for _, thread, _, *path in details["flame"]["rows"]:
            equal(thread < len(details["flame"]["threads_of_rows"]), True)
            equal(all(frame < len(frames) for frame in path), True)


@test
def a_page_without_records_has_no_timeline():
    with tempfile.TemporaryDirectory() as folder:
        result = reader("-o", "a.html", "--", "true", fake=FAKE, cwd=folder)
        equal((result.status, result.err), (0, ""))
        _, timeline, details = page_data(os.path.join(folder, "a.html"))
        equal(timeline, None)
        has(details["text"], "Checks ")
        reader("--no-save", "-o", "b.html", "--", "true", cwd=folder).is_refusal(2, "leave out --no-save")
        reader("--level", "stats", "-o", "b.html", "--", "true", cwd=folder).is_refusal(2, "--level stats")

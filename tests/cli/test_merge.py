# SPDX-License-Identifier: GPL-2.0
"""gapp-read merge: recordings of one machine become one recording."""

import csv
import io
import json
import os
import re
import shutil
import struct
import tempfile
import zlib

from harness import TOP, equal, expect, has, read, reader, test

GOLDEN = os.path.join(TOP, "tests/cli/golden-recordings")
FAKE = "threads=8 records=40"


def golden(folder, *names):
    """Copies of golden recordings."""
    files = []
    for name in names:
        shutil.copyfile(os.path.join(GOLDEN, name), os.path.join(folder, name))
        files.append(name)
    return files


def merged(folder, *words):
    done = reader("merge", *words, "-o", "m.data", cwd=folder)
    equal((done.status, done.out), (0, ""), done.err)
    return done.err


def document(folder, name):
    done = reader("report", "--format", "json", name, cwd=folder)
    equal((done.status, done.err), (0, ""))
    return json.loads(done.out)


def lines(folder, name):
    done = reader("script", name, cwd=folder)
    equal((done.status, done.err), (0, ""))
    return done.out.splitlines()


def records(folder, name):
    """Records with the call paths below them, without times and what merge numbers anew."""
    text = "\n".join(lines(folder, name))
    found = [re.sub(r"^[0-9.]+ |(image|target|begin|since)=[0-9.-]+", "", one) for one in re.split(r"\n(?=[0-9])", text)]
    return sorted(found)


# As user/data/blocks.h and block_head.h have them.
HEAD = struct.Struct("<4sIQIIIIII")
FACTS, TARGETS, RECORDS = 2, 6, 19
OTHER_BOOT = b"00000000-0000-4000-8000-00000000000"


def blocks(data):
    """Where the blocks of a recording are: type, place of the head, place and size of the bytes."""
    at = 16
    while at < len(data):
        _, kind, _, _, _, stored, _, _, _ = HEAD.unpack_from(data, at)
        yield kind, at, at + HEAD.size, stored
        at += HEAD.size + stored


def change(folder, name, kind, how):
    """Writes a recording anew with other bytes in its first block of a type; @how: takes and gives them."""
    path = os.path.join(folder, name)
    with open(path, "rb") as file:
        data = bytearray(file.read())
    at, begin, size = next(found[1:] for found in blocks(data) if found[0] == kind)
    data[begin:begin + size] = how(data, at, bytes(data[begin:begin + size]))
    with open(path, "wb") as file:
        file.write(data)


def damage(folder, name, kind):
    change(folder, name, kind, lambda data, at, stored: bytes([stored[0] ^ 1]) + stored[1:])


def set_boot(folder, name, boot):
    """Says that a recording was made in another boot."""
    def other(data, at, stored):
        found = re.search(rb"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", stored)
        expect(found, "the boot id is not there as it is")
        stored = stored.replace(found.group(), boot)
        head = list(HEAD.unpack_from(data, at))
        head[6] = zlib.crc32(stored)
        head[8] = zlib.crc32(HEAD.pack(*head)[:-4])
        HEAD.pack_into(data, at, *head)
        return stored
    change(folder, name, FACTS, other)


@test
def records_keep_their_call_paths():
    with tempfile.TemporaryDirectory() as folder:
        files = golden(folder, "1.8-paths.data", "1.7-paths.data")
        merged(folder, *files, "--same-boot")
        one, two, both = [records(folder, name) for name in (*files, "m.data")]
        expect(any("\n\t" in record for record in one), one[:3])
        equal(sorted(one + two), both)
        times = [float(line.split()[0]) for line in lines(folder, "m.data") if line[0].isdigit()]
        equal(times, sorted(times))


@test
def merged_recordings_are_read_as_any_other():
    with tempfile.TemporaryDirectory() as folder:
        files = golden(folder, "1.7-paths.data", "1.7-run.data")
        merged(folder, *files, "--same-boot")
        one, two, both = [document(folder, name) for name in (*files, "m.data")]
        equal([part["file"] for part in both["merged"]], files)
        equal(len(both["targets"]), 2)
        equal((both["parallelism"], both["idle_s"], both["parallelism_average"]), (None, None, None))
        equal(both["threads_total"], one["threads_total"] + two["threads_total"])
        equal((both["start_ns"], both["stop_ns"]),
              (min(one["start_ns"], two["start_ns"]), max(one["stop_ns"], two["stop_ns"])))
        expect(abs(both["critical_s"] - one["critical_s"] - two["critical_s"]) < 1e-6, both["critical_s"])
        functions = [{row["function"] for row in all_of["functions"]} for all_of in (one, two, both)]
        expect(functions[0] <= functions[2], functions)
        equal(len(lines(folder, "m.data")), len(lines(folder, files[0])) + len(lines(folder, files[1])))
        text = reader("report", "-v", "m.data", cwd=folder)
        equal((text.status, text.err), (0, ""))
        has(text.out, "merged: 1.7-paths.data, 1.7-run.data")
        done = reader("export", "-o", "m.folded", "-o", "m.pb.gz", "-o", "m.csv", "m.data", cwd=folder)
        equal((done.status, done.err), (0, ""))
        equal(reader("diff", "m.data", "m.data", cwd=folder).status, 0)


@test
def wait_objects_have_the_critical_time_of_their_own_recording():
    with tempfile.TemporaryDirectory() as folder:
        files = golden(folder, "1.3-views.data", "1.1-paths.data")
        merged(folder, *files, "--same-boot")
        one, other, both = [document(folder, name) for name in (*files, "m.data")]
        expect("wait_objects" not in other and both["targets"][1]["critical_s"] > 1, both["targets"])
        equal((one["every_wait"], both["every_wait"]), (True, False))
        # the other recording has not every wait, and much time in which others waited for locks
        equal(both["wait_objects"], one["wait_objects"])


@test
def what_was_left_out_of_each_is_left_out_of_both():
    with tempfile.TemporaryDirectory() as folder:
        for name, marks in (("a.data", 0), ("b.data", 7)):
            equal(reader("--level", "trace", "--records", "-o", name, "--", "true", fake=f"{FAKE} marks_left_out={marks}",
                         cwd=folder).status, 0)
        for files in (("a.data", "b.data"), ("b.data", "a.data")):
            merged(folder, *files)
            has(reader("report", "m.data", cwd=folder).out, "no room for 7 marks")
            os.remove(os.path.join(folder, "m.data"))


@test
def a_page_of_merged_recordings_has_no_number_of_active_threads():
    # of one process, which both followed without a target's number
    with tempfile.TemporaryDirectory() as folder:
        for name in ("a.data", "b.data"):
            equal(reader("--level", "trace", "--records", "-o", name, "--", "true", fake=FAKE, cwd=folder).status, 0)
        merged(folder, "a.data", "b.data")
        for name, has_steps in (("a", True), ("m", False)):
            equal(reader("export", f"{name}.data", "-o", f"{name}.html", cwd=folder).status, 0)
            with open(os.path.join(folder, f"{name}.html"), encoding="utf-8") as file:
                timeline = json.loads(re.search(r'id="gapp-timeline">\n(.*?)</script>', file.read(), re.S)[1])
            equal(bool(timeline["parallelism"]["active"]), has_steps)
            equal(timeline["critical_path"] is not None, has_steps)


@test
def a_merged_recording_can_be_merged():
    with tempfile.TemporaryDirectory() as folder:
        files = golden(folder, "1.7-paths.data", "1.7-run.data", "1.5-paths.data")
        merged(folder, *files[:2], "--same-boot")
        os.rename(os.path.join(folder, "m.data"), os.path.join(folder, "two.data"))
        merged(folder, "two.data", files[2], "--same-boot")
        both = document(folder, "m.data")
        equal([part["file"] for part in both["merged"]], files)
        equal(both["threads_total"], sum(document(folder, name)["threads_total"] for name in files))


@test
def a_merged_target_has_its_own_time():
    with tempfile.TemporaryDirectory() as folder:
        files = golden(folder, "1.7-paths.data", "1.7-run.data")
        merged(folder, *files, "--same-boot")
        both = document(folder, "m.data")
        for target in both["targets"]:
            places = [place for place in both["places"] if place["tgid"] == target["tgid"] and place["kind"] == "ran"]
            expect(target["critical_s"] >= sum(place["critical_s"] for place in places) - 1e-6, target)
            for place in places:
                expect(place["gain_bound_s"] is None or place["gain_bound_s"] <= max(target["wall_s"], place["critical_s"]) + 1e-6,
                       place)
        # nothing was recorded between the two, so the sentence has the time of one
        walls = [f"{target['wall_s']:.2f} s (" for target in both["targets"]]
        expect(any(wall in both["verdict"] for wall in walls), both["verdict"])
        # and percentages are of what was recorded
        compared = json.loads(reader("diff", "--format", "json", files[0], "m.data", cwd=folder).out)
        critical, recorded = (sum(target[name] for target in both["targets"]) for name in ("critical_s", "wall_s"))
        expect(abs(compared["new"]["critical_percent"] - 100 * critical / recorded) < 0.1, compared["new"])
        condition = ["--fail-if", f"critical > {100 * critical / recorded - 1:.2f}%"]
        equal(reader("report", "m.data", *condition, cwd=folder).status, 3)
        done = reader("diff", files[0], "m.data", cwd=folder)
        has(done.out, "m.data is merged of 2 recordings, 1.7-paths.data of 1")
        # a merged recording has no N_min, and the process of one recording has no name there
        expect("few threads were at most" not in done.out and "update_shared is new" not in done.out, done.out)
        expect("is merged of" not in reader("diff", "m.data", "m.data", cwd=folder).out, "one recording differs")


@test
def recordings_without_a_common_clock_are_refused():
    with tempfile.TemporaryDirectory() as folder:
        files = golden(folder, "1.7-paths.data", "1.7-run.data")
        reader("merge", *files, "-o", "m.data", cwd=folder).is_refusal(125, "give --same-boot")
        expect(not os.path.exists(os.path.join(folder, "m.data")))


@test
def recordings_of_other_boots_are_refused():
    with tempfile.TemporaryDirectory() as folder:
        for name in ("a.data", "b.data", "c.data"):
            equal(reader("--records", "-o", name, "--", "true", fake=FAKE, cwd=folder).status, 0)
        set_boot(folder, "b.data", OTHER_BOOT + b"1")
        set_boot(folder, "c.data", OTHER_BOOT + b"2")
        golden(folder, "1.7-run.data")
        for words in (("a.data", "b.data"), ("a.data", "b.data", "--same-boot"),
                      # the first goes with any, and the others do not go together
                      ("1.7-run.data", "b.data", "c.data", "--same-boot")):
            reader("merge", *words, "-o", "m.data", cwd=folder).is_refusal(125, "different machines")
            expect(not os.path.exists(os.path.join(folder, "m.data")))
        # what is known of one is known of all that are merged with it
        merged(folder, "1.7-run.data", "b.data", "--same-boot")
        reader("merge", "m.data", "c.data", "-o", "x.data", "--same-boot", cwd=folder).is_refusal(
            125, "different machines")


@test
def a_recording_counts_once():
    with tempfile.TemporaryDirectory() as folder:
        files = golden(folder, "1.7-paths.data", "1.7-run.data")
        shutil.copyfile(os.path.join(folder, files[0]), os.path.join(folder, "copy.data"))
        # without the processes that both recorded
        damage(folder, "copy.data", 4)
        for other in (files[0], "copy.data"):
            done = reader("merge", files[0], other, "-o", "m.data", "--same-boot", cwd=folder)
            done.is_refusal(125, "they are one recording")
        merged(folder, *files, "--same-boot")
        done = reader("merge", "m.data", files[1], "-o", "x.data", "--same-boot", cwd=folder)
        done.is_refusal(125, "would count twice")


@test
def damage_is_said():
    with tempfile.TemporaryDirectory() as folder:
        files = golden(folder, "1.7-paths.data", "1.7-run.data")
        damage(folder, files[0], RECORDS)
        equal(merged(folder, *files, "--same-boot").count("1.7-paths.data is damaged"), 1)
        equal(len(document(folder, "m.data")["merged"]), 2)
        has(reader("script", "m.data", cwd=folder).err, "that it was made of had no room, or were damaged")
        path = os.path.join(folder, files[1])
        os.truncate(path, os.path.getsize(path) - 8)
        has(merged(folder, *files, "--same-boot"), "1.7-run.data was cut")
        os.truncate(path, os.path.getsize(path) // 4)
        reader("merge", *files, "-o", "x.data", "--same-boot", cwd=folder).is_refusal(125, "was cut")


@test
def targets_that_are_lost_are_no_other_ones():
    with tempfile.TemporaryDirectory() as folder:
        files = golden(folder, "1.7-paths.data", "1.6-paths.data")
        damage(folder, files[1], TARGETS)
        has(merged(folder, *files, "--same-boot"), "1.6-paths.data is damaged")
        one, two, both = [lines(folder, name) for name in (*files, "m.data")]
        targets = [sum("target=0" in line for line in of) for of in (one, two, both)]
        expect(targets[1], targets)
        equal(targets[2], targets[0])


@test
def one_without_records_is_named():
    with tempfile.TemporaryDirectory() as folder:
        files = golden(folder, "1.7-paths.data")
        equal(reader("-o", "b.data", "--", "true", fake=FAKE, cwd=folder).status, 0)
        err = merged(folder, files[0], "b.data", "--same-boot")
        has(err, "b.data has no records")
        equal(err.count("\n"), 1)
        equal(len(lines(folder, "m.data")), len(lines(folder, files[0])))
        # what the one with records has of all its slices stays known
        for name in (files[0], "m.data"):
            done = reader("export", "-o", f"{name}.cores.csv", name, cwd=folder)
            equal((done.status, done.err), (0, ""))
        one, both = [read(os.path.join(folder, f"{name}.cores.csv")) for name in (files[0], "m.data")]
        equal(len(one.splitlines()), len(both.splitlines()))
        # without records nothing is there to be merged
        equal(reader("-o", "c.data", "--", "true", fake=FAKE, cwd=folder).status, 0)
        equal(merged(folder, "b.data", "c.data"), "")
        reader("script", "m.data", cwd=folder).is_refusal(125, "has no records")


@test
def kinds_that_do_not_go_together_are_refused():
    with tempfile.TemporaryDirectory() as folder:
        for name, words in (("a", ()), ("s", ("--level", "stats")), ("c", ("--criterion", "average"))):
            equal(reader(*words, "-o", f"{name}.data", "--", "true", fake=FAKE, cwd=folder).status, 0)
        reader("merge", "a.data", "s.data", "-o", "m.data", cwd=folder).is_refusal(125, "--level stats")
        reader("merge", "a.data", "c.data", "-o", "m.data", cwd=folder).is_refusal(125, "--criterion")
        reader("merge", "a.data", "none.data", "-o", "m.data", cwd=folder).is_refusal(125, "none.data")


@test
def merge_says_what_it_wants():
    for words, part in (
        (("a.data", "-o", "m.data"), "two or more"),
        (("a.data", "b.data"), "-o FILE.data"),
        (("a.data", "b.data", "-o", "m.json"), "-o FILE.data"),
        (("a.data", "b.data", "-o", "m.data", "-p", "1"), "no meaning with merge"),
        (("a.data", "b.data", "-o", "m.data", "--", "true"), "runs no command"),
    ):
        reader("merge", *words).is_refusal(2, part)
    reader("report", "--same-boot", "a.data").is_refusal(2, "no meaning with report")


@test
def who_ran_where_is_that_of_all():
    with tempfile.TemporaryDirectory() as folder:
        files = golden(folder, "1.7-paths.data", "1.6-paths.data")
        merged(folder, *files, "--same-boot")
        rows, starts = [], []
        for name in (*files, "m.data"):
            starts.append(document(folder, name)["start_ns"])
            done = reader("export", "-o", "x.cores.csv", name, cwd=folder)
            equal(done.status, 0, done.err)
            table = csv.DictReader(io.StringIO(read(os.path.join(folder, "x.cores.csv"))))
            rows.append(sorted((row["cpu"], int(row["start_ns"]) + starts[-1], int(row["stop_ns"]) + starts[-1],
                                row["tid"], row["tgid"], row["comm"], row["state"]) for row in table))
        expect(rows[0] and rows[1], rows)
        equal(sorted(rows[0] + rows[1]), rows[2])

# SPDX-License-Identifier: GPL-2.0
"""What --counters asks for, with the stand-in for the device."""

import csv
import io
import json
import os
import re
import struct
import tempfile

from harness import TOP, equal, expect, has, read, reader, test

try:
    import jsonschema
except ImportError:
    jsonschema = None

# Of thread N the first tally is 1000 * (N + 1), the second twice that ...; CPU N has what thread N has.
FAKE = "threads=3 nodes=2"
MEMORY = "faults,instructions,local-memory,remote-memory"
NO_COUNTER = "this processor, or this virtual machine, has no such counter"


def run(*words, fake=FAKE, folder=None, log=None):
    return reader(*words, *(() if folder else ("--no-save",)), "--", "true", fake=fake, cwd=folder, log=log)


def document(*words, fake=FAKE, err=""):
    with tempfile.TemporaryDirectory() as folder:
        result = run("-o", "x.json", *words, fake=fake, folder=folder)
        equal((result.status, result.err), (0, err))
        made = json.loads(read(os.path.join(folder, "x.json")))
    if jsonschema:
        schema = json.loads(read(os.path.join(TOP, "docs", "schema", "report.schema.json")))
        jsonschema.Draft202012Validator(schema).validate(made)
    return made


def table(text):
    """What the view prints of counters."""
    found = re.search(r"^ +in all.*?(?=^Checks)", text, re.M | re.S)
    expect(found, text)
    return found.group(0)


@test
def counters_are_asked_of_the_module():
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        equal(run("--counters", "migrations,cycles,r1a2B,remote-memory", log=log).status, 0)
        calls = read(log)
    equal(re.findall(r"^tally (.*)", calls, re.M),
          ["source=1 type=0 config=0", "source=2 type=0 config=0", "source=2 type=4 config=0x1a2b",
           "source=2 type=3 config=0x10006"])
    expect(int(re.search(r" flags=(\d+) ", calls).group(1)) & 1 << 12, calls)
    expect(calls.index("ADD_TALLY") < calls.index("START") < calls.index("THREAD_TALLIES"), calls)
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        run(log=log)
        expect("TALL" not in read(log), read(log))


@test
def counters_are_in_json():
    made = document("--counters", MEMORY)
    # of threads 0, 1 and 2; instructions have config 1, and node loads 6
    equal([(row["name"], row["count"], row["complete"], row["not_counted_why"]) for row in made["counters"]],
          [("faults", 6000, True, None), ("instructions", 12003, True, None), ("local-memory", 12000, True, None),
           ("remote-memory", 6018, True, None)])
    expect(all(row["per_second_on_cpus"] > 0 for row in made["counters"]), made["counters"])
    equal([(row["tid"], row["comm"], row["counts"]["faults"], row["counts"]["remote-memory"])
           for row in made["counters_by_thread"]],
          [(1002, "worker-2", 3000, 3006), (1001, "worker-1", 2000, 2006), (1000, "worker-0", 1000, 1006)])
    # node 0 has CPUs 0 and 1, node 1 has CPUs 2 and 3
    equal([(row["node"], row["counts"], round(row["local_percent"], 2)) for row in made["counters_by_node"]],
          [(0, {"faults": 3000, "instructions": 6002, "local-memory": 6000, "remote-memory": 3012}, 66.58),
           (1, {"faults": 3000, "instructions": 6001, "local-memory": 6000, "remote-memory": 3006}, 66.62)])
    equal(len(document("--counters", "faults", "--top", "1")["counters_by_thread"]), 1)
    expect(not {"counters", "counters_by_thread", "counters_by_node"} & set(document()))


@test
def counters_are_a_view():
    text = run("--counters", MEMORY, "--view", "counters").out
    rows = table(text).splitlines()
    expect(max(len(row) for row in rows) <= 100, rows)
    expect(any(re.fullmatch(r" +6000 +\S+  faults", row) for row in rows), rows)
    expect(any(re.fullmatch(r" +6018 +\S+  remote-memory", row) for row in rows), rows)
    expect("    tid  faults instructions local-memory remote-memory local %  thread" in rows, rows)
    expect("   1002    3000         6001         6000          3006    66.6  worker-2" in rows, rows)
    expect("      0    3000         6002         6000          3012    66.6" in rows, rows)
    has(text, "66.6 % of these loads from memory were local to the CPU's node.\n")
    has(run("--view", "counters").out, "This recording has no counters: record with --counters LIST.")
    has(run("--counters", "faults", "--view", "counters", "--top", "1").out, "     2 more: --top N or -v shows them")


@test
def places_say_what_was_counted_there():
    fake = "threads=3 counted=1"
    there = document("--counters", "faults,migrations", fake=fake)["places"][0]["counters"]
    equal(there, {"counted_s": 0.001, "per_critical_second": {"faults": 1203000, "migrations": 17000},
                  "incomplete": ["migrations"], "local_percent": None})
    has(run("--counters", "faults,migrations", fake=fake).out,
        "    each critical second: faults 1.20M, migrations >=17.0k\n")
    with tempfile.TemporaryDirectory() as folder:
        run("--counters", "faults,migrations", "-o", "x.data", fake=fake, folder=folder)
        later = reader("report", "--format", "json", "x.data", cwd=folder)
        equal(json.loads(later.out)["places"][0]["counters"], there)
    # without the option
    expect(not any("counters" in row for row in document(fake=fake)["places"]))


@test
def what_exited_threads_had_is_one_row():
    text = run("--counters", "faults,migrations", "--view", "counters", fake="threads=3 exited=7").out
    has(text, "\n      -       7         14  (others)\n")
    has(text, "(others): threads that have no row of their own")
    row = document("--counters", "faults,migrations", fake="threads=3 exited=7")["counters_by_thread"][-1]
    equal((row["tid"], row["tgid"], row["counts"]), (None, None, {"faults": 7, "migrations": 14}))


@test
def all_counters_fit_in_tables_side_by_side():
    done = run("--counters", "all", "--view", "counters")
    rows = table(done.out).splitlines()
    expect(max(len(row) for row in rows) <= 100, rows)
    equal(len([row for row in rows if row.startswith("    tid ")]), 2)
    equal(len([row for row in rows if row.endswith("  worker-1")]), 2)


@test
def the_report_has_one_line():
    lines = [line for line in run("--counters", "faults,migrations").out.splitlines() if line.startswith("Counters")]
    equal(lines, ["Counters     faults 6000, migrations 12.0k; --view counters has threads and nodes"])
    lines = [line for line in run("--counters", "all").out.splitlines() if "--view counters" in line]
    equal(len(lines), 1)
    expect(lines[0].startswith("Counters     faults 6000, migrations 12.0k") and len(lines[0]) <= 100, lines)
    has(lines[0], " more; --view counters")
    expect("Counters" not in run().out)


@test
def stats_have_the_tables():
    text = run("--level", "stats", "--counters", "faults").out
    has(text, "    tid  faults  thread\n   1002    3000  worker-2\n")


@test
def what_is_refused_is_not_counted():
    done = run("--counters", "faults,cycles,migrations", "--view", "counters", fake=FAKE + " refuse_perf=1")
    why = "only who has CAP_PERFMON may count it: run gapp-read with sudo"
    equal((done.status, done.err), (0, f"gapp: --counters: not counted: cycles ({why})\n"))
    has(done.out, f"not counted: cycles ({why})\n")
    has(done.out, "    tid  faults migrations  thread\n   1002    3000       6000  worker-2\n")
    made = document("--counters", "faults,cycles", fake=FAKE + " refuse_perf=1", err=done.err)
    equal(made["counters"][1], dict(name="cycles", count=None, per_second_on_cpus=None, complete=False, not_counted_why=why))
    equal(made["counters_by_thread"][0]["counts"], {"faults": 3000})


@test
def reasons_are_said_once():
    # what misses the node is subtracted from all loads
    done = run("--counters", MEMORY, fake=FAKE + " refuse_config=0x10006")
    equal((done.status, done.err), (0, f"gapp: --counters: not counted: local-memory, remote-memory ({NO_COUNTER})\n"))
    has(done.out, "Counters     faults 6000, instructions 12.0k; ")


@test
def a_recording_goes_on_without_any_counter():
    done = run("--counters", "cycles,instructions", fake=FAKE + " refuse_perf=19")
    equal((done.status, done.err), (0, f"gapp: --counters: not counted: cycles, instructions ({NO_COUNTER})\n"))
    has(done.out, "Counters     nothing was counted; --view counters says why\n")
    done = run("--counters", "cycles", "--view", "counters", fake=FAKE + " refuse_perf=16")
    has(done.out, "not counted: cycles (the processor has no counter left: give fewer --counters)\n")
    expect(" in all " not in done.out, done.out)


@test
def what_lacks_something_is_marked():
    fake = FAKE + " uncounted=2"
    text = run("--counters", "faults,migrations", "--view", "counters", fake=fake).out
    has(text, "   1001    2000     >=4000  worker-1\n")
    has(text, "   1002    3000       6000  worker-2\n")
    has(text, "      0    3000     >=6000\n")
    equal(text.count(">= at least, ~ about: a thread ran while nothing counted it"), 1)
    has(run("--counters", "faults,migrations", fake=fake).out, "Counters     faults 6000, migrations >=12.0k; ")
    made = document("--counters", "faults,migrations", fake=fake)
    equal([row["complete"] for row in made["counters"]], [True, False])
    equal([row["incomplete"] for row in made["counters_by_thread"]], [[], ["migrations"], []])
    equal([row["incomplete"] for row in made["counters_by_node"]], [["migrations"], []])
    # a difference may be too large as well
    text = run("--counters", "local-memory,remote-memory", "--view", "counters", fake=fake).out
    expect(re.search(r"^   1001 +~3500 +>=\d+ +~\S+  worker-1$", text, re.M) or
           re.search(r"^   1001 +~\d+ +>=\d+ +~\S+  worker-1$", text, re.M), text)


@test
def an_older_module_has_no_counters():
    run("--counters", "faults", fake="minor=16").is_refusal(
        125, "--counters: the loaded module is too old: load that of this gapp-read")
    equal(run(fake="minor=16").status, 0)
    run("--counters", "faults", fake="THREAD_TALLIES=5").is_refusal(125, "cannot read the session's figures")
    run("--counters", "faults", fake="CPU_TALLIES=5").is_refusal(125, "cannot read the session's figures")


@test
def lists_are_checked():
    for value in "", "fault", "faults,", "r", "rxyz":
        run("--counters", value).is_refusal(2, f"--counters: '{value}' is not a list of faults, ")
    run("--counters", "all,r1").is_refusal(2, "the module counts 8 at most")
    run("--counters", "faults", "--keep", "10s").is_refusal(2, "--keep and --counters exclude each other")
    reader("-o", "x.counters.csv", "--", "true", fake=FAKE).is_refusal(
        2, "-o x.counters.csv is made of what --counters asks for: give --counters LIST, too")
    run("-o", "x.counters.csv", "--counters", "faults").is_refusal(
        2, "-o x.counters.csv is made of the recording's file: leave out --no-save")
    reader("report", "--counters", "faults", "x").is_refusal(2, "--counters has no meaning with report")


@test
def counters_are_reported_later():
    fake = FAKE + " uncounted=1 exited=4"
    with tempfile.TemporaryDirectory() as folder:
        first = run("--counters", "all", "--view", "counters", "-o", "x.json", fake=fake, folder=folder)
        later = reader("report", "--view", "counters", "-o", "y.json", cwd=folder)
        equal((later.status, later.err), (0, ""))
        equal(table(later.out), table(first.out))
        a, b = (json.loads(read(os.path.join(folder, name))) for name in ("x.json", "y.json"))
        for member in "counters", "counters_by_thread", "counters_by_node":
            equal(b[member], a[member], member)
        run("-o", "z.data", folder=folder)
        has(reader("report", "--view", "counters", "z.data", cwd=folder).out, "This recording has no counters")


def damage(path, kind):
    """Spoils the data of the first block of a type."""
    head = struct.Struct("<4sIQIIIIII")
    with open(path, "r+b") as file:
        data, at = file.read(), 16
        while head.unpack_from(data, at)[1] != kind:
            at += head.size + head.unpack_from(data, at)[5]
        file.seek(at + head.size)
        file.write(bytes([data[at + head.size] ^ 1]))


@test
def a_damaged_file_has_no_figures():
    with tempfile.TemporaryDirectory() as folder:
        run("--counters", "faults,migrations", fake="threads=3", folder=folder)
        damage(os.path.join(folder, "gapp.data"), 42)
        done = reader("report", "--view", "counters", "-o", "x.json", cwd=folder)
        has(done.err, "is damaged in 1 place")
        has(done.out, "The recording's file is damaged: its counters are missing.\n")
        made = json.loads(read(os.path.join(folder, "x.json")))
        equal([(row["count"], row["complete"]) for row in made["counters"]], [(None, False)] * 2)
        equal((made["counters_by_thread"], made["counters_by_node"]), ([], []))
        has(reader("report", cwd=folder).out, "Counters     not in the recording's file, which is damaged\n")


@test
def merged_recordings_have_no_counters():
    with tempfile.TemporaryDirectory() as folder:
        run("--counters", "faults", "-o", "a.data", fake="threads=3", folder=folder)
        run("-o", "b.data", fake="threads=3", folder=folder)
        done = reader("merge", "a.data", "b.data", "-o", "m.data", cwd=folder)
        equal((done.status, done.err),
              (0, "gapp: a.data has counters, which are of its run alone: the merged recording has none\n"))
        has(reader("report", "--view", "counters", "m.data", cwd=folder).out, "This recording has no counters")


# Tallies of CPUs grow while the session runs, for 300 ms, and come to what they come to.
GROWING = FAKE + " growing=300"


def grown(*words, fake=GROWING, folder=None, seconds="0.45"):
    done = reader(*words, "--", "sleep", seconds, fake=fake, cwd=folder)
    equal((done.status, done.err), (0, ""))
    return done


def series(folder, name="x.json"):
    return json.loads(read(os.path.join(folder, name)))


def adds_up(made):
    """Steps add up to the counts, of all CPUs and of each node; returns the steps."""
    over = made["counters_over_time"]
    for row in made["counters"]:
        if row["count"] is not None:
            equal(sum(over["in_all"]["counts"][row["name"]]), row["count"], row["name"])
    for node, sums in zip(over["by_node"], made["counters_by_node"]):
        equal(node["node"], sums["node"])
        equal({name: sum(counts) for name, counts in node["counts"].items()}, sums["counts"], sums["node"])
    equal(over["end_s"], sorted(set(over["end_s"])))
    for row in (over["in_all"], *over["by_node"]):
        expect(all(len(counts) == len(over["end_s"]) for counts in row["counts"].values()), over)
    return over


@test
def counters_over_time_add_up():
    with tempfile.TemporaryDirectory() as folder:
        grown("--counters", MEMORY, "-o", "x.json", fake=FAKE + " growing=700", folder=folder, seconds="1.5")
        made = series(folder)
        over = adds_up(made)
        # a point each tenth of a second, or fewer on a busy machine; nothing comes when it has grown
        ends, faults = over["end_s"], over["in_all"]["counts"]["faults"]
        expect(3 <= len(ends) <= 10 * ends[-1] + 2, ends)
        expect(ends[-1] >= 1.49 and ends[0] < 0.7, ends)
        expect(0 < faults[0] < 6000, over)
        # a point is read between the time of the one before it and its own
        for before, count in zip(ends, faults[2:]):
            expect(count == 0 or before < 0.7, over)
        expect(all(part is None or 60 < part < 70 for part in over["in_all"]["local_percent"]), over)
        equal(over["in_all"]["local_percent"][-1], None)
        equal([node["incomplete_from_s"] for node in over["by_node"]], [{}, {}])
        # and later it is what it was
        equal(reader("report", "-o", "y.json", cwd=folder).status, 0)
        equal(series(folder, "y.json")["counters_over_time"], over)


@test
def counters_over_time_are_not_in_other_recordings():
    expect("counters_over_time" not in document("--counters", "cycles", fake=FAKE + " refuse_perf=19",
                                                err=f"gapp: --counters: not counted: cycles ({NO_COUNTER})\n"))
    expect("counters_over_time" not in document())
    # not kept, and at level stats
    with tempfile.TemporaryDirectory() as folder:
        grown("--no-save", "--level", "stats", "--counters", "faults", "-o", "x.json", folder=folder)
        expect(len(adds_up(series(folder))["end_s"]) >= 3)
        equal(os.listdir(folder), ["x.json"])


@test
def what_is_missing_is_said_from_its_step_on():
    made = document("--counters", "faults,migrations", fake=FAKE + " uncounted=2")
    over = adds_up(made)
    equal([over["in_all"]["incomplete_from_s"], *(node["incomplete_from_s"] for node in over["by_node"])],
          [{"migrations": 0}, {"migrations": 0}, {}])


@test
def counters_over_time_are_a_table():
    with tempfile.TemporaryDirectory() as folder:
        fake = GROWING + " refuse_perf=19 uncounted=1"
        done = reader("--counters", "faults,cycles", "-o", "a.counters.csv", "-o", "x.json", "--", "sleep", "0.3",
                      fake=fake, cwd=folder)
        equal((done.status, done.err), (0, f"gapp: --counters: not counted: cycles ({NO_COUNTER})\n"))
        text = read(os.path.join(folder, "a.counters.csv"))
        equal(text.splitlines()[0], "start_ns,stop_ns,node,faults,incomplete")
        table_rows = list(csv.DictReader(io.StringIO(text)))
        over = adds_up(series(folder))
        for node, row in (("all", over["in_all"]), ("0", over["by_node"][0]), ("1", over["by_node"][1])):
            equal([int(one["faults"]) for one in table_rows if one["node"] == node], row["counts"]["faults"], node)
        equal([round(int(one["stop_ns"]) / 1e9, 9) for one in table_rows if one["node"] == "all"], over["end_s"])
        equal({one["incomplete"] for one in table_rows if one["node"] == "0"}, {"faults"})
        equal({one["incomplete"] for one in table_rows if one["node"] == "1"}, {""})
        equal(reader("export", "-o", "b.counters.csv", cwd=folder).status, 0)
        equal(read(os.path.join(folder, "b.counters.csv")), text)
        run("-o", "z.data", folder=folder)
        reader("export", "-o", "c.counters.csv", "z.data", cwd=folder).is_refusal(
            125, "the recording has no counters over time, which .counters.csv is made of: record with --counters LIST")
        grown("--counters", "local-memory,remote-memory", "-o", "d.counters.csv", folder=folder)
        table_rows = list(csv.DictReader(io.StringIO(read(os.path.join(folder, "d.counters.csv")))))
        equal(list(table_rows[0]), ["start_ns", "stop_ns", "node", "local-memory", "remote-memory", "local_percent", "incomplete"])
        for one in table_rows:
            loads = int(one["local-memory"]) + int(one["remote-memory"])
            equal(one["local_percent"], f"{int(one['local-memory']) * 100 / loads:.2f}" if loads else "", one)


@test
def damaged_points_are_left_out():
    with tempfile.TemporaryDirectory() as folder:
        grown("--counters", "faults", folder=folder)
        damage(os.path.join(folder, "gapp.data"), 43)
        done = reader("report", "--view", "counters", "-o", "x.json", cwd=folder)
        equal(done.status, 0)
        has(done.err, "is damaged in 1 place")
        made = series(folder)
        expect("counters_over_time" not in made, made)
        equal(made["counters"][0]["count"], 6000)
        done = reader("export", "-o", "c.counters.csv", cwd=folder)
        equal(done.status, 125)
        has(done.err, "the recording has no counters over time")


@test
def counters_over_time_stand_beside_records():
    with tempfile.TemporaryDirectory() as folder:
        # the stand-in has its records in the first moment
        grown("--records", "--counters", "faults", "-o", "x.json", fake=GROWING + " records=40", folder=folder)
        adds_up(series(folder))
        script = reader("script", "gapp.data", cwd=folder)
        equal((script.status, script.err, script.out.count(" wake ")), (0, "", 40))
        done = reader("merge", "gapp.data", "gapp.data", "-o", "m.data", cwd=folder)
        expect("counters_over_time" not in reader("report", "--format", "json", "m.data", cwd=folder).out, done.err)


@test
def the_module_is_asked_now_and_then():
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        reader("--no-save", "--counters", "faults", "--", "sleep", "0.55", fake=GROWING, log=log)
        # two calls for each time, the second one finds no more; and once at the end
        asked = read(log).count("CPU_TALLIES") / 2
        expect(2 <= asked <= 7, asked)
    with tempfile.TemporaryDirectory() as folder:
        done = reader("--no-save", "--counters", "faults", "--", "sleep", "0.3", fake=FAKE + " CPU_TALLIES=5", cwd=folder)
        # once while it records, and once at the end
        equal((done.status, done.err.count("cannot read the session's figures")), (125, 2))


@test
def the_page_and_traces_have_counters():
    with tempfile.TemporaryDirectory() as folder:
        grown("--level", "trace", "--counters", MEMORY, "-o", "x.html", "-o", "x.trace.json", "-o", "x.pftrace",
              "-o", "x.json", folder=folder)
        over = series(folder)["counters_over_time"]
        page = read(os.path.join(folder, "x.html"))
        report = json.loads(re.search(r'id="gapp-report">\n(.*?)\n</script>', page, re.S)[1])
        equal(report["counters_over_time"], over)
        has(page, 'section id="counters"')
        events = [event for event in series(folder, "x.trace.json")["traceEvents"] if event["ph"] == "C"]
        faults = [event for event in events if event["name"] == "faults a second"]
        equal(len(faults), len(over["end_s"]))
        begins = [0, *over["end_s"]]
        for i, event in enumerate(faults):
            for node in 0, 1:
                rate = over["by_node"][node]["counts"]["faults"][i] / (begins[i + 1] - begins[i])
                expect(abs(event["args"][f"node {node}"] - rate) <= 0.001 * rate + 0.001, event, rate)
        expect([event["name"] for event in events if event["name"] == "local memory %, node 1"], events)
        expect(os.path.getsize(os.path.join(folder, "x.pftrace")) > 1000)


@test
def top_shows_running_totals():
    fake = GROWING.replace("growing=300", "growing=2000") + " refuse_config=1"
    done = reader("top", "-d", "1", "--interval", "0.4", "--counters", "faults,instructions,local-memory,remote-memory",
                  "-a", fake=fake)
    equal(done.status, 0)
    has(done.err, f"gapp: --counters: not counted: instructions ({NO_COUNTER})")
    looks = re.findall(r"^Counters     faults (\d+), now (\S+)/s; node 0: (\d+), now (\S+)/s; node 1: (\d+), now (\S+)/s$",
                       done.out, re.M)
    expect(len(looks) >= 2, done.out)
    for whole, _, one, _, other, _ in looks:
        expect(abs(int(whole) - int(one) - int(other)) <= 1, looks)
    expect(all(int(a[0]) < int(b[0]) for a, b in zip(looks, looks[1:])), looks)
    # 6000 in two seconds; the last look comes behind STOP, where the stand-in has come to the end
    expect(2000 < int(looks[0][1]) < 4000, looks)
    equal(looks[-1][0], "6000")
    has(" ".join(done.out.split()), f"not counted: instructions ({NO_COUNTER})")
    expect(re.search(r"^             local memory 6\d\.\d %, now 6\d\.\d %; node 0: 6\d\.\d %, now ", done.out, re.M), done.out)
    expect("Counters" not in reader("top", "-d", "0.2", "-a", fake=FAKE).out)


@test
def the_whole_machine_is_counted():
    with tempfile.TemporaryDirectory() as folder:
        done = reader("-a", "-d", "0.3", "--counters", "faults", "-o", "x.json", fake=GROWING, cwd=folder)
        equal((done.status, done.err), (0, ""))
        adds_up(series(folder))

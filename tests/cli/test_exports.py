# SPDX-License-Identifier: GPL-2.0
"""-o and --format with the formats of other programs; tests/exports/run reads what they hold."""

import csv
import gzip
import io
import json
import os
import tempfile

from harness import Sleeper, equal, expect, has, read, reader, test


@test
def each_suffix_has_its_format():
    with tempfile.TemporaryDirectory() as folder:
        names = ["a.csv", "b.folded", "c.pb.gz", "d.speedscope.json", "e.json"]
        words = [word for name in names for word in ("-o", os.path.join(folder, name))]
        result = reader(*words, "--", "true")
        equal((result.status, result.err), (0, ""))
        table, folded, pprof, scope, report = (os.path.join(folder, name) for name in names)
        rows = list(csv.DictReader(io.StringIO(read(table)), strict=True))
        equal(len([row for row in rows if row["row"] == "thread"]), len(json.loads(read(report))["threads"]))
        for line in read(folded).splitlines():
            expect(line.rpartition(" ")[2].isdigit(), line)
        with gzip.open(pprof) as file:
            has(file.read().decode("latin-1"), "critical")
        scope = json.loads(read(scope))
        equal(scope["profiles"][0]["name"], "all threads: critical time")
        expect("$schema" not in json.loads(read(report)))


@test
def csv_and_folded_go_to_standard_output_too():
    with Sleeper() as sleeper:
        words = ("-p", sleeper.pid, "-d", "0.01", "--format")
        result = reader(*words, "csv")
        equal((result.status, result.err), (0, ""))
        expect(result.out.startswith("row,rank,kind,"), result.out)
        result = reader(*words, "folded")
        equal((result.status, result.err), (0, ""))
        expect(all(line.rpartition(" ")[2].isdigit() for line in result.out.splitlines()))
    reader("--format", "csv", "--", "true").is_refusal(2, "--format csv", "give -o FILE.csv")


@test
def wakers_are_folded_if_there_are_any():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.folded")
        result = reader("-o", path, "--view", "wakers", "--level", "trace", "--", "true")
        equal((result.status, result.err), (0, ""))
        data = os.path.join(folder, "a.data")
        equal(reader("-o", data, "--", "true").status, 0)
        result = reader("export", "-o", path, "--view", "wakers", data)
        result.is_refusal(125, f"{data} has no wake-ups", "record with --level trace --view wakers")


@test
def statistics_have_no_call_paths_to_export():
    with tempfile.TemporaryDirectory() as folder:
        for name in ("a.folded", "a.pb.gz", "a.speedscope.json"):
            path = os.path.join(folder, name)
            result = reader("--level", "stats", "-o", path, "--", "true")
            result.is_refusal(2, "--level stats", "use --level critical")
        path = os.path.join(folder, "a.csv")
        equal(reader("--level", "stats", "-o", path, "--", "true").status, 0)
        has(read(path), "\nthread,")

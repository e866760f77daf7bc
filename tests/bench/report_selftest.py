# SPDX-License-Identifier: GPL-2.0
"""tests/bench/report on made-up figures: what is measured is told, what is not is never guessed."""

import json
import os
import tempfile
from pathlib import Path

import report_document
import report_origin
from figures import NOT_MEASURABLE, TOP, rounded, verdict
from report_page import page

VERDICTS = (  # value, spread, what else the row has, verdict
    (250, 1, {}, "reached"),
    (400, 1, {}, "within the limit; what was aimed at: 150 above, 1.60 times as much"),
    (500, 1, {}, "not reached: 100 above, 1.25 times as much"),
    (30, 100, {}, "reached: too little to be measured"),
    (30, 201, {}, "not decided: the spread is too large for this limit"),
    (52, 0, {"measurable": False}, "not decided: measured too seldom"),
    (200, 1, {"told": {"lost": 3}}, "not decided: 3 records were lost, which cost no reader"),
    (200, 1, {"told": {"frames": [12]}}, "not decided: paths had 12 frames"),
    (3, 4, {"limit": NOT_MEASURABLE}, "reached: not measurable"),
    (9, 4, {"limit": NOT_MEASURABLE}, "not reached: it can be measured"))
ON_THE_PAGE = (
    "| target, `stats` | 400 | 250 | **697** | 1 | **not reached** | `tests/bench/x --only pipe/stats` |",
    "(title of threads), % | 4 | - | **15.2** | 1 | **not reached** |", "| title of threads | - | **15.2** |",
    "| `trace`, no call paths | - | - | - | - | **not measured** |",
    "- `events`: pipe/trace: the guest did not come so far (`tests/bench/events --only pipe/trace`)",
    "Of the 18 numbers that are asked for, 3 are reached, 2 are not reached, 13 are not measured.",
    "measured at commit `abc1234`", "| 6.7 | `gapp-trace` | `perf` |", "**in 2 boots: not to be compared**",
    "table of call paths, KiB | 32,768 | - | 17,408 | - | reached | `tests/bench/x --only large/memory` |",
    "table of call paths, KiB | 19,000 | - | `tests/bench/x --only large/memory/report` |",
    "of 10^7 records, seconds | 1.2 | - | `tests/bench/x --only large/report` |", "579 of the 688", "| `stats`, 4 threads | 586 | 1 | `tests/bench/x --only threads/stats/4` |")


def row(row_id, value, spread=1.0, **rest):
    return {"id": row_id, "title": f"title of {row_id}", "command": f"tests/bench/x --only {row_id}",
            "unit": "instructions per switch", "value": value, "spread": spread, "pairs": 20,
            "measurable": value != 0 and abs(value) >= 2 * (spread or 0), **rest}


ROWS = {"events": [row("pipe/stats", 697.3, limit=400, reach=250), row("pipe/fp8", 900, limit=1500),
                   row("pipe/loaded", 1, 4, limit=NOT_MEASURABLE)],
        "peers": [row("pipe/gapp-trace", 500, boot="1"), row("pipe/gapp-stats", 1, 4, boot="1"),
                  row("pipe/perf", 3330, boot="2", against="pipe/gapp-trace", note="a | b")],
        "programs": [row(name, value, alone=1e9, limit=4, unit="% of its instructions")
                     for name, value in (("pigz", 2.5), ("threads", 15.25))],
        "scale": [row("threads/stats/4", 586)], "tables": [row("made/libc", 3)],
        "reader": [row("instructions/auto", 1707), row("large/memory", 17408, None, limit=32768),
                   row("large/memory/report", 19000, None), row("large/report", 1.24, None)],
        "contention": [row("change/module", 500, 1)],
        "profile": [row("pipe/stats", 500, counted=688, objects={"gapp": 579}, functions=[
            {"object": "gapp", "function": "slow", "added": 234, "on": 300}])]}


def part(name, *rows, missing=(), **rest):
    sums = {what: report_origin.sum_of(what) for what in report_origin.measures(name)}
    return {"part": name, "command": f"tests/bench/{name}", "kernel": "6.12", "sources": {**sums, "unknown": []},
            "rows": list(rows), "missing": list(missing), **rest}


class Tests:
    def __init__(self, folder):
        self.failed, self.folder = 0, folder

    def expect(self, name, got, wanted):
        self.failed += got != wanted
        print(f"not ok - bench report: {name} (got {got!r}, not {wanted!r})" if got != wanted else
              f"ok - bench report: {name}")

    def document(self, *parts):
        for data in parts:
            (self.folder / f"{data['part']}.json").write_text(json.dumps(data))
        return report_document.document(self.folder, "abc1234")

    def figures(self):
        for value, spread, rest, wanted in VERDICTS:
            judged = row("pipe/fp32", value, spread, **{"limit": 400, "reach": 250, **rest})
            self.expect(f"the verdict {wanted}", verdict(judged), wanted)
        self.expect("rounded", [*map(rounded, (0.0001, -0.0001, 0.0, 0.62149, 6.04, 1234.5678))],
                    [0.001, -0.001, 0, 0.621, 6.0, 1235])
        missing = [{"id": "pipe/trace", "reason": "the guest did not come so far"}]
        whole = self.document(*(part(name, *rows, missing=missing if name == "events" else ())
                                for name, rows in ROWS.items()))
        self.expect("no row is lost", {name: [one["id"] for one in some["rows"]] for name, some in
                                       whole["parts"].items()},
                    {name: [one["id"] for one in rows] for name, rows in ROWS.items()})
        self.expect("the file is JSON of it", json.loads(report_document.text(whole)), whole)
        said = page(whole)
        for wanted in ON_THE_PAGE:
            self.expect(f"on the page: {wanted}", wanted if wanted in said else said, wanted)

    def kept(self):
        """What is not measured again keeps its figures and its commit."""
        former = self.document(*(part(name, *rows) for name, rows in ROWS.items()))
        (self.folder / "peers.json").unlink()
        self.document(part("scale", row("threads/stats/4", 600)))
        whole = report_document.document(self.folder, "def5678", former)
        self.expect("a part not measured again", whole["parts"]["peers"], former["parts"]["peers"])
        self.expect("a part measured again", [(one["commit"], one["rows"][0]["value"]) for one in
                                              (former["parts"]["scale"], whole["parts"]["scale"])],
                    [("abc1234", 586), ("def5678", 600)])
        wanted, said = "at commit `def5678`, those of `tests/bench/peers` at `abc1234`", page(whole)
        self.expect("both commits", wanted if wanted in said else said, wanted)

    def files(self):
        good = part("scale", row("a", 1))
        for data, wanted in (
                (good, []), (part("scale", {"id": "a"}), ["scale.json is not of tests/bench/scale, or has a row "
                                                          "without id, title, command, unit, value"]),
                (part("scale", {**row("a", 1), "value": None}), ["the value of a is no number"]),
                ({**good, "sources": {**good["sources"], "module": "0"}},
                 ["measured with other sources of the module"]),
                ({**good, "sources": {"module": None, "unknown": ["GAPP_KO names another"]}},
                 ["GAPP_KO names another"]),
                ({**good, "sources": None}, ["it is not recorded of which sources it is"])):
            scale = self.document(data)["parts"]["scale"]
            self.expect(f"a file: {wanted}", ([gone["reason"] for gone in scale["missing"]], len(scale["rows"])),
                        (wanted, not wanted))

    def tree(self):
        self.expect("nothing measured", "18 are not measured." in page(report_document.document(TOP / "none", "-")), True)
        whole = json.loads((TOP / "docs/performance.json").read_text(encoding="utf-8"))
        self.expect("docs/performance.md is of the figures", (TOP / "docs/performance.md").read_text(), page(whole))
        self.expect("the form is told", whole["form"], json.loads(report_document.FORM.read_text()))

    def origin(self):
        """A tree of our own: what was measured is known only if the build is of these sources."""
        top = self.folder / "top"
        ko, reader, copy = top / "build/6.12/gapp.ko", top / "gapp-read", top / "copy.ko"
        for file in ("kmod/a.c", "user/c.c", "user/build.mk", "VERSION", "Kbuild", ko, reader, copy):
            (top / file).parent.mkdir(parents=True, exist_ok=True)
            (top / file).write_text("built")
        later = reader.stat().st_mtime_ns
        os.utime(ko, ns=(later, later))

        def unknown(**environment):
            return report_origin.Origin("events", "6.12", top, environment).sources()["unknown"]

        origin = report_origin.Origin("events", "6.12", top, {"GAPP_KO": str(copy)})
        before = origin.sources()
        self.expect("built of these sources", report_origin.difference("events", before, top), None)
        copy.write_text("another")
        self.expect("another", unknown(GAPP_KO=str(copy)), ["GAPP_KO names another one than build/6.12/gapp.ko"])
        (top / "user/c.c").write_text("changed")
        os.utime(top / "user/c.c", ns=(later + 1, later + 1))
        self.expect("changed and not built", unknown(), ["gapp-read is older than user/c.c: make gapp-read"])
        self.expect("changed while it was measured", origin.sources()["reader"], None)
        self.expect("figures of before the change", report_origin.difference("events", before, top),
                    "measured with other sources of the reader")
        ko.unlink()
        self.expect("not built", unknown()[0], "build/6.12/gapp.ko does not exist: make lab-6.12")


def run():
    """The exit status."""
    with tempfile.TemporaryDirectory(prefix="gapp-report.") as name:
        tests = Tests(Path(name))
        for test in (tests.figures, tests.kept, tests.files, tests.tree, tests.origin):
            test()
    return 1 if tests.failed else 0

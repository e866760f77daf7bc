# SPDX-License-Identifier: GPL-2.0
"""tests/bench/report on made-up figures: what is measured is told, what is not is never guessed."""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import tempfile
from pathlib import Path

import figures
import report_asked
import report_origin
import report_parts
import report_text
from figures import NOT_MEASURABLE

UNIT = "instructions per switch"


def row(row_id, value, spread=1.0, **rest):
    return {"id": row_id, "title": f"title of {row_id}", "command": f"tests/bench/x --only {row_id}",
            "unit": UNIT, "value": value, "spread": spread,
            "measurable": value != 0 and abs(value) >= 2 * spread, "pairs": 20, **rest}


def part(name, *rows, missing=(), **rest):
    sums = {what: report_origin.sum_of(what) for what in report_origin.measures(name)}
    return {"part": name, "command": f"tests/bench/{name}", "kernel": "6.12", "machine": {},
            "sources": {**sums, "unknown": []}, "rows": list(rows), "missing": list(missing), **rest}


def put(folder, *parts):
    for data in parts:
        (folder / f"{data['part']}.json").write_text(json.dumps(data))


def loaded(name):
    """A script of this folder, which has no name that can be imported."""
    loader = importlib.machinery.SourceFileLoader(name, str(Path(__file__).resolve().parent / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


def line_of(text, beginning):
    """Of a table, without its bars."""
    for line in text.splitlines():
        if line.startswith(f"| {beginning} |"):
            return [cell.strip() for cell in line.strip("|").split(" | ")]
    return None


class Tests:
    def __init__(self, page):
        self.page, self.failed = page, 0

    def expect(self, name, got, wanted):
        if got == wanted:
            print(f"ok - bench report: {name}")
        else:
            self.failed += 1
            print(f"not ok - bench report: {name} (got {got!r}, not {wanted!r})")

    def page_of(self, *parts, any_sources=False):
        with tempfile.TemporaryDirectory(prefix="gapp-report.") as name:
            put(Path(name), *parts)
            return self.page(report_parts.load_all(Path(name), any_sources))

    def verdicts(self):
        def kind(value, spread=1.0, limit=400, reach=250, **rest):
            return report_text.verdict(row("pipe/x", value, spread, limit=limit, reach=reach, **rest))[0]

        self.expect("what is aimed at is reached", kind(250), report_text.AIMED)
        self.expect("within the limit only", kind(400), report_text.WITHIN)
        self.expect("above the limit", kind(401), report_text.ABOVE)
        self.expect("not measurable, and far below", kind(30, 100), report_text.AIMED)
        self.expect("not measurable, and a spread that hides the limit", kind(30, 201),
                    report_text.UNDECIDED)
        self.expect("one pair decides nothing", kind(52, 0, measurable=False, pairs=1),
                    report_text.UNDECIDED)
        self.expect("records were lost", kind(200, told={"lost": 3}), report_text.UNDECIDED)
        self.expect("must not be measurable, and is not", kind(3, 4, NOT_MEASURABLE), report_text.AIMED)
        self.expect("must not be measurable, but is", kind(9, 4, NOT_MEASURABLE), report_text.ABOVE)
        frames = report_text.verdict(row("pipe/fp32", 1000, limit=2500, told={"frames": [12], "lost": 0}))
        self.expect("paths of too few frames", frames,
                    (report_text.UNDECIDED, "not decided: paths had 12 frames"))
        self.expect("by how much", report_text.verdict(row("pipe/x", 500, limit=400, reach=250))[1],
                    "not reached: 100 above, 1.25 times as much")

    def ratios(self):
        ratio = report_text.ratio
        self.expect("a ratio", ratio(row("a", 3330), row("b", 250)), "13.3")
        self.expect("two digits at least", [ratio(row("a", value), row("b", 1000, 1)) for value in
                                            (15.6, 226, 996, 1450, 99600, 136000, -31.6)],
                    ["0.016", "0.23", "1.0", "1.4", "100", "136", "-0.032"])
        self.expect("of what is not measurable", ratio(row("a", 3330), row("b", 1, 4)), NOT_MEASURABLE)
        self.expect("to 0", ratio(row("a", 3330), {**row("b", 0), "measurable": True}), NOT_MEASURABLE)
        self.expect("to nothing", ratio(row("a", 3330), None), report_text.NOT_MEASURED)

    def peers(self):
        text = self.page_of(part(
            "peers", row("pipe/gapp-stats", 250), row("pipe/gapp-trace", 500), row("pipe/gapp-other", 1, 4),
            row("pipe/perf", 3330, against="pipe/gapp-trace", events=10, lost=2, note="as it comes"),
            missing=[{"id": "pipe/lttng", "reason": "does not build"}]))
        self.expect("a peer beside each of gapp's rows", (line_of(text, "title of pipe/perf") or [])[1:7],
                    ["3,330", "1", "13.3", "**6.7**", NOT_MEASURABLE, "10, lost 2"])
        self.expect("a peer that is missing", line_of(text, "peers: pipe/lttng"),
                    ["peers: pipe/lttng", "does not build", "`tests/bench/peers --only pipe/lttng`"])
        self.expect("no boot", "Of which boot they are was not recorded." in text, True)
        text = self.page_of(part("peers", row("pipe/a", 1, boot="1"), row("pipe/b", 2, boot="1")))
        self.expect("one boot", "All are of the same boot." in text, True)
        text = self.page_of(part("peers", row("pipe/a", 1, boot="1"), row("pipe/b", 2, boot="1"),
                                 row("pipe/c", 2, boot="2"), row("pipe/d", 2)))
        self.expect("several boots", "**They are of 3 boots**: most of one, pipe/c of another; "
                    "pipe/d of one that was not recorded." in text, True)

    def notes_of_peers(self):
        text = self.page_of(part("peers", row("pipe/perf", 3330, note="as it comes")))
        self.expect("what is to be known of a peer", "title of pipe/perf: as it comes." in text, True)

    def not_measurable(self):
        text = self.page_of(part("events", row("pipe/loaded", 0.0, 4.0, limit=NOT_MEASURABLE, without=6000,
                                               probe=row("", 0.0, 4.0), reader=row("", 0.0, 0.0))))
        self.expect("never 0", line_of(text, "title of pipe/loaded")[2:6],
                    [NOT_MEASURABLE, "4", NOT_MEASURABLE, NOT_MEASURABLE])
        self.expect("nor anything that is small", report_text.value_of(row("a", 0.0002, 0)), "< 0.001")

    def bytes_copied(self):
        text = self.page_of(part("events", row("futex/fp8", 1400, copied_bytes=2.25), row("join/fp8", 9000)))
        self.expect("bytes of other loops", (line_of(text, "title of futex/fp8") or [])[1:5],
                    ["1,400 (1)", "9,000 (1)", "2.2", "-"])

    def machines(self):
        counted = {"kernel": "6.12.0", "processor": "emulated", "copy": "as they are"}
        text = self.page_of(part("programs", row("pigz", 1), machine=counted,
                                 wall_machine={**counted, "copy": "byte by byte"}),
                            part("events", row("pipe/stats", 250), machine=counted))
        lines = [line for line in text.splitlines() if "copies of strings" in line]
        self.expect("the guest that counts, and the one of wall time",
                    [(line[2:].partition(": kernel")[0], line.rpartition(": ")[2]) for line in lines],
                    [("events, programs", "as they are."),
                     ("programs, where it is of wall time", "byte by byte.")])
        with tempfile.TemporaryDirectory(prefix="gapp-report.") as name:
            path = Path(name) / "programs.json"
            before = part("programs", row("pigz", 1), machine=counted, wall_machine={"copy": "before"})
            path.write_text(json.dumps(before))
            table = figures.Figures("programs", "6.12")
            table.origin.sources = lambda: before["sources"]
            table.booted({**counted, "copy": "byte by byte", "boot": "b"}, icount=False)
            table.add("wall/pigz", "", UNIT, value=1)
            table.keep(path)
            self.expect("a run of wall time leaves the machine of the other rows", table.machine, counted)
            self.expect("and has its own", table.wall_machine["copy"], "byte by byte")
            self.expect("rows know their boot", [row.get("boot") for row in table.rows], ["b", None])

    def programs(self):
        mean = row("mean", 2.5, 0.1, programs=["pigz", "xz"], doubtful=["xz"], limit=1)
        text = self.page_of(part("programs", mean, row("xz", 0.1), row("pigz", 5)))
        self.expect("the mean's programs", "2.5 (0.100) % (`tests/bench/x --only mean`), the median of the "
                    "means of 20 pairs of each: of title of pigz; title of xz. By themselves not measurable, "
                    "but in it: title of xz." in text, True)
        bench = loaded("programs")
        table = figures.Figures("programs", "6.12")
        with contextlib.redirect_stdout(io.StringIO()):
            for i, name in enumerate(bench.PROGRAMS):
                table.rows.append(row(name, i, each=[i - 1, i, i + 1], unit=bench.UNIT, measurable=i != 1))
            bench.add_mean(table)
            made = table.rows[-1]
            table.rows[0].pop("each")
            bench.add_mean(table)
        keys = ("id", "value", "spread", "pairs", "doubtful")
        self.expect("a mean of pairs", [made[key] for key in keys],
                    ["mean", 3.5, 1.0, 3, [list(bench.PROGRAMS)[1]]])
        self.expect("none of rows without pairs", [gone["id"] for gone in table.missing], ["mean"])

    def rings(self):
        bench = loaded("scale")
        guest, table = bench.GUESTS[0], figures.Figures("scale", "6.12")
        few, many, more = ({"slices_per_s": rate, "lost": lost}
                           for rate, lost in ((10, 0), (20, 3), (15, 0)))
        for ring, runs in (("1M", [few, more]), ("64K", [few, many, more]), ("16K", [many])):
            bench.add_ring(table, guest, ring, runs)
        self.expect("most slices without loss, and fewest with",
                    [(made["id"], made["value"], made["title"].rpartition("(")[2]) for made in table.rows],
                    [("rings/1/1M", 15, "nothing lost as fast as the guest can)"),
                     *((made["id"], rate, made["title"]) for made, rate in zip(table.rows[1:3], (15, 20))),
                     ("rings/1/16K/lost", 20, "no run was without)")])
    def turns(self):
        text = self.page_of(part("scale", row("exported/fp/16", 1500), row("exported/table/16", 1400),
                                 row("threads/critical/1", 1300, note="it sleeps alone")))
        self.expect("threads that take turns", (line_of(text, "16") or [])[1:3], ["1,500 (1)", "1,400 (1)"])
        self.expect("what is to be known of a row", "title of threads/critical/1: it sleeps alone." in text,
                    True)

    def missing(self):
        text = self.page_of()
        numbers = len(report_asked.ASKED)
        self.expect("no part: no figure", text.count("not measured: it was not run"), numbers)
        self.expect("no part: all are named", sum(bool(line_of(text, name)) for name in report_parts.PARTS),
                    len(report_parts.PARTS))
        text = self.page_of(part("events", row("pipe/stats", 260, limit=400, reach=250)))
        self.expect("a run of one row", (line_of(text, "target, `stats`")[3],
                                         line_of(text, "`trace`, no paths")[3:6]),
                    ("260", ["-", "-", "not measured: the last run was not asked for it"]))
        text = self.page_of(part("programs", row("pigz", 1)), part("peers", row("pipe/perf", 1)))
        self.expect("a run of some rows", [bool(line_of(text, name)) for name in (
            "programs: wall/*", "peers: futex/*", "peers: pipe/*")], [True, True, False])
        text = self.page_of(part("events", row("pipe/stats", 260, limit=400, reach=250)))
        self.expect("its verdict", line_of(text, "target, `stats`")[5],
                    "within the limit; what was aimed at: 10 above, 1.04 times as much")

    def files(self):
        def reason(text=None, data=None):
            with tempfile.TemporaryDirectory(prefix="gapp-report.") as name:
                path = Path(name) / "scale.json"
                path.write_text(text if text is not None else json.dumps(data))
                return report_parts.load("scale", Path(name)).reason or ""

        self.expect("a whole file", reason(data=part("scale", row("a", 1))), "")
        self.expect("half a file", reason('{"part": "sca').startswith("scale.json cannot be read"), True)
        self.expect("another part's file", reason(data=part("events")),
                    "the file is not of tests/bench/scale")
        self.expect("a value that is none", reason(data=part("scale", {**row("a", 1), "value": None})),
                    "the value of a is no number")
        other = part("scale", row("a", 1))
        other["sources"]["module"] = "0"
        self.expect("other sources", reason(data=other), "measured with other sources of the module")
        other["sources"] = {"module": None, "unknown": ["GAPP_KO names another one"]}
        self.expect("unknown sources", reason(data=other), "GAPP_KO names another one")
        del other["sources"]
        self.expect("no sources", reason(data=other), "it is not recorded of which sources it is")
        text = self.page_of({**part("scale", row("memory/thread", 513, limit=256)), "sources": {}})
        self.expect("figures of other sources are not in the page", "513" in text, False)

    def where(self):
        functions = [{"object": "gapp", "function": "slow", "added": 321.4},
                     {"object": "kernel", "function": "quick", "added": 0.2}]
        profile = part("profile", row("pipe/stats", 500, functions=functions, counted=321.6,
                                      objects={"gapp": 321.4}),
                       row("pipe/other", 50, functions=[{"object": "gapp", "function": "fine", "added": 50}]))
        text = self.page_of(profile, part("events", row("pipe/stats", 500, limit=400, reach=250),
                                          row("pipe/other", 50, limit=100, reach=60),
                                          row("pipe/trace", 900, limit=700, reach=500)))
        self.expect("where the instructions go", line_of(text, "`slow` (gapp)"), ["`slow` (gapp)", "321"])
        self.expect("not of what is reached", "fine" in text, False)
        sampling = row("spin/sampling", 0.13, 0.01, counted=0.13, objects={"kernel": 0.12, "gapp": 0.0001},
                       functions=[{"object": "kernel", "function": "tick", "added": 0.1204}],
                       unit="per cent of instructions")
        text = self.page_of(part("profile", sampling, row("pipe/stats", 500, functions=functions)),
                            part("events", row("pipe/stats", 500, limit=400, reach=250),
                                 row("spin/sampling", 0.13, 0.01, limit=0.3, reach=0.1)))
        found = [line_of(text, said) for said in ("`tick` (kernel)", "`slow` (gapp)", "in gapp")]
        self.expect("sampling, in its own unit", (found, "No profile of" in text),
                    ([["`tick` (kernel)", "0.120"], ["`slow` (gapp)", "321"], None], False))
        text = self.page_of(profile, part("events", row("pipe/trace", 900, limit=700, reach=500)))
        self.expect("no profile", "No profile of pipe/trace (the last run was not asked for it)" in text, True)

    def knee(self):
        def changes(scheme, value, **rest):
            return row(f"change/{scheme}", value, unit="ns per operation", cpus=2,
                       millions_a_second=2000 / value, **rest)

        text = self.page_of(part("contention", changes("module", 500), changes("split", 400, spread=300),
                                 row("alone-change/log", 25, unit="ns per operation", cpus=2)))
        self.expect("the most changes a second, of what is measurable",
                    line_of(text, "changes a second when all CPUs do nothing else, 2 CPUs"),
                    ["changes a second when all CPUs do nothing else, 2 CPUs", "4", "-", "-",
                     "`tests/bench/contention --only 'change/*'`"])

    def notes(self):
        with tempfile.TemporaryDirectory(prefix="gapp-report.") as name:
            path = Path(name) / "notes.md"
            path.write_text("<!-- how\nto -->\n\n### Empty\n\n### Tried\n\nThis and that.\n\n### Last\n")
            self.expect("notes without what is empty", "\n".join(report_asked.notes(path)).split(),
                        "## What was tried ### Tried This and that.".split())
            path.write_text("<!-- nothing -->\n### Empty\n")
            self.expect("no notes", report_asked.notes(path), [])

    def tables(self):
        def of(kind, value, spread=1.0):
            return row(f"{kind}/libx", value, spread, of="libx.so", files=2, code=1500000, rows=1234)

        text = self.page_of(part("tables", of("make", 20), of("memory", 96.1, 0),
                                 missing=[{"id": "make/liby", "reason": "it is not installed here"}]))
        self.expect("tables of a library", line_of(text, "libx.so"),
                    ["libx.so", "2", "1.5", "1,234", "20 (1)", report_text.NOTHING, "96.1 (0)",
                     "`tests/bench/tables --only '*/libx'`"])
        self.expect("and of one that is not there", (line_of(text, "tables: make/liby") or [])[1:2],
                    ["it is not installed here"])

    def origin(self):
        """A tree of our own: what was measured is known only if the build is of these sources."""
        with tempfile.TemporaryDirectory(prefix="gapp-report.") as name:
            top = Path(name)
            for file in ("kmod/a.c", "include/uapi/b.h", "user/c.c", "user/build.mk", "VERSION", "Kbuild"):
                (top / file).parent.mkdir(parents=True, exist_ok=True)
                (top / file).write_text(file)
            ko, reader = top / "build/6.12/gapp.ko", top / "gapp-read"
            ko.parent.mkdir(parents=True)

            def build():
                for built in (ko, reader):
                    built.write_text("built")
                    os.utime(built, ns=(later, later))

            later = (top / "VERSION").stat().st_mtime_ns + 10**9
            origin = report_origin.Origin("events", "6.12", top, {})
            self.expect("not built", origin.sources()["unknown"][0],
                        "build/6.12/gapp.ko does not exist: make lab-6.12")
            build()
            origin = report_origin.Origin("events", "6.12", top, {})
            good = origin.sources()
            self.expect("built of these sources", report_origin.difference("events", good, top), None)
            ko.write_text("built again")
            self.expect("replaced while it was measured", origin.sources()["module"], None)
            build()
            copy = top / "copy.ko"
            copy.write_text("built")
            origin = report_origin.Origin("events", "6.12", top, {"GAPP_KO": str(copy)})
            self.expect("a copy of the module", origin.sources(), good)
            copy.write_text("another")
            origin = report_origin.Origin("events", "6.12", top, {"GAPP_KO": str(copy)})
            self.expect("another module", origin.sources()["unknown"],
                        ["GAPP_KO names another one than build/6.12/gapp.ko"])
            (top / "user/c.c").write_text("changed")
            os.utime(top / "user/c.c", ns=(later + 1, later + 1))
            origin = report_origin.Origin("events", "6.12", top, {})
            self.expect("changed and not built", origin.sources()["unknown"],
                        ["gapp-read is older than user/c.c: make gapp-read"])
            self.expect("figures of before the change", report_origin.difference("events", good, top),
                        "measured with other sources of the reader")
            self.expect("a part that has nothing to do with it",
                        report_origin.difference("contention", {"module": good["module"]}, top), None)


def run(page):
    """@page: makes the text of the page from parts. The exit status."""
    tests = Tests(page)
    for test in (tests.verdicts, tests.ratios, tests.peers, tests.notes_of_peers, tests.not_measurable,
                 tests.machines, tests.bytes_copied, tests.programs, tests.rings, tests.missing, tests.knee,
                 tests.turns, tests.files, tests.where, tests.notes, tests.origin, tests.tables):
        test()
    return 1 if tests.failed else 0

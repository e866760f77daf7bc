# SPDX-License-Identifier: GPL-2.0
"""
What every part of the benchmark does with its figures: medians and spreads, limits, the table on
the terminal and build/bench/PART.json.

A row is a dict: id, title, command, unit, value, spread (None: measured once), measurable, pairs,
and what else the part knows. One with "limit" is judged; "reach" is what is aimed at.
"""

import json
import math
import os
import re
import statistics
import sys
from pathlib import Path

from report_origin import Origin

TOP = Path(__file__).resolve().parent.parent.parent
OUT = Path(os.environ.get("GAPP_BENCH_OUT", TOP / "build/bench"))
# The limit of what must not be measurable at all.
NOT_MEASURABLE = "not measurable"


def median(values):
    return statistics.median(values)


def mean(values):
    return statistics.fmean(values)


def spread(values):
    """The third quartile less the first one."""
    if len(values) < 2:
        return 0.0
    quarters = statistics.quantiles(values, n=4, method="inclusive")
    return quarters[2] - quarters[0]


def is_measurable(value, width):
    return value != 0 and abs(value) >= 2 * width


def difference(values):
    """Of the differences of on and off, one for each pair: what a row has of them."""
    value, width = median(values), spread(values)
    enough = len(values) > 1 and is_measurable(value, width)
    return {"value": value, "spread": width, "measurable": enough, "pairs": len(values)}


def late(pair):
    """What the reader did after the rounds, less what it does when there is nothing to do."""
    return max(pair.get("late", 0) - pair.get("idle", 0), 0)


def split(pairs, per):
    """
    Cost of each `per` (a key of the driver's lines, or a number): all, by the probe, and by the
    reader: the CPU time that it had while the rounds lasted, and for them afterwards.
    """
    def each(cost):
        return difference([cost(pair) / (pair[per] if isinstance(per, str) else per)
                           for pair in pairs])

    row = each(lambda pair: pair["on"] + late(pair) - pair["off"])
    row["probe"] = each(lambda pair: pair["on"] - pair["reader"] - pair["off"])
    row["reader"] = each(lambda pair: pair["reader"] + late(pair))
    row["without"] = median([pair["off"] / (pair[per] if isinstance(per, str) else per)
                             for pair in pairs])
    return row


def words(figure):
    """A figure for people: a number, or a dict with value and measurable."""
    if isinstance(figure, dict):
        if not figure.get("measurable", True):
            return NOT_MEASURABLE
        figure = figure["value"]
    if figure is None:
        return "-"
    if isinstance(figure, str):
        return figure
    size = abs(figure)
    if size == int(size) or size >= 100:
        return f"{figure:,.0f}"
    return f"{figure:,.1f}" if size >= 1 else f"{figure:.3f}"


def times(ratio):
    """How often one thing goes into another: two significant digits at least."""
    rounded = float(f"{ratio:.2g}")
    if abs(rounded) >= 100:
        return f"{ratio:,.0f}"
    if not rounded or abs(rounded) >= 1:
        return f"{ratio:,.1f}"
    return f"{rounded:.{1 - math.floor(math.log10(abs(rounded)))}f}"


def rounded(figure):
    """What is there never becomes 0."""
    if isinstance(figure, dict):
        figure = figure["value"] if figure.get("measurable", True) else NOT_MEASURABLE
    if figure is None or isinstance(figure, (str, int)):
        return figure
    if figure == int(figure) or abs(figure) >= 100:
        return round(figure)
    return round(figure, 1) if abs(figure) >= 1 else round(figure, 3) or (0.001 if figure > 0 else -0.001)


def more_than(value, bound):
    return f"{words(value - bound)} above, {value / bound:.2f} times as much"


def doubt(row):
    """Why the figure of tests/bench/events is not of what its row says; None: it is."""
    told, frames = row.get("told") or {}, re.search(r"/(?:fp|table)([0-9]+)$", row["id"])
    if told.get("lost"):
        return f"{told['lost']:,} records were lost, which cost no reader"
    if frames and told and told.get("frames") != [int(frames.group(1))]:
        return f"paths had {', '.join(map(str, told.get('frames') or [0]))} frames"
    return None


def verdict(row):
    """Of a row with a limit: what is before its first ':' or ';' is one of five."""
    limit, value, most = row["limit"], row["value"], 2 * (row["spread"] or 0)
    reach = limit if row.get("reach") is None else row["reach"]
    if doubt(row):
        return f"not decided: {doubt(row)}"
    if limit == NOT_MEASURABLE:
        return "not reached: it can be measured" if row["measurable"] else "reached: not measurable"
    if not row["measurable"]:
        # a cost that was there would be less than @most
        if abs(value) > most:
            return "not decided: measured too seldom"
        if most > limit:
            return "not decided: the spread is too large for this limit"
        return f"{'reached' if most <= reach else 'within the limit'}: too little to be measured"
    if value > limit:
        return f"not reached: {more_than(value, limit)}"
    return "reached" if value <= reach else f"within the limit; what was aimed at: {more_than(value, reach)}"


def judge(row):
    """True, False, or None where nothing was asked; and the words for it."""
    if row.get("limit") is None:
        return None, ""
    said = verdict(row)
    return not said.startswith("not "), (f"{words(row)}, spread {words(row['spread'])} {row['unit']}, "
                                         f"at most {words(row['limit'])}: {said}")


class Figures:
    """The rows of one part."""

    def __init__(self, part, kernel, command=None):
        self.part, self.kernel = part, kernel
        self.command = command or f"tests/bench/{part}"
        self.machine, self.rows, self.missing = {}, [], []
        # that of a guest that does not count instructions
        self.wall_machine, self.boot = {}, None
        self.origin = Origin(part, kernel)
        self.failed = False

    def booted(self, machine, icount=True):
        """What lab.run() tells of a guest: rows that are added from here on are of it."""
        self.boot = machine.get("boot")
        told = {key: value for key, value in machine.items() if key != "boot"}
        if icount:
            self.machine = told
        else:
            self.wall_machine = told

    def add(self, row_id, title, unit, **rest):
        """A row; its value and whatever else is known are in @rest. Judged if it has a limit."""
        row = {"id": row_id, "title": title, "command": f"{self.command} --only {row_id}",
               "unit": unit, "spread": None, "measurable": True, "pairs": 1, **rest}
        if self.boot:
            row.setdefault("boot", self.boot)
        self.rows.append(row)
        good, why = judge(row)
        if good is not None:
            self.say(good, f"{row_id}: {why}")
        return row

    def say(self, good, text):
        """A line about something that must be so."""
        self.failed |= not good
        print(f"{'ok' if good else 'not ok'} - bench {self.part}: {text}", flush=True)

    def miss(self, row_id, reason):
        """What could not be had; never a guess."""
        self.missing.append({"id": row_id, "reason": reason})
        print(f"skip - bench {self.part}: {row_id} ({reason})", flush=True)

    def keep(self, path=None):
        """
        For when a part of the rows was measured: takes the others from what was written before, if
        that was with the same sources and the same kernel.
        """
        path = Path(path) if path else OUT / f"{self.part}.json"
        try:
            before = json.loads(path.read_text())
        except (OSError, ValueError):
            return
        mine = self.origin.sources()
        if before.get("kernel") != self.kernel or before.get("sources") != mine or mine["unknown"]:
            return
        here = {row["id"] for row in self.rows + self.missing}
        self.rows += [row for row in before["rows"] if row["id"] not in here]
        self.missing += [gone for gone in before["missing"] if gone["id"] not in here]
        self.machine = self.machine or before["machine"]
        self.wall_machine = self.wall_machine or before.get("wall_machine", {})

    def good(self):
        """Nothing is above its limit, and nothing else was found wrong."""
        return not self.failed

    def data(self):
        return {"part": self.part, "command": self.command, "kernel": self.kernel,
                "machine": self.machine, "wall_machine": self.wall_machine,
                "sources": self.origin.sources(), "rows": self.rows, "missing": self.missing}

    def write(self, path=None):
        path = Path(path) if path else OUT / f"{self.part}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_name(path.name + ".new")
        new.write_text(json.dumps(self.data(), indent=1) + "\n")
        new.replace(path)
        print(f"bench: wrote {path}", file=sys.stderr)

    def print_table(self, columns=(("value", ""), ("spread", "spread"))):
        """@columns: keys of rows and their headings; a first one without heading is the value's."""
        for key, value in self.machine.items():
            print(f"{key}: {value}")
        units = list(dict.fromkeys(row["unit"] for row in self.rows))
        for unit in units:
            rows = [row for row in self.rows if row["unit"] == unit]
            head = ["", unit, *(heading for _, heading in columns[1:])]
            lines = [head]
            for row in rows:
                cells = [words(row if key == "value" else row.get(key)) for key, _ in columns]
                lines.append([row["id"], *cells])
            print()
            print_columns(lines)
        for gone in self.missing:
            print(f"\nmissing: {gone['id']}: {gone['reason']}")


def print_columns(lines):
    """The first column to the left, the others to the right."""
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    for line in lines:
        first = line[0].ljust(widths[0])
        rest = "".join("  " + cell.rjust(width) for cell, width in zip(line[1:], widths[1:]))
        print((first + rest).rstrip())

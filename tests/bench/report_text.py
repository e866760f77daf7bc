# SPDX-License-Identifier: GPL-2.0
"""Figures in words and tables of the page."""

import re

from figures import NOT_MEASURABLE, times, words

NOTHING = "-"
NOT_MEASURED = "not measured"
# Verdicts, in the order in which they are counted.
AIMED, WITHIN, ABOVE, UNDECIDED = "reached", "within the limit", "above the limit", "not decided"


def code(text):
    """Of a table: a bar would end the cell."""
    return f"`{text}`".replace("|", "\\|")


def plain(text):
    return " ".join(str(text).split()).replace("|", "\\|")


def command_of(row):
    """Patterns are for the script, not for the shell."""
    words_of = row["command"].split(" ")
    return code(" ".join(f"'{word}'" if "*" in word else word for word in words_of))


def figure(number):
    """What is there is never shown as 0."""
    said = words(number)
    return "< 0.001" if said in ("0.000", "-0.000") else said


def value_of(row):
    """A figure, or the word for one that is none."""
    return figure(row) if row else NOTHING


def spread_of(row):
    return figure(row["spread"]) if row and row.get("spread") is not None else NOTHING


def with_spread(row):
    """For tables of many figures: value (spread)."""
    spread = spread_of(row)
    return value_of(row) if spread == NOTHING else f"{value_of(row)} ({spread})"


def is_figure(cell):
    return bool(re.match(r"-|[*<]*[ -]?[0-9]", cell)) or cell.startswith(NOT_MEASURABLE)


def table(head, lines):
    """Columns of figures to the right, but for the first."""
    if not lines:
        return []
    rule = []
    for column in range(len(head)):
        figures = column and all(is_figure(str(line[column])) for line in lines)
        rule.append("---:" if figures else "---")
    return ["| " + " | ".join(head) + " |", "|" + "|".join(rule) + "|",
            *("| " + " | ".join(map(str, line)) + " |" for line in lines), ""]


def ratio(row, other):
    """How often @other goes into @row, or why that cannot be said."""
    if not row or not other:
        return NOT_MEASURED
    if not row["measurable"] or not other["measurable"] or not other["value"]:
        return NOT_MEASURABLE
    return times(row["value"] / other["value"])


def more_than(row, bound):
    """How far the value is above @bound."""
    over = f"{words(row['value'] - bound)} above"
    return f"{over}, {row['value'] / bound:.2f} times as much" if bound else over


def doubt(row):
    """Why the figure of tests/bench/events is not of what its row says; None: it is."""
    told = row.get("told") or {}
    if told.get("lost"):
        return f"{told['lost']:,} records were lost, which cost no reader"
    frames = re.search(r"/(?:fp|table)([0-9]+)$", row["id"])
    if frames and told and told.get("frames") != [int(frames.group(1))]:
        return f"paths had {', '.join(map(str, told.get('frames') or [0]))} frames"
    return None


def verdict(row):
    """(kind, words) of a row with a limit."""
    limit, reach, spread = row["limit"], row.get("reach"), row.get("spread") or 0
    if doubt(row):
        return UNDECIDED, f"not decided: {doubt(row)}"
    if limit == NOT_MEASURABLE:
        if not row["measurable"]:
            return AIMED, "reached: not measurable"
        return ABOVE, "not reached: it can be measured"
    if not row["measurable"]:
        # a cost that was there would be less than this
        most = 2 * spread
        if abs(row["value"]) > most:
            return UNDECIDED, "not decided: measured too seldom"
        if most > limit:
            return UNDECIDED, "not decided: the spread is too large for this limit"
        kind = AIMED if reach is None or most <= reach else WITHIN
        return kind, f"{kind}: too little to be measured"
    if row["value"] > limit:
        return ABOVE, f"not reached: {more_than(row, limit)}"
    if reach is None or row["value"] <= reach:
        return AIMED, AIMED
    return WITHIN, f"{WITHIN}; what was aimed at: {more_than(row, reach)}"

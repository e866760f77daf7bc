# SPDX-License-Identifier: GPL-2.0
"""The numbers that gapp is to reach, whether it does, and where the instructions go if not."""

import re
from pathlib import Path

from report_text import (ABOVE, AIMED, NOT_MEASURED, NOTHING, UNDECIDED, WITHIN, code, command_of,
                         plain, spread_of, table, value_of, verdict)
from figures import words

NOTES = Path(__file__).resolve().parent / "report-notes.md"
# part, row, words, the set-up of tests/bench/profile that shows where its instructions go
ASKED = (
    ("events", "pipe/loaded", "module loaded, no session", None),
    ("events", "pipe/other", "session on another process", "pipe/other"),
    ("events", "pipe/stats", "target, `stats`", "pipe/stats"),
    ("events", "pipe/judged", "target, `critical`, nothing exported", "pipe/judged"),
    ("events", "pipe/fp8", "target, every slice exported, 8 frames by frame pointers", "pipe/fp8"),
    ("events", "pipe/table8", "the same, 8 frames by tables", "pipe/table8"),
    ("events", "pipe/fp32", "the same, 32 frames by frame pointers", "pipe/fp32"),
    ("events", "pipe/table-frame", "each frame more, by tables", "pipe/table32"),
    ("events", "pipe/trace", "`trace`, no paths", "pipe/trace"),
    ("events", "spin/sampling", "333 Hz sampling of a busy thread in a critical phase", "spin/sampling"),
    ("programs", "mean", "whole programs, on average", None),
    ("programs", "worst", "whole programs, the worst", None),
    ("scale", "memory/thread", "kernel memory a thread", None),
    ("scale", "attach/16384", "START on a target of 16,384 threads", None),
    ("scale", "flat/stats", "dearest less cheapest of 4 to 16,384 threads, `stats`", None),
    ("scale", "flat/critical", "the same, `critical`", None),
)
UNIT = "instructions per switch"
# Functions of each set-up; and members of a structure.
TOP_FUNCTIONS, TOP_MEMBERS = 6, 8


def worst(part):
    """The program that costs most, as a row; None: none was measured."""
    rows = [row for row in part.rows.values() if "limit" in row and row["id"] != "mean"]
    return max(rows, key=lambda row: row["value"], default=None)


def asked_rows(parts):
    """(words, row or None, why there is none, set-up, command) of each number."""
    for name, row_id, said, setup in ASKED:
        part = parts[name]
        row = worst(part) if row_id == "worst" else part.get(row_id)
        if row and "limit" not in row:
            row = None
        if row and name == "programs":
            said = f"{said}: {row['title']}"
        command = command_of(row) if row else code(part.command)
        yield said, row, None if row else part.why_not(row_id), setup, command


def unmeasured(parts):
    """(part, row) of the numbers that there are none of."""
    return [(name, row_id) for (name, row_id, *_), (_, row, *_) in zip(ASKED, asked_rows(parts)) if not row]


def kind_of(row):
    return verdict(row)[0] if row else NOT_MEASURED


def in_one_sentence(parts):
    kinds = [kind_of(row) for _, row, *_ in asked_rows(parts)]
    told = {AIMED: "reached", WITHIN: "within the limit but not what was aimed at",
            ABOVE: "not reached", UNDECIDED: "not decided", NOT_MEASURED: "not measured"}
    counts = [f"{kinds.count(kind)} {said}" for kind, said in told.items() if kind in kinds]
    return f"Of the {len(kinds)} numbers that are asked for: {', '.join(counts)}."


def numbers(parts):
    lines = []
    for said, row, reason, _, command in asked_rows(parts):
        if not row:
            lines.append([said, NOTHING, NOTHING, NOTHING, NOTHING, f"{NOT_MEASURED}: {plain(reason)}",
                          command])
            continue
        unit = "" if row["unit"] == UNIT else f" {row['unit']}"
        reach = words(row["reach"]) if row.get("reach") is not None else NOTHING
        lines.append([said, words(row["limit"]) + ("" if isinstance(row["limit"], str) else unit), reach,
                      value_of(row), spread_of(row), verdict(row)[1], command])
    return ["## The numbers to reach", "",
            f"In {UNIT} of a pipe between two threads, its wake-up included, where no other unit is "
            "named. All that the machine does counts, gapp-read too.", "",
            *table(["", "at most", "reach for", "measured", "spread", "verdict", "command"], lines)]


def not_reached(parts):
    """Set-ups of the profile, of the numbers that are above what is aimed at."""
    setups = [setup for _, row, _, setup, _ in asked_rows(parts)
              if setup and kind_of(row) in (ABOVE, WITHIN, UNDECIDED)]
    return list(dict.fromkeys(setups))


def added_by(row):
    return {(one["object"], one["function"]): one["added"] for one in row.get("functions", [])}


def whole(number):
    return f"{number:,.0f}" if round(abs(number)) else NOTHING


def small(number):
    """Of per cent."""
    return f"{number:.3f}" if round(abs(number), 3) else NOTHING


def functions(rows):
    """A column for each of @rows, of one unit: what it adds, by object, then by functions, most first."""
    said = whole if rows[0]["unit"] == UNIT else small
    each = [added_by(row) for row in rows]
    shown = {key for added in each
             for key in sorted(added, key=added.get, reverse=True)[:TOP_FUNCTIONS]}
    order = sorted(shown, key=lambda key: (-max(added.get(key, 0) for added in each), key))
    objects = list(dict.fromkeys(name for row in rows for name in row.get("objects", {})))
    counted = [row.get("counted", sum(added.values())) for row, added in zip(rows, each)]
    lines = [["all that was counted", *map(said, counted)]]
    for name in objects:
        sums = [said(row.get("objects", {}).get(name, 0)) for row in rows]
        if set(sums) != {NOTHING}:
            lines.append([f"in {name}", *sums])
    for key in order:
        lines.append([f"{code(key[1])} ({plain(key[0])})",
                      *(said(added.get(key, 0)) for added in each)])
    return table(["", *(row["id"] for row in rows)], lines)


def where(parts):
    setups, profile = not_reached(parts), parts["profile"]
    lines = ["## Where the instructions go", ""]
    if not setups and not entry(parts):
        return [*lines, "Nothing to look for: see the verdicts.", ""]
    rows = [profile.get(setup) for setup in setups if profile.get(setup)]
    if rows:
        lines += ["What is added to a switch by each function, for the set-ups above that do not reach "
                  "what is aimed at: every instruction of the guest is counted. The functions are those "
                  "that add most in one of them. " + commands(rows), ""]
    for unit in dict.fromkeys(row["unit"] for row in rows):
        of_unit = [row for row in rows if row["unit"] == unit]
        lines += [*([] if unit == UNIT else [f"In {unit}:", ""]), *functions(of_unit)]
    gone = [setup for setup in setups if not profile.get(setup)]
    if gone:
        reasons = "; ".join(dict.fromkeys(profile.why_not(setup) for setup in gone))
        asked = ", ".join(code(f"{profile.command} {option_of(setup)}") for setup in gone)
        lines += [f"No profile of {', '.join(gone)} ({plain(reasons)}): {asked}.", ""]
    return lines + entry(parts)


def option_of(setup):
    loop, name = setup.split("/")
    return f"--loop {loop} --setup {name}"


def commands(rows):
    return "All of one is printed by `tests/bench/profile` with " + ", ".join(
        f"`{option_of(row['id'])}`" for row in rows) + "."


def entry(parts):
    """Of what the memory of a thread is made, if it is too much."""
    scale = parts["scale"]
    row, made = scale.get("memory/thread"), scale.get("memory/entry")
    if not row or "limit" not in row or kind_of(row) not in (ABOVE, UNDECIDED):
        return []
    if not made or not made.get("members"):
        return [f"Of what a thread's memory is made is not known: {plain(scale.why_not('memory/entry'))}.", ""]
    members = sorted(made["members"].items(), key=lambda member: -member[1])[:TOP_MEMBERS]
    said = ", ".join(f"`{name}` {size}" for name, size in members)
    return [f"A thread's memory: `{made['title']}` has {value_of(made)} bytes, of these {said} "
            f"({command_of(made)}).", ""]


def notes(path=NOTES):
    """What people wrote, without comments and without headings that nothing follows."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    sections = re.split(r"^(?=#+ )", re.sub(r"<!--.*?-->", "", text, flags=re.S), flags=re.M)
    written = [section.strip() for section in sections
               if section.partition("\n")[2].strip() or not section.startswith("#")]
    written = [section for section in written if section]
    return ["## What was tried", "", *"\n\n".join(written).split("\n"), ""] if written else []

# SPDX-License-Identifier: GPL-2.0
"""The tables of the page, part by part."""

from figures import is_measurable, words
from report_text import (NOT_MEASURED, NOTHING, code, command_of, figure, plain, ratio, spread_of,
                         table, value_of, with_spread)

BRACKETS = "The spread is in brackets."
OF_INSTRUCTIONS, OF_TIME = "% of its instructions", "% of its time"
# Of pairs of on and off; the issue asks for so many of each event.
ENOUGH_PAIRS = 20


def section(title, part, *said):
    """The heading; and the reason if there is nothing to show."""
    lines = [f"## {title}", ""]
    if part.reason:
        return [*lines, f"{NOT_MEASURED.capitalize()}: {plain(part.reason)}. `{part.command}` measures it.",
                ""]
    return [*lines, " ".join(said), ""] if said else lines


def gone(part):
    if not part.missing:
        return []
    names = ", ".join(plain(one["id"]) for one in part.missing)
    return [f"Missing: {names}; the reasons are in the last table.", ""]


def listed(rows):
    """Rows of any kind, one a line."""
    return table(["", "measured", "spread", "unit", "command"],
                 [[plain(row["title"]), value_of(row), spread_of(row), plain(row["unit"]),
                   command_of(row)] for row in rows])


# Each event.

def setups_of(part):
    """(name, title) of each, in the order of the rows."""
    titles = {}
    for row in part.rows.values():
        loop, _, name = row["id"].partition("/")
        titles.setdefault(name, row["title"].removeprefix(f"{loop}: "))
    return titles.items()


def events(part):
    lines = section("Each event", part, "Pipe: two threads that wake each other. The probe's part is "
                    "what is left when the CPU time of gapp-read is taken away; bytes are those that "
                    "`copy_from_user_nofault` copies from user memory, at each switch, counted in a run of "
                    "their own. The words of a remembered walk are compared in place, which is no copy: they "
                    "are not among these bytes, and their instructions are among those of the probe.")
    pipe = [row for row in part.under("pipe/") if "without" in row]
    lines += table(["pipe", "a switch without", "added", "spread", "probe", "reader", "bytes", "command"],
                   [[plain(row["title"].removeprefix("pipe: ")), words(row["without"]), value_of(row),
                     spread_of(row), words(row.get("probe")), words(row.get("reader")),
                     words(row.get("copied_bytes")), command_of(row)] for row in pipe])
    loops = [loop for loop in dict.fromkeys(row_id.split("/")[0] for row_id in part.rows)
             if loop not in ("pipe", "spin")]
    others = []
    for name, title in setups_of(part):
        rows = [part.get(f"{loop}/{name}") for loop in loops]
        if any(rows):
            others.append([plain(title), *map(with_spread, rows),
                           *(words(row and row.get("copied_bytes")) for row in rows),
                           code(f"{part.command} --only '*/{name}'")])
    if others:
        units = "; ".join(f"{loop}: {next(iter(part.under(loop + '/')))['unit']}" for loop in loops)
        lines += [f"The other loops: a futex handed over, two threads that yield, threads that are made and "
                  f"joined ({units}); bytes: as above, at each switch. {BRACKETS}", "",
                  *table(["added", *loops, *(f"{loop}, bytes" for loop in loops), "command"], others)]
    return lines + gone(part)


# What one would take instead.

def is_gapp(row):
    return row["id"].split("/")[1].startswith("gapp-")


def kept(row):
    if "events" not in row:
        return NOTHING
    return f"{row['events']:,}" + (f", lost {row['lost']:,}" if row.get("lost") else "")


def peers_of_loop(rows):
    ours, theirs = [row for row in rows if is_gapp(row)], [row for row in rows if not is_gapp(row)]
    lines = table(["gapp", "added", "spread", "probe", "reader", "command"],
                  [[plain(row["title"]), value_of(row), spread_of(row), words(row.get("probe")),
                    words(row.get("reader")), command_of(row)] for row in ours])
    compared = []
    for row in theirs:
        times = []
        for other in ours:
            said = ratio(row, other)
            times.append(f"**{said}**" if row.get("against") == other["id"] else said)
        compared.append([plain(row["title"]), value_of(row), spread_of(row), *times, kept(row),
                         command_of(row)])
    names = [f"x {plain(row['id'].split('/')[1].removeprefix('gapp-'))}" for row in ours]
    return lines + table(["tool", "added", "spread", *names, "events", "command"], compared)


def boots_of(rows):
    """In words: are all figures of the same boot? They are compared with each other."""
    boots = {}
    for row in rows:
        boots.setdefault(row.get("boot"), []).append(row["id"])
    if set(boots) <= {None}:
        return "Of which boot they are was not recorded."
    if len(boots) == 1:
        return "All are of the same boot."
    most = max(boots, key=lambda boot: len(boots[boot]))
    others = "; ".join(f"{', '.join(ids)} of {'another' if boot else 'one that was not recorded'}"
                       for boot, ids in boots.items() if boot != most)
    return f"**They are of {len(boots)} boots**: most of one, {plain(others)}."


def peers(part):
    lines = section("What one would take instead", part, "Other tools from Debian's packages and gapp, on "
                    "the same loops: instructions that are added to a switch.",
                    boots_of(part.rows.values()), "*x stats* is how many times what gapp costs in that "
                    "set-up, and so on; **bold**: the set-up that does the like. A tool that loses events "
                    "does not pay for them.")
    for loop in dict.fromkeys(row_id.split("/")[0] for row_id in part.rows):
        lines += [f"### {loop}", "", *peers_of_loop(part.under(loop + "/"))]
    for said in dict.fromkeys(row["note"] for row in part.rows.values() if row.get("note")):
        about = [row["title"] for row in part.rows.values() if row.get("note") == said]
        lines += [f"{plain(', '.join(dict.fromkeys(about)))}: {plain(said)}.", ""]
    return lines + gone(part)


# Whole programs.

def named(part, ids):
    titles = [part.get(row_id)["title"] if part.get(row_id) else row_id for row_id in ids or []]
    return plain("; ".join(titles)) or "none"


def programs(part):
    lines = section("Whole programs", part, "The same work with `gapp-read -q -- PROGRAM` and without. "
                    "Instructions: one processor, counted, with what is gapp-read's and what it adds when "
                    "it meets a program for the first time and makes its tables. Time: two processors, "
                    f"emulated, on a machine that may do other things; it is not judged. {BRACKETS} "
                    "Pairs are few: a run is long, and the spread is that of single pairs, which more of "
                    "them do not make less.")
    body = []
    for row in part.rows.values():
        if row["unit"] != OF_INSTRUCTIONS or "alone" not in row:
            continue
        wall = part.get(f"wall/{row['id']}")
        first = row.get("first_reader")
        body.append([plain(row["title"]), f"{row['alone'] / 1e9:.2f}", words(row.get("switches_a_second")),
                     with_spread(row), words(row.get("probe")), words(row.get("reader")), words(first),
                     with_spread(wall), command_of(row)])
    lines += table(["", "10^9 instructions alone", "switches/s", "% added", "probe", "reader",
                    "reader at first", "% of time, 2 CPUs", "command"], body)
    mean = part.get("mean")
    if mean:
        lines += [f"The {plain(mean['title'])}: {with_spread(mean)} % ({command_of(mean)}), the median of "
                  f"the means of {mean['pairs']} pairs of each: of {named(part, mean.get('programs'))}. By "
                  f"themselves not measurable, but in it: {named(part, mean.get('doubtful'))}.", ""]
    return lines + gone(part)


# As things grow.

def matrix(part, kind, first):
    """Rows KIND/LEVEL/NUMBER as a table with a column for each level."""
    rows = part.under(kind + "/")
    levels = list(dict.fromkeys(row["id"].split("/")[1] for row in rows))
    numbers = sorted({int(row["id"].split("/")[2]) for row in rows})
    lines = []
    for number in numbers:
        ids = [f"{kind}/{level}/{number}" for level in levels]
        found = [part.get(row_id) for row_id in ids]
        only = " ".join(f"--only {row_id}" for row_id, row in zip(ids, found) if row)
        lines.append([f"{number:,}", *map(with_spread, found), code(f"{part.command} {only}")])
    return table([first, *levels, "command"], lines)


def scale(part):
    lines = section("As things grow", part, "Instructions that are added to a switch, by the threads of "
                    "the target, and by the sessions that follow it (together). critical: every slice is "
                    f"judged, none exported. {BRACKETS}")
    for kind, first in (("threads", "threads of the target"), ("sessions", "sessions")):
        lines += matrix(part, kind, first)
    turns = matrix(part, "exported", "threads that take turns")
    if turns:
        lines += ["Every slice exported, with paths of 8 frames by frame pointers and by tables, the reader "
                  "included. All threads wait at the same place, each with a stack of its own; a CPU "
                  "remembers so many walks and no more.", "", *turns]
    for said in (f"{plain(row['title'])}: {plain(row['note'])}." for row in part.rows.values()
                 if row.get("note")):
        lines += [said, ""]
    for kind, said in (
            (("flat/",), ""),
            (("foreign/",), "While others switch:"),
            (("memory/",), "Memory of the kernel:"),
            (("attach/", "stop/"), "Attaching and stopping, under icount: a nanosecond is an instruction."),
            (("rings/",), "Rings, in emulated guests: where nothing was lost, the guest cannot make more.")):
        rows = [row for beginning in kind for row in part.under(beginning)]
        if rows:
            lines += [*([said, ""] if said else []), *listed(rows)]
    return lines + gone(part)


# n, G, C and S under contention.

def contended(row):
    if not row:
        return NOTHING
    said = with_spread(row)
    if "ratio" not in row or row["id"].endswith("/module"):
        return said
    sure = is_measurable(row["ratio"], row.get("ratio_spread") or 0)
    return f"{said} x {row['ratio']:.2f}" if sure else said


def once(title):
    """The way has the name of what is measured, where there is only one."""
    way, _, what = title.rpartition(": ")
    return what if way == what else title


def knee(part, schemes, of_change):
    """More cannot be done. What is not measurable has none."""
    told = {scheme: row["millions_a_second"] for scheme, row in of_change.items()
            if row and row["measurable"] and row.get("millions_a_second")}
    if not told:
        return []
    cpus = max(of_change[scheme]["cpus"] for scheme in told)
    return table(["millions a second", *schemes, "command"],
                 [[f"changes a second when all CPUs do nothing else, {cpus} CPUs",
                   *(figure(told[scheme]) if scheme in told else NOTHING for scheme in schemes),
                   code(f"{part.command} --only 'change/*'")]])


def contention(part):
    machine = part.machine
    lines = section("Contention", part, "The module's own code that keeps n, G, C and S, compiled for the "
                    "real processors of the machine "
                    f"({plain(machine.get('cpu', '?'))}, {machine.get('cpus', '?')} CPUs, load "
                    f"{machine.get('load', '?')} at the beginning), beside other ways to keep them: "
                    f"nanoseconds an operation. {BRACKETS} x is the ratio to the module's, turn by turn; "
                    "none is shown where it is below twice its spread.")
    rows = {tuple(row["id"].split("/")): row for row in part.rows.values() if row["id"].count("/") == 1}
    single = [row for (mode, _), row in rows.items() if mode in ("hop", "merge")]
    modes = [mode for mode in dict.fromkeys(mode for mode, _ in rows) if mode not in ("hop", "merge")]
    schemes = list(dict.fromkeys(scheme for mode, scheme in rows if mode in modes))
    titles, body = {}, []
    for mode in modes:
        of_mode = {scheme: rows.get((mode, scheme)) for scheme in schemes}
        said = mode
        for scheme, row in of_mode.items():
            if row:
                titles[scheme], _, said = row["title"].rpartition(": ")
        body.append([plain(said), *(contended(of_mode[scheme]) for scheme in schemes),
                     code(f"{part.command} --only '{mode}/*'")])
    lines += table(["ns", *schemes, "command"], body)
    lines += knee(part, schemes, {scheme: rows.get(("change", scheme)) for scheme in schemes})
    lines += [f"- {scheme}: {plain(title)}" for scheme, title in titles.items()]
    lines += [""] if titles else []
    return lines + listed([{**row, "title": once(row["title"])} for row in single]) + gone(part)


# The reader.

def reader(part):
    lines = section("The reader", part, "gapp-read with a stand-in for the device, whose rings are filled "
                    "as fast as it can, or as fast as is said. Instructions are counted in a guest; times "
                    "are of the machine that measured, and not judged.")
    return lines + listed(part.rows.values()) + gone(part)


# Unwind tables.

def tables(part):
    lines = section("Tables: time to make and memory", part, "Unwind tables of a library, or of a program "
                    "with all libraries that it starts with: CPU time of the machine that measured, not "
                    "judged. They are made once and kept on disk; the module checks them when they are "
                    f"loaded, and has them in memory once for all who use them. {BRACKETS}")
    names = dict.fromkeys(row["id"].partition("/")[2] for row in part.rows.values())
    body = []
    for name in names:
        kinds = [part.get(f"{kind}/{name}") for kind in ("make", "check", "memory")]
        one = next(row for row in kinds if row)
        body.append([plain(one["of"]), f"{one['files']:,}", f"{one['code'] / 1e6:.1f}", f"{one['rows']:,}",
                     *map(with_spread, kinds), code(f"{part.command} --only '*/{name}'")])
    return lines + table(["tables of", "files", "code, MB", "rows", "made, ms", "checked, us",
                          "memory, KB", "command"], body) + gone(part)


# How it was measured, and what was not.

def pairs_of(part):
    counts = sorted({row["pairs"] for row in part.rows.values() if row["spread"] is not None})
    if not counts:
        return "one run"
    said = f"{counts[0]}" if counts[0] == counts[-1] else f"{counts[0]} to {counts[-1]}"
    few = part.name in ("events", "peers") and counts[0] < ENOUGH_PAIRS
    return f"{said} pairs or runs" + (f" (fewer than {ENOUGH_PAIRS})" if few else "")


def machine_of(part, machine):
    """In words. Of a machine that is no guest only its processor matters."""
    if "processor" not in machine:
        if "cpu" in machine:
            return f"no guest: {plain(machine['cpu'])}, {machine.get('cpus', '?')} CPUs"
        return f"kernel {plain(part.kernel)}"
    said = [f"kernel {machine.get('kernel', part.kernel)}", f"clock source {machine.get('clocksource', '?')}",
            f"processor {machine['processor']} ({machine.get('cpu', '?')})",
            f"copies of strings: {machine.get('copy', '?')}"]
    return "; ".join(map(plain, said))


def how(parts):
    lines = ["## What was measured, and how", "",
             "A guest with one processor counts its instructions (`scripts/vm --icount`): each takes one "
             "nanosecond of its clock, whatever else the machine does. Everything is counted that the "
             "guest does, the kernel's work, the probes' and gapp-read's. Each figure is the median of "
             "differences of the same work with gapp and without, in turn within one boot. The *spread* is "
             "the third quartile of these differences less the first; a difference that is less than twice "
             f"its spread is *not measurable*, which does not mean 0. {NOTHING} stands where there is no "
             "such figure.", ""]
    measured = [part for part in parts.values() if not part.reason]
    machines = {}
    for part in measured:
        machines.setdefault(machine_of(part, part.machine), []).append(part.name)
        if part.wall_machine:
            said = machine_of(part, part.wall_machine)
            machines.setdefault(said, []).append(f"{part.name}, where it is of wall time")
    lines += [f"- {', '.join(names)}: {machine}." for machine, names in machines.items()]
    lines += [""] if machines else []
    lines += table(["part", "each figure is the median of", "command"],
                   [[part.name, pairs_of(part), code(part.command)] for part in measured])
    return [*lines, "`make bench` runs all of them, `make bench-report` writes this page from "
            "`build/bench/*.json`, of figures only that were measured with the sources of this tree. What "
            "walks alone cost, `tests/bench/run` and `tests/bench/guest` print.", ""]


# What a run of --only leaves out, though no number is asked for there.
WHOLE = (("peers", "pipe/"), ("peers", "futex/"), ("programs", "wall/"))


def what_is_missing(parts, asked_for):
    """@asked_for: (part, row) of the numbers that are to be reached, but were not measured."""
    body = []
    for part in parts.values():
        if part.reason:
            body.append([part.name, plain(part.reason), code(part.command)])
        for one in part.missing:
            only = "--setup " + one["id"].split("/")[-1] if part.name == "profile" else f"--only {one['id']}"
            body.append([f"{part.name}: {plain(one['id'])}", plain(one["reason"]),
                         code(f"{part.command} {only}")])
    known = {gone["id"] for part in parts.values() for gone in part.missing}
    for name, row_id in asked_for:
        part = parts[name]
        if not part.reason and row_id not in known:
            body.append([f"{name}: {row_id}", plain(part.why_not(row_id)), code(part.command)])
    for name, beginning in WHOLE:
        part, rows = parts[name], f"{beginning}*"
        if not part.reason and not part.under(beginning) and \
                not any(one.startswith(beginning) for one in known):
            body.append([f"{name}: {plain(rows)}", plain(part.why_not(rows)), code(f"{part.command} --only '{rows}'")])
    return ["## What is missing", "", *(table(["not measured", "reason", "command"], body) or
                                       ["Nothing.", ""])]

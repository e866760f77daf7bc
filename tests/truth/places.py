# SPDX-License-Identifier: GPL-2.0
"""
What the places and the verdict of a report must say of a program whose bottleneck is known.
"""

import re

from judge import NO_BOTTLENECK, SUM_TOLERANCE, Wrong

FIRST_PLACES = 5
COVERED = 0.9
# Of threads that spin: until a sample finds one in its loop, it has places of its own.
COVERED_SPUN = 0.85
SPREAD = re.compile(r", (in|with waits in) (\d+) places[;,]")
NOT_NOTABLE = re.compile(r"No bottleneck\b")
# Where slices are alike their number times their median is their sum, within this factor. Slices that other
# threads cut short change less, and a wrong unit or a median of something else more.
ALIKE_FACTOR = 5
# Of the text report: the unit of a table, a row, and what it says of the places that have none.
TABLE_UNIT = re.compile(r" +# +critical (s|ms|us) +%", re.MULTILINE)
TABLE_ROW = re.compile(r"^ {0,3}(\d+) +(\d+\.\d+) +(\d+\.\d)  ", re.MULTILINE)
TABLE_REST = re.compile(r"^ {5}(\d+\.\d+) (s|ms|us) \((?:below )?([0-9.]+) %\) in (\d+) (?:more )?places?$",
                        re.MULTILINE)
UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6}


def check_sums(report):
    """Places do not overlap: they sum up to what paths do, and so do the parts of each."""
    said = report.said
    for kind in ("ran", "waited"):
        places, paths = (sum(row["critical_s"] for row in said[name] if row["kind"] == kind)
                         for name in ("places", "paths"))
        if abs(places - paths) > SUM_TOLERANCE * paths + 1e-6:
            raise Wrong(f"sums: places that {kind} {places:.6f} s, paths {paths:.6f} s")
    for place in said["places"]:
        parts = sum(one["critical_s"] for one in place["doing"])
        if place["doing"] and abs(parts - place["critical_s"]) > SUM_TOLERANCE * place["critical_s"] + 1e-6:
            raise Wrong(f"{place['function']} has {place['critical_s']:.6f} s, and did {parts:.6f}")
        if place["critical_s"] > 0 and not place["slices"]:
            raise Wrong(f"{place['function']} has {place['critical_s']:.6f} s in 0 slices")
        if (place["median_s"] or 0) > 1.07 * place["critical_s"] + 1e-6:
            raise Wrong(f"{place['function']}: a median of {place['median_s']:.6f} s is more than its "
                        f"{place['critical_s']:.6f} s")


def is_culprit(report, place, case):
    """The place is the culprit; or its caller that is meant, which does nothing else."""
    name, caller = report.function(place), case.get("caller")
    callers = [report.function(frame) for frame in place["path"][1:2]]
    if name == case.truth["first"]:
        return not caller or callers == [caller]
    return name == caller and place["doing"] and \
        report.function(place["doing"][0]) == case.truth["first"]


def check_first(report, case):
    """The first place, and the sentence that names it."""
    said = report.said
    if not said["places"]:
        raise Wrong("no place at all")
    place = said["places"][0]
    if not is_culprit(report, place, case):
        raise Wrong(f"the first place is {report.function(place)} ({place['kind']}, "
                    f"{place['critical_s']:.3f} s), not {case.truth['first']}")
    if place["kind"] != case.get("kind", place["kind"]):
        raise Wrong(f"the first place {place['kind']}, not {case.get('kind')}")
    if NO_BOTTLENECK.match(said["verdict"]):
        raise Wrong(f"the verdict is that there is none: '{said['verdict']}'")
    named = place["function"].strip("[]")
    if not re.search(rf"(?<!\w){re.escape(named)}(?!\w)", said["verdict"]):
        raise Wrong(f"the verdict does not name {named}: '{said['verdict']}'")


def check_covered(report, least=COVERED):
    """The first places have nearly all of the time, or the verdict says over how many it is spread."""
    times = [place["critical_s"] for place in report.said["places"] if place["wait"] != "sleep"]
    if sum(times[:FIRST_PLACES]) >= least * sum(times):
        return
    told = f"{FIRST_PLACES} places have {100 * sum(times[:FIRST_PLACES]) / sum(times):.1f} % of what " \
           f"{len(times)} have, and the verdict is '{report.said['verdict']}'"
    spread = SPREAD.search(report.said["verdict"])
    if NOT_NOTABLE.match(report.said["verdict"]):
        return
    if not spread:
        raise Wrong(told)
    kind = "waited" if "waits" in spread.group(1) else "ran"
    count = sum(place["kind"] == kind for place in report.said["places"])
    if int(spread.group(2)) != count:
        raise Wrong(f"{told}: of the places {count} {kind}")


def check_alike(report):
    """The first place's slices are of one length by construction: the median is that of most of them."""
    place = report.said["places"][0]
    product = place["slices"] * (place["median_s"] or 0)
    if not place["critical_s"] / ALIKE_FACTOR <= product <= place["critical_s"] * ALIKE_FACTOR:
        raise Wrong(f"{place['slices']} slices of {report.function(place)} that are alike have a median of "
                    f"{place['median_s'] or 0:.6f} s, but {place['critical_s']:.6f} s in all")


def is_rounded(shown, value):
    """The number as it is printed is the value, rounded to its last digit."""
    digits = len(shown.partition(".")[2])
    return abs(float(shown) - value) <= 0.5001 * 10 ** -digits + 1e-5


def is_percent(shown, value):
    """Of the text that is "below 0.1 %" of a little."""
    return is_rounded(shown, value) or (shown == "0.1" and 0 < value < 0.1)


def check_text(said, text):
    """The rows of the table, and what it says of more places, are the places of the JSON of the same run."""
    found = said["places"]
    unit, rest = TABLE_UNIT.search(text), TABLE_REST.search(text)
    rows = TABLE_ROW.findall(text[unit.end():].partition("\n\n")[0]) if unit else []
    if len(rows) + int(rest.group(4) if rest else 0) != len(found):
        raise Wrong(f"the text has {len(rows)} places and {rest.group(4) if rest else 'no'} more, the JSON "
                    f"{len(found)}")
    for number, (row, place) in enumerate(zip(rows, found), 1):
        if int(row[0]) != number or not is_rounded(row[1], place["critical_s"] / UNITS[unit.group(1)]) or \
                not is_rounded(row[2], place["percent"]):
            raise Wrong(f"the text's row {' '.join(row)} is not {place['function']} with "
                        f"{place['critical_s']:.6f} s, {place['percent']:.3f} %")
    if not rest:
        return
    left, percent = (sum(place[key] for place in found[len(rows):]) for key in ("critical_s", "percent"))
    if not is_rounded(rest.group(1), left / UNITS[rest.group(2)]) or not is_percent(rest.group(3), percent):
        raise Wrong(f"the text's '{rest.group().strip()}' are {left:.6f} s, {percent:.3f} %")


def check(report, case):
    if not case.has_bottleneck() or case.is_twin():
        return
    check_first(report, case)
    check_covered(report, COVERED_SPUN if case.is_spun() else COVERED)
    if case.get("alike") == "yes":
        check_alike(report)

# SPDX-License-Identifier: GPL-2.0
"""
What the places and the verdict of a report must say of a program whose bottleneck is known.
"""

import re

from judge import SUM_TOLERANCE, Wrong

FIRST_PLACES = 5
COVERED = 0.9
SPREAD = re.compile(r"No (single )?bottleneck\b|\bin many places;")


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
    named = place["function"].strip("[]")
    if not re.search(rf"(?<!\w){re.escape(named)}(?!\w)", said["verdict"]):
        raise Wrong(f"the verdict does not name {named}: '{said['verdict']}'")


def check_covered(report):
    """The first places have nearly all of the time, or the verdict says that it is spread."""
    times = [place["critical_s"] for place in report.said["places"] if place["wait"] != "sleep"]
    if sum(times[:FIRST_PLACES]) < COVERED * sum(times) and not SPREAD.search(report.said["verdict"]):
        raise Wrong(f"{FIRST_PLACES} places have {100 * sum(times[:FIRST_PLACES]) / sum(times):.1f} % "
                    f"of what {len(times)} have, and the verdict is '{report.said['verdict']}'")


def check(report, case):
    check_sums(report)
    if case.has_bottleneck() and not case.is_twin():
        check_first(report, case)
        check_covered(report)

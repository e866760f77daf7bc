# SPDX-License-Identifier: GPL-2.0
"""
The judge on made-up reports: right ones pass, and each kind of wrong one is seen.
"""

import copy
from pathlib import Path

import judge
import places
import streams
from batch import Batch, judge_again
from programs import Case, SOURCES, all_cases, parse_words

HOT = "first=insert_entry kind=ran waits=lock cpu=below"
COMMIT = "first=flush_log kind=waited wait=disk waits=lock libc=yes"


def case_of(name, words, base=None):
    source = SOURCES / f"{name.replace('_mended', '')}.c"
    return Case(source, name, [], parse_words(source, words.split()), base)


def frame(function, case, line=1):
    return {"function": function, "module": f"/somewhere/{case.name}", "file": f"x/{case.source.name}",
            "line": line, "inlined": False}


def libc(function):
    return {"function": function, "module": "/lib/libc.so.6", "file": None, "line": None, "inlined": False}


LIBC = libc("fsync")


def path_of(rank, kind, seconds, frames, waiting, then):
    return {"rank": rank, "kind": kind, "critical_s": seconds, "percent": 1.0, "slices": 3, "samples": 3,
            "inferred_s": 0.0, "waiting_on": waiting, "then": then, "frames": frames, "lines": [], "complete": True}


def place_of(kind, seconds, frames):
    first, rest = 3 * seconds / 4, seconds / 4
    return {"kind": kind, "critical_s": seconds, "percent": 100 * seconds,
            "function": frames[0]["function"], "wait": None, "slices": 3,
            "object": frames[0]["module"], "median_s": 0.001, "path": frames,
            "doing": [{"function": "hash", "object": "x", "critical_s": first},
                      {"function": frames[0]["function"], "object": "x", "critical_s": rest}]}


def hot_report(case):
    first = [frame("insert_entry", case, case.line), frame("worker", case)]
    second = [frame("read_input", case), frame("main", case)]
    return {"wall_s": 1.0, "critical_s": 0.75, "threads": [], "verdict": "mostly in insert_entry (x.c:1)",
            "places": [place_of("ran", 0.6, first), place_of("ran", 0.1, second)],
            "unattributed_s": {"run_queue": 0.05, "lost": 0.0, "table_full": 0.0, "no_user_path": 0.0},
            "paths": [path_of(1, "ran", 0.6, first, {"lock": 1.5, "join": 0.1}, {"wait": 3}),
                      path_of(2, "ran", 0.1, second, {}, {"on": 1})]}


def commit_report(case):
    first = [LIBC, frame("flush_log", case, case.line), frame("session", case)]
    said = hot_report(case_of("hot_mutex", HOT))
    said["paths"].insert(0, path_of(0, "waited", 0.9, first, {"lock": 2.7}, {"disk": 60}))
    return said


class Checks:
    """Counts, and prints a line each."""

    def __init__(self):
        self.failed = 0

    def line(self, name, good, why=""):
        self.failed += not good
        print(f"ok - truth selftest {name}" if good else f"not ok - truth selftest {name} ({why})")

    def passes(self, name, function, *arguments):
        try:
            function(*arguments)
        except judge.Wrong as error:
            self.line(name, False, str(error))
        else:
            self.line(name, True)

    def fails(self, name, part, function, *arguments):
        try:
            function(*arguments)
        except judge.Wrong as error:
            self.line(name, part in str(error), f"wrong complaint: {error}")
        else:
            self.line(name, False, "passes")


def check_first(said, case):
    judge.check_first(judge.Report(said, case.name), case)


def check_sums(said, case):
    judge.check_sums(judge.Report(said, case.name))


def changed(said, change):
    said = copy.deepcopy(said)
    change(said)
    return said


def first_ranks(checks):
    case = case_of("hot_mutex", HOT)
    good = hot_report(case)
    checks.passes("a right first rank", check_first, good, case)
    for name, part, change in (
            ("another function", "rank none", lambda s: s["paths"][0]["frames"].pop(0)),
            ("the function in second place", "has rank 2",
             lambda s: (s["paths"][0].update(rank=2), s["paths"][1].update(rank=1))),
            ("another line", "not hot_mutex.c", lambda s: s["paths"][0]["frames"][0].update(line=7)),
            ("another kind", "not ran", lambda s: s["paths"][0].update(kind="waited")),
            ("another wait", "wait for join", lambda s: s["paths"][0]["waiting_on"].update(join=9.0)),
            ("nobody waits", "wait for None", lambda s: s["paths"][0].update(waiting_on={})),
            ("a frame of libc before it", "first is fsync of libc.so.6",
             lambda s: s["paths"][0]["frames"].insert(0, LIBC)),
            ("a function of that name in a library", "first is insert_entry of",
             lambda s: s["paths"][0]["frames"][0].update(module="/lib/other.so")),
            ("no path", "no path", lambda s: s["paths"].clear())):
        checks.fails(name, part, check_first, changed(good, change), case)
    called = case_of("hot_mutex", HOT + " caller=worker")
    checks.passes("the right caller", check_first, good, called)
    called = case_of("hot_mutex", HOT + " caller=somebody")
    checks.fails("another caller", "called by worker", check_first, good, called)


def check_places(said, case):
    report = judge.Report(said, case.name)
    places.check_sums(report)
    places.check(report, case)


def places_and_verdict(checks):
    case = case_of("hot_mutex", HOT)
    good = hot_report(case)
    checks.passes("right places", check_places, good, case)
    for name, part, change in (
            ("another first place", "the first place is read_input", lambda s: s["places"].reverse()),
            ("no place", "places that ran 0.0", lambda s: s["places"].clear()),
            ("a place that is missing", "sums", lambda s: s["places"].pop()),
            ("a place whose parts are too few", "and did", lambda s: s["places"][0]["doing"].pop()),
            ("time in no slice", "in 0 slices", lambda s: s["places"][1].update(slices=0)),
            ("a median above the place's time", "a median of", lambda s: s["places"][1].update(median_s=0.2)),
            ("a verdict that there is none", "that there is none",
             lambda s: s.update(verdict="No single bottleneck: but the largest place, insert_entry, has 5 %.")),
            ("a verdict that names something else", "does not name insert_entry",
             lambda s: s.update(verdict="mostly in insert_entry_slowly (x.c:1)"))):
        checks.fails(name, part, check_places, changed(good, change), case)

    def split(said):
        said["places"][1:] = [place_of("ran", 0.1 / 19, [frame(f"small{i}", case)])
                               for i in range(19)]

    checks.fails("time outside the first places", "of what 20 have", check_places, changed(good, split), case)
    for name, words, part in (("... and a verdict that says so", "in 20 places", ""),
                              ("... without a number", "in many places", "of what 20 have"),
                              ("... with another number", "in 19 places", "of the places 20 ran")):
        said = changed(changed(good, split), lambda s: s.update(verdict=f"insert_entry, {words}; no"))
        if part:
            checks.fails(name, part, check_places, said, case)
        else:
            checks.passes(name, check_places, said, case)
    called = case_of("hot_mutex", HOT + " caller=worker")
    checks.passes("the caller of the first place", check_places, good, called)
    checks.fails("another caller of the first place", "the first place is", check_places, good,
                 case_of("hot_mutex", HOT + " caller=somebody"))


def alike_slices(checks):
    case = case_of("hot_mutex", HOT + " alike=yes")
    good = changed(hot_report(case), lambda s: s["places"][0].update(slices=40, median_s=0.014))
    checks.passes("slices that are alike", check_places, good, case)
    for name, change in (("a median that is too short", {"median_s": 0.0014}),
                         ("a median that is as long as all of them", {"median_s": 0.6}),
                         ("slices that are counted several times", {"slices": 400}),
                         ("slices that are not counted", {"slices": 1}),
                         ("no median", {"median_s": None})):
        checks.fails(f"... with {name}", "slices of insert_entry that are alike", check_places,
                     changed(good, lambda s, how=change: s["places"][0].update(how)), case)


TABLE = """mostly in insert_entry

   #  critical s      %  while others wait  code that held everyone up
   1       0.600   60.0  lock               insert_entry  hot_mutex.c:17
     0.100 s (10 %) in 1 more place

#1  worker > insert_entry
    0.600 s in 3 slices
"""


def text_tables(checks):
    said = hot_report(case_of("hot_mutex", HOT))
    checks.passes("a table and its rest", places.check_text, said, TABLE)
    for name, one, other, part in (
            ("a row with another time", "0.600", "0.601", "row 1 0.601"),
            ("a row with another percentage", "60.0", "60.2", "row 1 0.600 60.2"),
            ("a rest with another time", "0.100 s", "0.099 s", "'0.099 s"),
            ("a rest with another percentage", "(10 %)", "(12 %)", "(12 %)"),
            ("a rest of more places", "1 more place", "2 more places", "1 places and 2 more"),
            ("a rest that is missing", TABLE.splitlines()[4] + "\n", "", "1 places and no more")):
        checks.fails(name, part, places.check_text, said, TABLE.replace(one, other, 1))
    whole = TABLE.replace("     0.100 s (10 %) in 1 more place",
                          "   2     100.000   10.0  no others          main").replace(
                              "0.600   60.0", "600.000   60.0").replace("critical s ", "critical ms")
    checks.passes("a table of all places, in milliseconds", places.check_text, said, whole)
    checks.passes("no row at all", places.check_text, said, "No bottleneck\n\n     0.700 s (70 %) in 2 places\n")
    checks.passes("a rest of hardly anything", places.check_text,
                  changed(said, lambda s: s["places"][1].update(critical_s=0.0002, percent=0.02)),
                  TABLE.replace("0.100 s (10 %)", "0.000 s (below 0.1 %)"))
    checks.fails("... that is more", "below 0.1", places.check_text,
                 changed(said, lambda s: s["places"][1].update(critical_s=0.0002, percent=0.2)),
                 TABLE.replace("0.100 s (10 %)", "0.000 s (below 0.1 %)"))


def waits(checks):
    case = case_of("commit_path", COMMIT)
    good = commit_report(case)
    checks.passes("a wait is named after its first frame of the program", check_first, good, case)
    checks.fails("a wait for something else", "waits for pipe", check_first,
                 changed(good, lambda s: s["paths"][0].update(then={"pipe": 60})), case)
    checks.fails("a wait that is not on a path through libc", "not in libc", check_first,
                 changed(good, lambda s: s["paths"][0]["frames"].pop(0)), case)


def ends_report(case):
    """Waits for a lock: 199 of worker(), and one whose path is cut."""
    inside = [libc("__lll_lock_wait"), libc("pthread_mutex_lock")]
    said = hot_report(case)
    said["rows"] = [path_of(1, "ran", 0.5, [*inside, frame("worker", case), libc("clone3")], {},
                            {"lock": 199}),
                    path_of(2, "ran", 0.1, inside, {}, {"lock": 1}),
                    path_of(3, "ran", 0.1, [frame("main", case)], {}, {"on": 1})]
    return said


def sleeps(checks):
    case = case_of("hot_mutex", HOT + " sleeps=other,worker")
    good = ends_report(case)

    def check(said, static=False):
        judge.check_sleeps(judge.Report(said, case.name, static=static), case)

    def in_program(said):
        """As in a static program: libc is in the same file, and has no lines."""
        for path in said["rows"]:
            for at in path["frames"]:
                at["file"] = f"tests/workloads/truth/{case.name}.c" if at["file"] else None
                at["module"] = f"/somewhere/{case.name}"

    checks.passes("waits on paths through libc", check, good)
    checks.passes("... of a static program", check, changed(good, in_program), True)
    checks.fails("waits without the caller of libc", "of 200 waits", check,
                 changed(good, lambda s: s["rows"][0]["frames"].pop(2)))
    checks.fails("... without libc itself", "of 200 waits", check,
                 changed(good, lambda s: s["rows"][0].update(frames=[frame("worker", case)])))
    checks.fails("... of another caller", "another: __lll_lock_wait", check,
                 changed(good, lambda s: s["rows"][0]["frames"].insert(2, frame("wrong", case))))
    checks.fails("... on cut paths", "0 of 200 waits", check,
                 changed(good, lambda s: s["rows"][0].update(complete=False)))
    checks.fails("... too few of them", "too few", check,
                 changed(good, lambda s: s["rows"][0].update(then={"lock": 3})))
    checks.passes("whole paths", judge.check_complete, judge.Report(good, case.name))
    for percent, least in ((89.9, "fewer"), (None, "no path at all, and no")):
        checks.fails(f"{least} whole ones than there must be", "of paths' time is on whole", judge.check_whole,
                     {"complete_path_percent": percent}, 90)
    checks.passes("as many whole ones", judge.check_whole, {"complete_path_percent": 90.0}, 90)
    checks.fails("cut paths", "cut: read_input", judge.check_complete, judge.Report(
        changed(good, lambda s: s["paths"][1].update(complete=False)), case.name))
    checks.passes("... of the compiler's start files", judge.check_complete, judge.Report(
        changed(good, lambda s: s["paths"][1].update(
            complete=False, frames=[frame("__do_global_dtors_aux", case)])), case.name))
    checks.passes("... of others than the program", judge.check_complete, judge.Report(
        changed(good, lambda s: s["paths"][1].update(complete=False, frames=[libc("_exit")])), case.name))


def sums(checks):
    case = case_of("hot_mutex", HOT)
    good = hot_report(case)
    checks.passes("sums that agree", check_sums, good, case)
    checks.passes("waited time is in no sum", check_sums, commit_report(case_of("commit_path", COMMIT)),
                  case)
    checks.fails("a sum that is 0.2 % short", "sums", check_sums,
                 changed(good, lambda s: s["paths"][1].update(critical_s=0.0985)), case)
    checks.fails("2 % without a path", "not attributed", check_sums,
                 changed(good, lambda s: (s["unattributed_s"].update(run_queue=0.035, no_user_path=0.015))),
                 case)


def spun(checks):
    """A program that spins, with and without its loops known, and the same asleep."""
    case = case_of("hot_mutex", HOT)

    def said(part, spun_s, verdict="mostly in insert_entry (x.c:1)", handed_on=0.0):
        place = place_of("waited", handed_on, [frame("spin_mutex_lock", case)])
        place["wait"] = "spin"
        return judge.Report(changed(hot_report(case), lambda s: (
            s["places"][0].update(critical_s=part), s["places"].append(place),
            s.update(spun_s=spun_s, verdict=verdict))), case.name)

    asleep, exact, off = said(0.6, 0.0), said(0.58, 2.0), said(0.0, 0.0, "No single bottleneck")
    late = said(0.5, 2.0, handed_on=0.08)
    checks.passes("a program that spins", judge.check_spun, case, said(0.57, 2.0), exact, off, asleep)
    checks.passes("one that hands its work on between samples", judge.check_spun, case, late, exact, off, asleep)
    for name, part, reports in (
            ("nobody was seen to spin", "threads spun 0", (said(0.57, 0.0), exact, off)),
            ("spinning that nobody asked for", "with --spin off 1", (said(0.57, 2.0), exact, said(0.0, 1.0))),
            ("another part of the run", "has 48.0 %", (said(0.48, 2.0), exact, off)),
            ("too much of the run", "has 66.0 %", (said(0.66, 2.0), exact, off)),
            ("exact, and another part", "54.0 % of the run with --spin exact", (said(0.57, 2.0), said(0.54, 2.0), off)),
            ("what is found without the loops", "is found, too", (said(0.57, 2.0), exact, said(0.4, 0.0)))):
        checks.fails(name, part, judge.check_spun, case, *reports, asleep)


def turns(checks):
    """How often threads waited for one object after the other."""
    case = case_of("lock_chain", "first=rewrite_page kind=ran turns=chain:40:3")

    def said(*counts):
        return {"wait_objects": [{"reason": "spin", "name": f"chain+{i}", "waits": waits}
                                 for i, waits in enumerate(counts)]}

    checks.passes("each wait", judge.check_turns, case, said(40, 39, 38))
    checks.fails("two waits that are one", "[40, 25, 40] times, not 40", judge.check_turns, case, said(40, 25, 40))
    checks.fails("an object that is not told", "not 40 each of 3", judge.check_turns, case, said(40, 40))
    checks.fails("one that is two", "[80, 40, 40] times", judge.check_turns, case, said(80, 40, 40))
    checks.fails("no such object", "[] times", judge.check_turns, case, said())


def stores(checks):
    """Who ended the waits of a program that spins."""
    lines = {("spin_sync.h", 46)}

    def said(*enders):
        return {"wait_objects": [{"reason": "spin", "name": "x", "enders": [
            {"function": function, "file": "./x/spin_sync.h", "line": line, "waits": waits}
            for function, line, waits in enders]}]}

    unseen = (None, None, 90)
    checks.passes("ends at a store", judge.check_stores, said(("spin_mutex_unlock", 46, 10), unseen), lines)
    checks.passes("one of a hundred elsewhere", judge.check_stores,
                  said(("spin_mutex_unlock", 46, 99), ("main", 7, 1)), lines)
    checks.fails("one of ten elsewhere", "at no store", judge.check_stores,
                 said(("spin_mutex_unlock", 46, 9), ("main", 7, 1)), lines)
    checks.fails("the line before", "at no store", judge.check_stores, said(("spin_mutex_unlock", 45, 10)), lines)
    checks.fails("no end is known", "no store is known", judge.check_stores, said(unseen), lines)
    checks.passes("the header's own", lambda: judge.lines_that_end_waits() or 1 / 0)
    checks.fails("no line is marked", "no store", judge.check_stores, said(), lines)


def twins(checks):
    base = case_of("pipeline", "first=rank_candidates kind=ran stages=a,b")
    twin = case_of("pipeline_mended", "first=rank_candidates twin=mended", base)

    def said(first, wall, one, other):
        report = hot_report(case_of("hot_mutex", HOT))
        report["paths"][0]["frames"] = [frame(first, base)]
        report.update(wall_s=wall, threads=[{"comm": "a", "cmetric_s": one},
                                            {"comm": "b", "cmetric_s": other}])
        return judge.Report(report, "pipeline")

    before = [said("rank_candidates", 2.0, 8.0, 1.0)]
    checks.passes("a mended twin", judge.check_twin, twin, [said("read_input", 1.0, 1.5, 1.0)], before)
    pathless = said("read_input", 1.0, 1.5, 1.0)
    pathless.paths = []
    checks.fails("a twin without a path", "has no path", judge.check_twin, twin, [pathless], before)
    checks.fails("a twin with the same first rank", "first still", judge.check_twin, twin,
                 [said("rank_candidates", 1.0, 1.5, 1.0)], before)
    checks.fails("a twin that takes as long", "mended takes", judge.check_twin, twin,
                 [said("read_input", 2.0, 1.5, 1.0)], before)
    checks.fails("stages that stay uneven", "even out", judge.check_twin, twin,
                 [said("read_input", 1.0, 7.0, 1.0)], before)


def objects(checks):
    """What is waited for, where, and who preempts whom."""
    words = HOT + " object=table_lock waits_at=worker own_object=/disk/log wait=disk preempted=low preempted_by=hog"
    words += " objects=1"
    case = case_of("hot_mutex", words)
    rows = [{"reason": "join", "name": "x", "sites": []},
            {"reason": "lock", "name": "table_lock+0x8", "sites": [{"function": "worker"}, {"function": "main"}]},
            {"reason": "disk", "name": "/disk/log", "sites": []}]
    low = {"comm": "low", "tid": 3, "preempted_by": [{"comm": "main", "tid": 4, "runq_s": 2.0},
                                                     {"comm": "x", "tid": 5, "runq_s": 1.0}]}
    hog = {"comm": "hog", "tid": 4, "preempted_by": [{"comm": "x", "tid": 5, "runq_s": 9.0}]}
    good = {"wait_objects": rows, "threads": [hog, low]}

    def check(said):
        judge.check_object(said, case, "pie")
        judge.check_preempted(said, case)

    checks.passes("right objects", check, good)
    for name, part, change in (
            ("another lock", "the object is one of", lambda s: s["wait_objects"][1].update(name="stats_lock")),
            ("a lock without a name", "the object is one of", lambda s: s["wait_objects"][1].update(name=None)),
            ("one object that is two", "2 objects are table_lock",
             lambda s: s["wait_objects"].append(dict(s["wait_objects"][1]))),
            ("no wait", "the object is one of", lambda s: s["wait_objects"].pop(1)),
            ("another file", "the own_object is one of", lambda s: s["wait_objects"][2].update(name="/disk/x")),
            ("another site", "the others wait in", lambda s: s["wait_objects"][1]["sites"].reverse()),
            ("another preempter", "is preempted by", lambda s: low_of(s)[0].update(runq_s=0.5)),
            ("no preempter", "is preempted by", lambda s: low_of(s).clear())):
        checks.fails(name, part, check, changed(good, change))


def low_of(said):
    return said["threads"][1]["preempted_by"]


def gains(checks):
    """What a mended twin saves, against the bound on the gain."""
    base = case_of("pipeline", "first=rank_candidates kind=ran")
    twin = case_of("pipeline_mended", "first=rank_candidates twin=mended", base)

    def runs(walls, bound=None, function="rank_candidates"):
        reports = []
        for wall in walls:
            report = hot_report(case_of("hot_mutex", HOT))
            report.update(wall_s=wall, places=[{"function": function, "gain_bound_s": bound},
                                               {"function": "main", "gain_bound_s": 9.0}])
            reports.append(judge.Report(report, "pipeline"))
        return reports

    after = runs([1.0, 1.1, 1.0, 1.1])
    checks.passes("a gain as large as the bound", judge.check_gain, twin, after, runs([2.0, 2.1, 2.0, 2.1], 1.0))
    checks.fails("a gain beyond the bound", "saved 1.000", judge.check_gain, twin, after,
                 runs([2.0, 2.1, 2.0, 2.1], 0.8))
    checks.passes("one that noise explains", judge.check_gain, twin, after, runs([1.8, 2.2, 1.9, 2.3], 0.8))
    checks.fails("no bound", "no bound", judge.check_gain, twin, after, runs([2.0, 2.1, 2.0, 2.1]))
    checks.fails("no place of the function", "no bound", judge.check_gain, twin, after,
                 runs([2.0, 2.1, 2.0, 2.1], 1.0, "other"))
    checks.fails("too few runs", "noise", judge.check_gain, twin, after[:3], runs([2.0, 2.1, 2.0], 1.0))


def holders(checks):
    """Who held a lock, and the objects on the critical path."""
    case = case_of("hot_mutex", HOT + " object=locks holders=worker,insert_entry")

    def said(*functions, waited=1.0, through=0.5, waits=4, reason="lock", held=0.5, called=None):
        rows = [{"function": function, "waits": waits, "waited_s": waited, "hold_s": held} for function in functions]
        lock = {"reason": reason, "called": "mutex", "name": "locks", "waits": 8, "waited_s": 4.0, "holders": rows}
        path = {"by_reason": [{"reason": "lock", "name": "mutex", "through_s": 0.5, "s": 0.25}],
                "by_object": [{"reason": "lock", "called": "mutex", "through_s": through, "s": 0.25},
                              {"reason": "lock", "called": called, "through_s": 9.0, "s": 9.0}]}
        path["by_reason"].append({"reason": "lock", "name": None, "through_s": 9.0, "s": 9.0})
        return {"wait_objects": [lock], "critical_path": path, "wall_s": 2.0}

    checks.passes("holders as the program says", judge.check_holders, said("worker", None), case)
    checks.fails("a holder that held nothing", "was held in main", judge.check_holders, said("main"), case)
    checks.fails("holders of which none is known", "nothing known", judge.check_holders, said(None), case)
    checks.fails("no holder", "nobody held", judge.check_holders, said(), case)
    checks.fails("half of the waits", "ended 4 of the 8", judge.check_holders, said("worker", None, waits=2), case)
    checks.fails("of another reason", "nobody held", judge.check_holders, said("worker", None, reason="queue"), case)
    checks.fails("two at a time", "held for 3.000", judge.check_holders, said("worker", None, held=1.5), case)
    checks.fails("more than was waited", "more than", judge.check_holders, said("worker", None, waited=2.1), case)
    checks.passes("objects that add up to their reason", judge.check_path_objects, said())
    checks.fails("of no reason of the path", "reasons that it does not have", judge.check_path_objects,
                 said(called="rwlock"))
    checks.fails("objects that do not", "through_s of lock", judge.check_path_objects, said(through=0.4))


class Tries:
    """A batch whose first tries fail: what is judged again, and what is said of it."""

    def __init__(self, failing, others=20.0, error=judge.Wrong):
        cases = {case.name: case for case in all_cases()}
        self.case = cases["pipeline_mended"]
        self.batch = Batch("6.12", 2, "pie", [self.case.base, self.case], 10, Path("nowhere"))
        self.batch.others = others
        self.failing, self.error = failing, error
        self.judged, self.said = [], []

    def judge(self, batch, case):
        self.judged.append(batch)
        if len(self.judged) <= self.failing:
            raise self.error("ranks\ndiffer")
        return f"{batch.rounds_of(case)} runs"

    def reboot(self, batch):
        batch.others = self.batch.others

    def run(self, reboot=True):
        return judge_again(self.batch, self.case, self.judge, self.said.append, reboot and self.reboot)


def retries(checks):
    tries = Tries(0)
    checks.line("a first try that passes says nothing", (tries.run(), tries.said) == ("10 runs", []))
    tries = Tries(1)
    checks.line("a second try has as many rounds", tries.run() == "10 runs; try 2", str(tries.judged[-1].rounds))
    checks.line("... and as many of its pair", {batch.rounds_of(tries.case.base) for batch in tries.judged} == {10})
    checks.line("... and what failed before it is said",
                tries.said == ["try 1 failed, others had 20 % of the CPUs: ranks differ"], str(tries.said))
    checks.fails("a third try that fails", "differ", Tries(3).run)
    checks.fails("a failure on an idle machine", "differ", Tries(1, others=1.0).run)
    checks.fails("a failure where nothing is run again", "differ", Tries(1).run, None)
    tries = Tries(1, others=1.0, error=judge.NotSooner)
    checks.line("a twin that is not sooner is tried again", tries.run() == "10 runs; try 2")
    checks.line("... and that is said", len(tries.said) == 1)


def repeated(checks):
    """Runs of one program whose ranks are compared."""
    case = case_of("hot_mutex", HOT)

    def ranks(*runs):
        """Of runs in which the two places have so many seconds."""
        batch = Batch("6.12", 2, "pie", [case], len(runs), Path("nowhere"))
        said = [changed(hot_report(case), lambda s, parts=parts: [
            place.update(critical_s=part) for place, part in zip(s["places"], parts)]) for parts in runs]
        batch.reports = lambda _: [judge.Report(one, case.name) for one in said]
        return batch.same_ranks(case)

    checks.line("ranks that are the same",
                ranks((0.6, 0.1), (0.6, 0.1)) == "2 runs: ran insert_entry, ran read_input")
    checks.fails("ranks that differ", "2 different", ranks, (0.6, 0.1), (0.1, 0.6))
    checks.fails("one run alone", "one run says nothing", ranks, (0.6, 0.1))
    least = judge.WORTH_A_RANK * hot_report(case)["wall_s"]

    def last_has(*seconds):
        batch = Batch("6.12", 2, "pie", [case], len(seconds), Path("nowhere"))
        said = [changed(hot_report(case), lambda s, part=part: s["places"][-1].update(critical_s=part))
                for part in seconds]
        said[0]["places"][-1]["function"] = "another"
        batch.reports = lambda _: [judge.Report(one, case.name) for one in said]
        return batch.same_ranks(case)

    checks.line("a rank that nobody would act on", last_has(0.9 * least, 0.9 * least) == "2 runs: ran insert_entry")
    checks.line("... and one that is there in one run alone",
                last_has(0.9 * least, 1.1 * least) == "2 runs: ran insert_entry, ran read_input")
    checks.fails("one that counts, and differs", "2 different", last_has, 1.1 * least, 1.1 * least)
    more = 0.3 + 0.9 * least
    checks.line("two places that are alike and change their ranks",
                ranks((0.3, more), (more, 0.3)) == "2 runs: ran read_input, ran insert_entry")
    more = 0.3 + 1.1 * least
    checks.fails("two that are not alike and change them", "2 different", ranks, (0.3, more), (more, 0.3))


def sums_of_all(checks):
    """The sums are looked at whatever else is not: without a bottleneck, where libc cuts paths, of a twin."""
    cases = {case.name: case for case in all_cases()}
    short = changed(hot_report(case_of("hot_mutex", HOT)), lambda s: s["places"].pop())
    for name, build in (("no_bottleneck", "pie"), ("commit_path", "frames"), ("hot_mutex_mended", "pie")):
        batch = Batch("6.12", 2, build, [cases[name]], 1, Path("nowhere"))
        batch.report = lambda case, number: judge.Report(short, case.name)
        checks.fails(f"places that do not sum up, of {name}", "sums: places", batch.judge_case, cases[name])


def others(checks):
    case = case_of("short_sections", "first=section_often kind=ran ratio=insert_entry:read_input=6")
    good = judge.Report(hot_report(case), case.name)
    checks.passes("a ratio", judge.check_ratio, good, case)
    good.paths[1]["critical_s"] *= 1.06
    checks.fails("a ratio that is 6 % off", "not 6 within", judge.check_ratio, good, case)
    checks.passes("a report that finds nothing", judge.check_text, "No bottleneck: all is well\nmore")
    checks.fails("a report that finds something", "does not say", judge.check_text,
                 "For 1 s of 2 s one thread ran alone\nno bottleneck")
    hot = case_of("hot_mutex", HOT)
    checks.line("rank by CPU time",
                judge.cpu_rank(hot, "insert_entry 5\nparallel_work 4\nparallel_work 4\nmain 0\n") == 2)
    checks.fails("a program whose bottleneck has most CPU time too", "not what it says", judge.cpu_rank,
                 hot, "insert_entry 5\nparallel_work 4\n")
    stripped = judge.Report(hot_report(hot), hot.name)
    stripped.symbols = judge.Symbols.__new__(judge.Symbols)
    stripped.symbols.functions = [(0x1000, 0x20, "insert_entry")]
    inside, outside = {"function": "[hot_mutex+0x101f]"}, {"function": "[hot_mutex+0x1020]"}
    checks.line("a function without symbols", stripped.function(inside) == "insert_entry")
    checks.line("... and one that is another", stripped.function(outside) == "[hot_mutex+0x1020]")


def stream(records):
    """Lines of `gapp-read script`: (time, tid) are slices, (time, count, since) a loss."""
    for record in records:
        if len(record) == 2:
            yield f"{record[0]:.9f} [000] a b {record[1]}/7 slice share=5 then=wait path=whole\n"
            yield "\tmain (prog)\n"
        else:
            yield f"{record[0]:.9f} [000] - 0/0 lost records={record[1]} since={record[2]:.9f}\n"


def losses(checks):
    whole = [(1 + i / 100, 8 + i % 2) for i in range(100)]
    # Its clock began 0.5 s later; half a microsecond is between the two readings of it.
    small = [(time - 0.5 + 5e-7, tid) for time, tid in whole]
    lost = small[:40] + [(small[60][0], 20, small[40][0])] + small[60:]

    def errors(records):
        return "; ".join(streams.Comparison(stream(whole), stream(records)).errors)

    def line(name, records, part):
        said = errors(records)
        checks.line(name, part in said if part else not said, said)

    line("losses that are told", lost, "")
    line("losses that are not told", small[:40] + small[60:], "neither there nor told")
    line("fewer told than lost", small[:40] + [(small[60][0], 10, small[40][0])] + small[60:],
         "10 told as lost")
    line("told for another time", small[:40] + [(small[30][0], 20, small[10][0])] + small[60:],
         "neither there nor told")
    line("a stream without losses", small, "nothing was lost")
    line("records that nobody else saw", lost + [(9 + i, 8) for i in range(9)], "small stream only")


def sources(checks):
    cases = all_cases()
    plain = [case for case in cases if not case.base]
    checks.line(f"{len(plain)} programs say what must be found", len(plain) >= 17)
    below = [case for case in plain if case.get("cpu") == "below"]
    checks.line(f"{len(below)} of them are not what CPU samples hit", len(below) >= 10)
    mended = [case for case in cases if case.is_twin()]
    checks.line(f"{len(mended)} of them have a mended twin", len(mended) >= 5)
    waiting = [case for case in plain if case.sleepers()]
    kinds = {case.get("waits") for case in waiting}
    alike = [case for case in plain if case.get("alike") == "yes"]
    checks.line(f"{len(alike)} of them have slices that are alike", len(alike) >= 2)
    objects_said = [case for case in plain if case.get("object") or case.get("own_object")]
    checks.line(f"{len(objects_said)} of them say what is waited for", len(objects_said) >= 11)
    checks.line(f"{len(waiting)} of them say whose the waits in libc are", kinds >= {"lock", "queue"})


def run():
    checks = Checks()
    for part in (sources, first_ranks, places_and_verdict, alike_slices, text_tables, waits, sleeps, objects, sums,
                 spun, turns, stores, twins, gains, holders, retries, repeated, sums_of_all, others, losses):
        part(checks)
    return not checks.failed

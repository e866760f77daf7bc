# SPDX-License-Identifier: GPL-2.0
"""
What a report must say of a program whose bottleneck is known.
"""

import collections
import re
import statistics
import subprocess
from pathlib import Path, PurePath

SUM_TOLERANCE = 0.001
UNATTRIBUTED_LIMIT = 0.01
RATIO_TOLERANCE = 0.05
# Of the run.
SPUN_TOLERANCE = 0.05
# Of the ends of spins that were seen. Two threads may store between two samples of the one that waits.
WRONG_STORES = 0.02
# Of the waits for a lock that are known, the part that its holders ended.
FEWEST_ENDED = 0.9
# Of waits in busy-wait loops. No sample may come in a short one.
FEWEST_TURNS = 0.85
SPIN_SYNC = Path(__file__).resolve().parents[1] / "workloads/truth/spin_sync.h"
TOP_RANKS = 3
# Of the run. Places of one program differ by up to a hundredth from run to run, and at a hundredth or two there
# are several: the start of the program, main(), the begin and the end of the work.
WORTH_A_RANK = 0.025
# Per cent of what the program's own paths have that is on such to an outermost frame; of waits, on the
# path that they must have.
COMPLETE_LIMIT = 99
SLEEPS_LIMIT = 99
# Per cent of all critical time that has a path. What is cut there is in musl itself, which has no tables.
WHOLE_OF_MUSL = 90
FEWEST_SLEEPS = 10
SOURCES = "tests/workloads/"
START_FILES = {"__do_global_dtors_aux", "deregister_tm_clones", "register_tm_clones", "frame_dummy"}
NO_BOTTLENECK = re.compile(r"No (single )?bottleneck\b")
UNNAMED = re.compile(r"\[([^]]+)\+0x([0-9a-f]+)\]")


class Wrong(Exception):
    """The report is not what it must be."""


def dominant(seconds):
    """The largest class of a {class: amount}; None if nothing is there."""
    return max(seconds, key=seconds.get) if seconds and max(seconds.values()) > 0 else None


class NotSooner(Wrong):
    """A mended program that takes as long: on a busy machine that says nothing."""


class Symbols:
    """Functions of the unstripped twin of a program without symbols."""

    def __init__(self, file):
        listing = subprocess.run(["nm", "-S", "--defined-only", str(file)], check=True, text=True,
                                 stdout=subprocess.PIPE).stdout
        self.functions = []
        for words in map(str.split, listing.splitlines()):
            if len(words) == 4 and words[2] in "tT":
                self.functions.append((int(words[0], 16), int(words[1], 16), words[3]))

    def name(self, address):
        for begin, size, name in self.functions:
            if begin <= address < begin + size:
                return name
        return None


def ranks_of(parts):
    """The names on the first ranks, of @parts of the run; a rank may be too small to have one."""
    return tuple(f"{kind} {name}" for (kind, name, _), part in list(parts.items())[:TOP_RANKS]
                 if part >= WORTH_A_RANK)


def ranks_agree(one, other):
    """
    Whether what has a rank in one run has it in the other, too, or as much of that run as what has it there:
    which of two places that are alike comes first is chance.
    """
    expected = list(other.values())[:TOP_RANKS] + [0] * TOP_RANKS
    return all(part < WORTH_A_RANK or abs(other.get(place, 0) - expected[rank]) < WORTH_A_RANK
               for rank, (place, part) in enumerate(list(one.items())[:TOP_RANKS]))


class Report:
    """One report as JSON, of one run of a case."""

    def __init__(self, said, program, symbols=None, static=False):
        self.said, self.program, self.symbols, self.static = said, program, symbols, static
        self.paths = sorted(said["paths"], key=lambda path: path["rank"])

    def is_own(self, frame):
        """Of the program's source; libc is in the same file of a static one, without lines."""
        return PurePath(frame.get("module") or "").name == self.program and \
            (not self.static or SOURCES in (frame.get("file") or ""))

    def is_libc(self, frame):
        module = PurePath(frame.get("module") or "").name
        if self.static:
            return module == self.program and not self.is_own(frame)
        return module.startswith("libc.so")

    def function(self, frame):
        """Its name; of a program without symbols found in its twin."""
        name = frame.get("function") or ""
        unnamed = UNNAMED.search(name)
        if not unnamed or not self.symbols:
            return name
        return self.symbols.name(int(unnamed.group(2), 16)) or name

    def own_frames(self, path):
        return [frame for frame in path["frames"] if self.is_own(frame)]

    def innermost(self, path):
        """The frame that a path is named after: where it ran, or what of the program waited."""
        if path["kind"] == "ran":
            frame = path["frames"][0] if path["frames"] else None
            return frame if frame and self.is_own(frame) else None
        own = self.own_frames(path)
        return own[0] if own else None

    def name(self, path):
        frame = self.innermost(path)
        if frame:
            return self.function(frame)
        if path["frames"]:
            frame = path["frames"][0]
            return f"{self.function(frame)} of {PurePath(frame.get('module') or '?').name}"
        return "no frames"

    def rank_of(self, function, caller=None):
        for path in self.paths:
            if self.name(path) == function and (not caller or self.caller(path) == caller):
                return path["rank"]
        return None

    def caller(self, path):
        frame = self.innermost(path)
        own = self.own_frames(path)
        at = own.index(frame) + 1 if frame else len(own)
        return self.function(own[at]) if at < len(own) else None

    def place_parts(self):
        """Which part of the run each place has, the largest first."""
        parts = collections.Counter()
        for place in self.said["places"]:
            parts[place["kind"], self.function(place), place["wait"]] += place["critical_s"] / self.said["wall_s"]
        return dict(parts.most_common())

    def share(self, function):
        return sum(path["critical_s"] for path in self.paths
                   if path["kind"] == "ran" and self.name(path) == function)

    def stage_spread(self, stages):
        """How far the CMetrics of a pipeline's stages, per thread, lie apart: largest to smallest."""
        means = []
        for stage in stages:
            own = [thread["cmetric_s"] for thread in self.said["threads"] if thread["comm"] == stage]
            if not own:
                raise Wrong(f"no thread '{stage}' in the report")
            means.append(sum(own) / len(own))
        if min(means) <= 0:
            raise Wrong("a stage has no CMetric")
        return max(means) / min(means)


def check_sums(report):
    said = report.said
    critical, missing = said["critical_s"], said["unattributed_s"]
    told = sum(path["critical_s"] for path in report.paths if path["kind"] == "ran")
    total = told + sum(missing.values())
    if abs(total - critical) > SUM_TOLERANCE * critical + 1e-6:
        raise Wrong(f"sums: paths {told:.6f} s and unattributed {sum(missing.values()):.6f} s are "
                    f"not the critical {critical:.6f} s")
    unknown = sum(value for cause, value in missing.items() if cause != "run_queue")
    if unknown > UNATTRIBUTED_LIMIT * critical + 1e-6:
        causes = ", ".join(f"{cause} {value:.6f}" for cause, value in missing.items() if value)
        raise Wrong(f"{100 * unknown / critical:.2f} % of the critical time is not attributed: {causes}")


def check_complete(report):
    """
    Paths in the program are whole; what the dynamic linker does before, and an exit, may be cut. So may
    paths from the compiler's start files, which say nothing of their frames to any unwinder: a page that
    is missed there as the program ends takes long on a slow machine.
    """
    own = [path for path in report.paths
           if any(report.function(frame) not in START_FILES for frame in report.own_frames(path))]
    total = sum(path["critical_s"] for path in own)
    whole = sum(path["critical_s"] for path in own if path["complete"])
    if whole * 100 < total * COMPLETE_LIMIT:
        cut = next(path for path in own if not path["complete"])
        frames = " < ".join(report.function(frame) or "?" for frame in cut["frames"])
        raise Wrong(f"{100 * whole / total:.2f} % of what the program's paths have is on whole ones, not "
                    f"{COMPLETE_LIMIT}; cut: {frames}")


def check_whole(said, least):
    """So much of the time that has a path, in percent, is on whole ones: the report's own figure."""
    whole = said["complete_path_percent"]
    if whole is None or whole < least:
        raise Wrong(f"{whole if whole is None else f'{whole:.1f}'} % of paths' time is on whole paths, not {least}")


def leaves_libc_to(report, path):
    """The function that called libc, on a path that begins there; None if it does not."""
    frames = list(path["frames"])
    if not frames or not report.is_libc(frames[0]):
        return None
    caller = next((frame for frame in frames if not report.is_libc(frame)), None)
    return report.function(caller) if caller and report.is_own(caller) else None


def check_sleeps(report, case):
    """Waits in libc are on paths through it to the program's function; @report has slices' ends."""
    waits, wanted = case.get("waits"), case.sleepers()
    total = right = 0
    wrong = ""
    for path in report.said["rows"]:
        count = path["then"].get(waits, 0)
        total += count
        if leaves_libc_to(report, path) in wanted and path["complete"]:
            right += count
        elif count:
            wrong = " < ".join(report.function(frame) or "?" for frame in path["frames"]) or "no frames"
    if total < FEWEST_SLEEPS:
        raise Wrong(f"{total} waits for {waits} are too few to say anything")
    if right * 100 < total * SLEEPS_LIMIT:
        raise Wrong(f"{right} of {total} waits for {waits} are on whole paths through libc to "
                    f"{' or '.join(wanted)}; another: {wrong}")
    return f"{right} of {total} waits for {waits} through libc"


def check_line(report, case, frame):
    if report.symbols:
        return
    if PurePath(frame.get("file") or "").name != case.source.name or frame.get("line") != case.line:
        raise Wrong(f"first is {report.function(frame)} at {frame.get('file')}:{frame.get('line')}, "
                    f"not {case.source.name}:{case.line}")


def check_classes(case, path, build):
    waits, wanted = dominant(path.get("waiting_on", {})), case.waits(build)
    if wanted and waits not in wanted:
        raise Wrong(f"the others wait for {waits}, not {' or '.join(wanted)}: {path.get('waiting_on')}")
    wait = path.get("wait") or dominant(path.get("then", {}))
    if case.get("wait") and wait != case.get("wait"):
        raise Wrong(f"it waits for {wait}, not {case.get('wait')}: {path.get('then')}")


def object_rows(said, reasons):
    """What was waited for, most critical time first."""
    return [row for row in said.get("wait_objects", []) if row["reason"] in reasons]


def check_object(said, case, build):
    """
    What the others wait for, and what the code itself waits for, has its name: a static variable needs
    symbols, and a path that is walked. Most of the others wait in one function.
    """
    for key, reasons in (("object", case.waits(build)), ("own_object", (case.get("wait"),))):
        wanted = case.get(key)
        names = [row["name"] for row in object_rows(said, reasons)] if wanted else []
        if wanted and (not names or not names[0] or wanted not in names[0]):
            raise Wrong(f"the {key} is one of {names[:3]}, not {wanted}")
    named = [name for name in (row["name"] for row in object_rows(said, case.waits(build)))
             if name and case.get("object") in name] if case.get("objects") else []
    if case.get("objects") and len(named) != int(case.get("objects")):
        raise Wrong(f"{len(named)} objects are {case.get('object')}, not {case.get('objects')}: {named[:3]}")
    wanted = case.get("waits_at")
    sites = [site["function"] for site in object_rows(said, case.waits(build))[0]["sites"]] if wanted else []
    if wanted and sites[:1] != [wanted]:
        raise Wrong(f"the others wait in {sites[:3]}, not {wanted}")
    return check_ender(object_rows(said, case.waits(build))[0], case) if case.get("ended_at") else ""


def check_preempted(said, case):
    """
    Who had the CPU of a thread that wanted it, for most of that time. A thread of the program may have had
    another name then.
    """
    wanted = case.get("preempted_by")
    if not wanted:
        return
    queued, names = {}, {thread["tid"]: thread["comm"] for thread in said["threads"]}
    for thread in said["threads"]:
        for by in thread["preempted_by"] if thread["comm"] == case.get("preempted") else []:
            name = names.get(by["tid"], by["comm"])
            queued[name] = queued.get(name, 0) + by["runq_s"]
    if dominant(queued) != wanted:
        raise Wrong(f"{case.get('preempted')} is preempted by {queued}, not {wanted}")


def check_holders(said, case):
    """
    The functions that held the lock, as far as they are known, are those that the program says, and they ended the
    waits for it, hardly fewer and no more than there were. One at a time had it.
    """
    wanted = case.get("holders")
    if not wanted:
        return
    lock = next((row for row in object_rows(said, (case.get("waits"),)) if case.get("object") in (row["name"] or "")),
                None)
    if not lock or not lock["holders"]:
        raise Wrong(f"nobody held {case.get('object')}")
    known = {row["function"] for row in lock["holders"]} - {None}
    if not known or known - set(wanted.split(",")):
        raise Wrong(f"{case.get('object')} was held in {', '.join(sorted(known)) or 'nothing known'}, not in {wanted}")
    for what in ("waits", "waited_s"):
        if sum(row[what] for row in lock["holders"]) > lock[what] + 1e-6:
            raise Wrong(f"holders ended more than the {lock[what]} {what} of {case.get('object')}")
    ended, held = (sum(row[what] or 0 for row in lock["holders"]) for what in ("waits", "hold_s"))
    if ended < FEWEST_ENDED * lock["waits"]:
        raise Wrong(f"holders ended {ended} of the {lock['waits']} waits for {case.get('object')}")
    if held > said["wall_s"]:
        raise Wrong(f"{case.get('object')} was held for {held:.3f} s of {said['wall_s']:.3f}")


def check_path_objects(said):
    """Of each wait reason and name the objects on the critical path add up to what the path has of it."""
    path = said["critical_path"]
    known = {(reason["reason"], reason["name"]) for reason in path["by_reason"]}
    strange = [row for row in path["by_object"] if (row["reason"], row["called"]) not in known]
    if strange:
        raise Wrong(f"objects of the path have reasons that it does not have: {strange[0]}")
    for reason in path["by_reason"]:
        rows = [row for row in path["by_object"]
                if (row["reason"], row["called"]) == (reason["reason"], reason["name"])]
        for what in ("through_s", "s"):
            of_objects = sum(row[what] for row in rows)
            if abs(of_objects - reason[what]) > 1e-6:
                raise Wrong(f"{what} of {reason['reason']} on the path is {reason[what]}, of its objects {of_objects}")


def check_ender(row, case):
    """Most of the waits for the object end in one line of the program's own."""
    wanted = case.get("ended_at"), case.source.name, case.ended_line
    ended = collections.Counter()
    for ender in row["enders"]:
        ended[ender["function"], PurePath(ender["file"] or "").name, ender["line"]] += ender["waited_s"]
    if not ended:
        raise Wrong(f"nobody ended a wait for {row['name']}")
    place, seconds = ended.most_common(1)[0]
    if place != wanted:
        raise Wrong(f"waits for {row['name']} end in {place}, not in {wanted}")
    return f"; {100 * seconds / sum(ended.values()):.0f} % of waiting ends in {place[0]}:{place[2]}"


def check_first(report, case, build="pie"):
    """The first rank of a program that has a bottleneck."""
    if not report.paths:
        raise Wrong("no path at all")
    path = report.paths[0]
    wanted = case.truth["first"]
    if report.name(path) != wanted:
        rank = report.rank_of(wanted, case.get("caller"))
        raise Wrong(f"first is {report.name(path)} ({path['kind']}, {path['critical_s']:.3f} s); "
                    f"{wanted} has rank {rank or 'none'}")
    if path["kind"] != case.get("kind"):
        raise Wrong(f"{wanted} {path['kind']}, not {case.get('kind')}")
    if case.get("caller") and report.caller(path) != case.get("caller"):
        raise Wrong(f"{wanted} is called by {report.caller(path)}, not {case.get('caller')}")
    if case.through_libc() and not report.is_libc(path["frames"][0]):
        raise Wrong(f"{wanted} waits in {report.function(path['frames'][0])}, not in libc")
    check_line(report, case, report.innermost(path))
    check_classes(case, path, build)


def place_part(report, functions):
    """The part of the run in which the places of some functions had the critical time."""
    return sum(place["critical_s"] for place in report.said["places"]
               if report.function(place) in functions) / report.said["wall_s"]


def handed_on_part(report):
    """
    The part of the run in which all threads were known to wait, some of them in busy-wait loops: who ends that works
    already, and is found by the next sample.
    """
    return sum(place["critical_s"] for place in report.said["places"]
               if place["kind"] == "waited" and place["wait"] == "spin") / report.said["wall_s"]


def check_spun(case, report, exact, off, base):
    """
    A program whose threads wait on their CPUs: as much of the run is critical in the same place as if they slept, and
    without knowing that they spin it is not to be found. Begins and ends of stays are exact, or are found by
    samples: then what is handed on between two samples is the place's, too, and the report does not know it.
    """
    wanted = case.truth["first"]
    part, of_exact, of_base, unknown = (place_part(one, (wanted, case.get("caller")))
                                        for one in (report, exact, base, off))
    if not report.said["spun_s"] or off.said["spun_s"]:
        raise Wrong(f"threads spun {report.said['spun_s']} s, with --spin off {off.said['spun_s']}")
    if abs(of_exact - of_base) > SPUN_TOLERANCE:
        raise Wrong(f"{wanted} has {100 * of_exact:.1f} % of the run with --spin exact, {100 * of_base:.1f} where "
                    "threads sleep")
    least, most = part - SPUN_TOLERANCE, part + handed_on_part(report) + SPUN_TOLERANCE
    if not least <= of_base <= most:
        raise Wrong(f"{wanted} has {100 * part:.1f} % of the run, and {100 * handed_on_part(report):.1f} % are handed "
                    f"on; where threads sleep it has {100 * of_base:.1f}")
    if wanted in re.findall(r"\w+", off.said["verdict"]) and unknown > of_base / 2:
        raise Wrong(f"with --spin off {wanted} is found, too: {100 * unknown:.1f} %, '{off.said['verdict']}'")
    return f"; {100 * part:.1f} % of the run and {100 * handed_on_part(report):.1f} handed on, exactly " \
           f"{100 * of_exact:.1f}, asleep {100 * of_base:.1f}, not known {100 * unknown:.1f}"


def check_turns(case, said):
    """Waits for one object after the other are told apart, though no sample comes between them."""
    if not case.get("turns"):
        return
    name, wanted, objects = case.get("turns").split(":")
    waits = [row["waits"] for row in object_rows(said, ("spin",)) if name in (row["name"] or "")]
    if len(waits) != int(objects) or min(waits) < FEWEST_TURNS * int(wanted) or max(waits) > int(wanted):
        raise Wrong(f"objects called {name} are waited for {waits} times, not {wanted} each of {objects}")


def lines_that_end_waits(header=SPIN_SYNC):
    """(file, line) of each store for which a thread may spin."""
    return {(header.name, number) for number, line in enumerate(header.read_text().splitlines(), 1)
            if "/* ends waits */" in line}


def check_stores(said, lines=None):
    """Who ended waits in busy-wait loops: stores of the program's locks and barriers, and no other line."""
    lines = lines or lines_that_end_waits()
    ended, unseen = collections.Counter(), 0
    for row in object_rows(said, ("spin",)):
        for ender in row["enders"]:
            if ender["function"]:
                ended[ender["function"], PurePath(ender["file"] or "").name, ender["line"]] += ender["waits"]
            else:
                unseen += ender["waits"]
    if not ended:
        raise Wrong("no store is known that ended a spin")
    wrong = {place: waits for place, waits in ended.items() if place[1:] not in lines}
    if sum(wrong.values()) > WRONG_STORES * ended.total():
        raise Wrong(f"of {ended.total()} ends of spins these are at no store that ends one: {wrong}")
    place, waits = ended.most_common(1)[0]
    return f"; {ended.total()} ends of spins seen of {ended.total() + unseen}, {waits} in {place[0]}:{place[2]}"


def check_path(said, function):
    """The critical path: its parts are the run, nothing of it is unknown, and most of it ran there."""
    path = said.get("critical_path")
    if not path:
        raise Wrong("there is no critical path")
    if abs(path["sum_s"] - path["run_s"]) > 1e-6 or abs(path["run_s"] - said["wall_s"]) > 1e-6:
        raise Wrong(f"the critical path is {path['sum_s']} s, the run {said['wall_s']}")
    if path["unknown_s"]:
        raise Wrong(f"{path['unknown_s']} s of the critical path are unknown")
    first = path["by_function"][0]
    if first["function"] != function:
        raise Wrong(f"most of the critical path ran in {first['function']}, not in {function}")
    return f"critical path {first['s']:.2f} s of {path['run_s']:.2f}"


def check_ratio(report, case):
    """Two paths whose shares are in a known ratio."""
    one, other, wanted = re.fullmatch(r"(\w+):(\w+)=([0-9.]+)", case.get("ratio")).groups()
    shares = report.share(one), report.share(other)
    if not shares[1]:
        raise Wrong(f"nothing on the path of {other}")
    ratio = shares[0] / shares[1]
    if abs(ratio / float(wanted) - 1) > RATIO_TOLERANCE:
        raise Wrong(f"{one} to {other} is {ratio:.3f}, not {wanted} within "
                    f"{100 * RATIO_TOLERANCE:.0f} %")
    return f"{ratio:.3f} to 1"


def check_twin(twin, reports, base_reports):
    """A mended program: another first rank, and sooner ready, the best run of each compared."""
    gone = twin.base.truth["first"]
    for report in reports:
        if not report.paths:
            raise Wrong("the mended one has no path")
        if report.name(report.paths[0]) == gone:
            raise Wrong(f"{gone} is first still ({report.paths[0]['critical_s']:.3f} s)")
        if gone in re.findall(r"\w+", report.said["verdict"]):
            raise Wrong(f"the verdict names {gone} still: '{report.said['verdict']}'")
    best = min(report.said["wall_s"] for report in reports)
    base_best = min(report.said["wall_s"] for report in base_reports)
    if best >= base_best:
        raise NotSooner(f"mended takes {best:.3f} s, before {base_best:.3f} s: is the machine busy?")
    words = f"{best:.2f} s, not {base_best:.2f}"
    if twin.base.get("stages"):
        words += check_stages(twin.base.get("stages").split(","), reports, base_reports)
    return words


def gain_bound(report, function):
    """What mending all that a function took can save at most."""
    bounds = [place["gain_bound_s"] for place in report.said["places"] if place["function"] == function]
    if not bounds or None in bounds:
        raise Wrong(f"there is no bound on the gain of mending {function}")
    return sum(bounds)


def check_gain(twin, reports, base_reports):
    """
    The gain of a mended program is at most what its program's reports say, but for the noise of the runs, which
    is the distance between the quartiles of the differences.
    """
    gone = twin.base.truth["first"]
    bounds = [gain_bound(report, gone) for report in base_reports]
    gains = [before.said["wall_s"] - after.said["wall_s"] for before, after in zip(base_reports, reports)]
    beyond = [gain - bound for gain, bound in zip(gains, bounds)]
    if len(beyond) < 4:
        raise Wrong(f"{len(beyond)} runs say nothing of their noise")
    first, _, third = statistics.quantiles(beyond, n=4)
    if statistics.median(beyond) > third - first:
        raise Wrong(f"mending {gone} saved {statistics.median(gains):.3f} s, and at most "
                    f"{statistics.median(bounds):.3f} was said; noise {third - first:.3f}")
    return f"{statistics.median(gains):.2f} s saved, {statistics.median(bounds):.2f} at most; " \
           f"noise {third - first:.2f}; {len(beyond)} runs"


def check_stages(stages, reports, base_reports):
    spread = min(report.stage_spread(stages) for report in reports)
    before = min(report.stage_spread(stages) for report in base_reports)
    if spread > before / 2:
        raise Wrong(f"stages do not even out: largest CMetric to smallest {before:.1f} before, "
                    f"{spread:.1f} mended")
    return f"; largest stage to smallest {spread:.1f}, not {before:.1f}"


def check_text(text):
    first = text.splitlines()[0] if text else ""
    if not NO_BOTTLENECK.match(first):
        raise Wrong(f"the report does not say that there is no bottleneck, but: '{first}'")


def cpu_order(text):
    """Functions by the CPU time they used, most first: what a plain CPU profile would say."""
    spent = {}
    for line in text.splitlines():
        function, ns = line.split()
        spent[function] = spent.get(function, 0) + int(ns)
    return sorted((name for name in spent if spent[name]), key=spent.get, reverse=True)


def cpu_rank(case, text):
    order = cpu_order(text)
    name = case.get("cpu_as", case.truth["first"])
    if name not in order:
        raise Wrong(f"the program says nothing of the CPU time of {name}")
    rank = order.index(name) + 1
    if case.get("cpu") == "below" and rank == 1 and not case.is_twin():
        raise Wrong(f"{name} has most CPU time too: the program is not what it says")
    return rank

# SPDX-License-Identifier: GPL-2.0
"""
The runs of one kernel and one build of the truth suite, and how each is judged.
"""

import json
import subprocess
import tempfile
from pathlib import Path

import judge
import places
from guest import Run, boot, spin_tables
from programs import FRAMES, LIBC_REASONS, MUSL, READ_WITH, STATIC_BUILDS, TOP, build_cases, build_tools

# As many rows as there are: the sums are over all of them.
ALL_ROWS = ["--top", "100000"]
# Every slice, with its end.
ENDS = ["--by", "slice-end", "-n", "4"]
# Every slice and wake-up, for the critical path.
PATH = ["--level", "trace", "--view", "critical-path"]
# The same, with the call paths of wakers.
WAKERS = ["--level", "trace", "--view", "wait-objects"]
TWIN_ROUNDS = 3
# On a busy machine a mended program may have had bad luck, and any program if others had so much of
# the machine's CPU time, in percent: it is run again, with its pair alone.
RETRIES = 2
OTHERS_PERCENT = 5
# Options that say what is reported, not what is recorded, and how many words each has.
REPORTING = {"--top": 2, "--by": 2, "--view": 2, "--tree": 1, "--no-libs": 1, "-v": 1}


class Batch:
    """The runs of one kernel and one build, and their reports."""

    def __init__(self, kernel, cpus, build, cases, rounds, out, gains=False):
        self.kernel, self.cpus, self.build = kernel, cpus, build
        self.cases, self.rounds, self.out = cases, rounds, out
        # Twins and their programs are all there is, and what a twin saves is all that is looked at.
        self.gains = gains
        self.symbols = {}
        self.others = 0
        self.options = {}
        self.saved = set()
        twins = [case for case in cases if case.is_twin()]
        self.pairs = {case.name for case in twins} | {case.base.name for case in twins}

    def again(self, case, number):
        """Another one of as many rounds, with the case and its pair alone."""
        pair = [case.base, case] if case.is_twin() or case.is_spun() else [case]
        return Batch(self.kernel, self.cpus, self.build, pair, self.rounds,
                     self.out / f"{case.name}-again-{number}", self.gains)

    def rounds_of(self, case):
        return max(self.rounds, TWIN_ROUNDS) if case.name in self.pairs else self.rounds

    def is_walked(self, case):
        return self.build not in LIBC_REASONS or not case.through_libc()

    def has_ends(self, case):
        return bool(case.sleepers()) and self.build not in LIBC_REASONS and not self.gains

    def has_path(self, case):
        """Only such a recording has every wait."""
        return (self.build == "pie" and not self.gains and
                any(case.get(key) for key in ("path", "object", "own_object")))

    @staticmethod
    def waits_of(case):
        return WAKERS if case.get("ended_at") else PATH

    def runs(self, icount):
        """A twin is run in turn with its program, so that both see the same machine."""
        for number in range(1, max(map(self.rounds_of, self.cases)) + 1):
            for case in self.cases:
                if number > self.rounds_of(case) or icount != (case.get("icount") == "yes"):
                    continue
                program = case.binary(self.build)
                own = [*READ_WITH.get(self.build, []), *case.options()]
                options = [*ALL_ROWS, *own]
                yield Run(f"{case.name}.{number}", program, options, case.get("feed"))
                if not case.has_bottleneck():
                    yield Run(f"{case.name}.{number}.text", program, own, None, report="text")
                if self.has_ends(case):
                    yield Run(f"{case.name}.{number}.ends", program, [*ENDS, *options])
                if case.is_spun():
                    yield Run(f"{case.name}.{number}.exact", program, ["--spin", "exact", *options])
                    yield Run(f"{case.name}.{number}.off", program, ["--spin", "off", *options])
                    yield Run(f"{case.name}.{number}.stores", program, [*WAKERS, *options])
                if self.has_path(case):
                    yield Run(f"{case.name}.{number}.path", program, [*self.waits_of(case), *options], case.get("feed"),
                              report="both")

    def file(self, case, number, suffix):
        return self.out / f"{case.name}.{number}{suffix}"

    def check_ended(self, case, number, of=""):
        status = self.file(case, number, f"{of}.status")
        if not status.exists():
            raise judge.Wrong("the guest did not get there")
        if status.read_text().strip() != "0":
            why = self.file(case, number, f"{of}.err").read_text(errors="replace").strip()
            raise judge.Wrong(f"run {number}: exit status {status.read_text().strip()}: {why[:300]}")
        self.check_saved(f"{case.name}.{number}{of}")

    def report(self, case, number, of=""):
        self.check_ended(case, number, of)
        symbols = None
        if self.build == "stripped":
            symbols = self.symbols.setdefault(case.name, judge.Symbols(case.unstripped()))
        said = json.loads(self.file(case, number, f"{of}.json").read_text(errors="replace"))
        return judge.Report(said, case.name, symbols, self.build in STATIC_BUILDS)

    def export(self, name, files, options):
        """Writes reports on a recording."""
        command = [TOP / "gapp-read", "export", *options]
        for file in files:
            command += ["-o", file]
        done = subprocess.run([*command, self.out / f"{name}.data"], stderr=subprocess.PIPE, text=True,
                              check=False)
        if done.returncode or done.stderr:
            raise judge.Wrong(f"gapp-read export of {name}.data: {done.stderr.strip()}")

    def check_saved(self, name):
        """
        The recording gives the same report here as there, byte for byte; and its text for people, rows and
        what it says of the rest, is of the places that are in its JSON.
        """
        if name in self.saved:
            return
        written = [file for file in (self.out / f"{name}.json", self.out / f"{name}.txt") if file.exists()]
        with tempfile.TemporaryDirectory(prefix="gapp-truth.") as folder:
            again = [Path(folder) / file.name for file in written]
            self.export(name, again, self.options.get(name, ALL_ROWS))
            for here, there in zip(again, written):
                if here.read_bytes() != there.read_bytes():
                    raise judge.Wrong(f"{name}.data gives another {there.suffix} than was reported")
            text, said = Path(folder) / "usual.txt", Path(folder) / "usual.json"
            self.export(name, [text, said], [])
            places.check_text(json.loads(said.read_text(errors="replace")), text.read_text(errors="replace"))
        self.saved.add(name)

    def reports(self, case):
        return [self.report(case, number) for number in range(1, self.rounds_of(case) + 1)]

    def judge_run(self, case, report, number):
        """One run; the words for its line."""
        if self.build != FRAMES:
            judge.check_complete(report)
        if self.build == MUSL:
            judge.check_whole(report.said, judge.WHOLE_OF_MUSL)
        if not case.has_bottleneck():
            self.check_ended(case, number, ".text")
            judge.check_text(self.file(case, number, ".text.txt").read_text(errors="replace"))
            return "says so"
        by_cpu = judge.cpu_rank(case, self.file(case, number, ".cpu").read_text())
        if not self.is_walked(case):
            return None
        judge.check_first(report, case, self.build)
        places.check(report, case)
        judge.check_preempted(report.said, case)
        path = report.paths[0]
        words = f"rank 1, by CPU samples rank {by_cpu}; {path['kind']} {path['critical_s']:.2f} s " \
                f"of {report.said['wall_s']:.2f}"
        if case.is_spun():
            words += judge.check_spun(case, report, self.report(case, number, ".exact"),
                                      self.report(case, number, ".off"), self.report(case.base, number))
            stores = self.report(case, number, ".stores").said
            judge.check_turns(case, stores)
            words += judge.check_stores(stores)
        if case.get("ratio"):
            words += f"; {judge.check_ratio(report, case)}"
        if self.has_ends(case):
            words += f"; {judge.check_sleeps(self.report(case, number, '.ends'), case)}"
        if self.has_path(case):
            said = self.report(case, number, ".path").said
            words += judge.check_object(said, case, self.build)
            judge.check_holders(said, case)
            if self.waits_of(case) is PATH:
                judge.check_path_objects(said)
            if case.get("path"):
                words += f"; {judge.check_path(said, case.get('path'))}"
        return words

    def judge_case(self, case):
        reports = self.reports(case)
        for report in reports:
            judge.check_sums(report)
            places.check_sums(report)
        if case.is_twin():
            return judge.check_twin(case, reports, self.reports(case.base))
        words = [self.judge_run(case, report, number) for number, report in enumerate(reports, 1)]
        return words[0]

    def judge_gain(self, case):
        """What mending saved; of a twin's program there is nothing to judge but its sums."""
        reports = self.reports(case)
        for report in reports:
            places.check_sums(report)
        if case.is_twin():
            return judge.check_gain(case, reports, self.reports(case.base))
        return f"at most {judge.gain_bound(reports[0], case.truth['first']):.2f} s to save"

    def same_ranks(self, case):
        """The first three ranks of all runs; the words for the line."""
        if not self.is_walked(case):
            return None
        reports = self.reports(case)
        if len(reports) < 2:
            raise judge.Wrong("one run says nothing of another")
        runs = [report.place_parts() for report in reports]
        if not all(judge.ranks_agree(one, other) for one in runs for other in runs):
            seen = {}
            for number, parts in enumerate(runs, 1):
                seen.setdefault(judge.ranks_of(parts), []).append(number)
            told = "; ".join(f"runs {', '.join(map(str, numbers))}: {', '.join(ranks) or 'none'}"
                             for ranks, numbers in seen.items())
            raise judge.Wrong(f"{len(seen)} different: {told}")
        ranks = max(map(judge.ranks_of, runs), key=len)
        return f"{len(reports)} runs: {', '.join(ranks) or 'no place that counts'}"


def reporting(options):
    """Those options that say what is reported."""
    kept = []
    while options:
        words = REPORTING.get(options[0], 0)
        kept += options[:words]
        options = options[words or 1:]
    return kept


def boot_batch(batch):
    build_cases(batch.cases, batch.build)
    folders = [build_tools(), batch.cases[0].binary(batch.build).parent]
    if any(case.is_spun() for case in batch.cases):
        folders += spin_tables([case.binary(batch.build) for case in batch.cases])
    for icount in (False, True):
        runs = list(batch.runs(icount))
        if runs:
            batch.others = max(batch.others,
                               boot(batch.kernel, batch.cpus, runs, folders, batch.out, icount))
            batch.options.update((run.name, reporting(run.options)) for run in runs)


def judge_again(batch, case, judged, note, reboot=boot_batch):
    """
    Judges; what a busy machine may have spoilt gets another chance, with as many rounds, its pair alone.
    @note gets what failed. @reboot: runs a batch; None: nothing is run again.
    """
    first = batch
    for retry in range(RETRIES + 1):
        try:
            words = judged(batch, case)
            return f"{words}; try {retry + 1}" if words and retry else words
        except judge.Wrong as error:
            may_be_luck = isinstance(error, judge.NotSooner) or batch.others > OTHERS_PERCENT
            if not reboot or retry == RETRIES or not may_be_luck:
                raise
            said = " ".join(str(error).split())
            note(f"try {retry + 1} failed, others had {batch.others:.0f} % of the CPUs: {said}")
        batch = first.again(case, retry + 1)
        reboot(batch)
    return None

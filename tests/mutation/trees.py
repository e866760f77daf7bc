# SPDX-License-Identifier: GPL-2.0
"""Copies of the tree in which mutants are built and tested."""

import hashlib
import os
import re
import shlex
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path

GUEST_KERNEL, GUEST_CPUS = "6.12", 2
GUEST_SCRIPTS = ("tests/guest/abi.sh", "tests/guest/records.sh")
ORACLE_CASES = ("serial_broadcast", "barrier", "convoy", "pipeline", "forkexec", "threadexec",
                "signals", "attach", "two", "shifts")
TABLES = "-f tests/tables/build.mk"
# Builds are as in CI, so what the compiler warns of is no mutant.
READER_TESTS = """
import glob, os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.path.insert(0, "tests/cli")
import harness
for path in sorted(glob.glob("tests/cli/test_*.py")):
    __import__(os.path.basename(path)[:-3])
sys.exit(harness.run_all())
"""


class Part:
    def __init__(self, name, plain, objects, build, programs=None, reader=None):
        self.name, self.plain, self.objects, self.build = name, plain, objects, build
        self.programs, self.reader = programs, reader


# Without sanitizers (they note columns) objects tell which mutants are equivalent.
PARTS = {part.name: part for part in (
    Part("unit", "make -s -f tests/unit/build.mk unit-build UNIT_OUT=build/plain UNIT_SANITIZE=",
         "build/plain", "make -s -j2 unit-build", "build/unit"),
    Part("tables", f"make -s -j2 {TABLES} TABLES_OUT=build/plain-tables "
         "build/plain-tables/fast/tested.a", "build/plain-tables",
         f"make -s -j2 {TABLES} tables-build", "build/tables"),
    Part("cli", "make -s -j2 gapp-read WERROR=1", "build/user", "make -s -j2 WERROR=1 user-tests",
         "build/user/test", "gapp-read-fake"),
    Part("guest", f"scripts/lab-module {GUEST_KERNEL} KCFLAGS=-Werror",
         f"build/{GUEST_KERNEL}/module", "make -s -j2 gapp-read workloads calls abi-tests"))}
# Which parts know the sources of a folder: the first that fits. A guest is for what the others do
# not compile, as the functions of a header that only the rest of the module calls.
FOLDERS = (("user/unwind-table/", ("tables", "cli")), ("user/input/", ("tables", "cli")),
           ("user/", ("cli",)), ("kmod/core/", ("unit", "cli", "guest")), ("kmod/", ("guest",)))
SAME, SAME_HERE = "the same object code", "the same object code but perhaps in the module"

guest_lock = threading.Lock()


def parts_of(file):
    return next(parts for folder, parts in FOLDERS if file.startswith(folder))


def sources(top):
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"],
                            cwd=top, stdout=subprocess.PIPE, text=True, check=True).stdout
    return [name for name in listed.splitlines() if (Path(top) / name).is_file()]


def end(process):
    """With an interrupt first, on which the tests end what they started."""
    for how, patience in ((signal.SIGINT, 15), (signal.SIGKILL, None)):
        try:
            os.killpg(process.pid, how)
        except ProcessLookupError:
            pass
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            pass


class NotBuilt(Exception):
    """The tests do not compile."""


class Tree:
    """A copy of @top in @root; only what differs is copied, so builds go on where they were."""

    def __init__(self, top, root):
        self.root, self.parts = Path(root), set()
        self.hashes, self.took, self.linked = {}, {}, {}
        files = set(sources(top))
        for name in files:
            old, new = Path(top) / name, self.root / name
            if not new.is_file() or new.read_bytes() != old.read_bytes():
                new.parent.mkdir(parents=True, exist_ok=True)
                new.write_bytes(old.read_bytes())
            new.chmod(old.stat().st_mode)
        for old in self.root.rglob("*.[ch]"):
            name = old.relative_to(self.root)
            if name.parts[0] != "build" and str(name) not in files:
                old.unlink()

    def run(self, command, seconds=1200, cpu=1200):
        """What is wrong with it: "" if it ends well and prints no `not ok`."""
        limits = f'ulimit -c 0; ulimit -t {int(cpu)}; exec "$@"'
        environment = {**os.environ, "ASAN_OPTIONS": "hard_rss_limit_mb=3000",
                       "PYTHONDONTWRITEBYTECODE": "1"}
        with open(self.root / "build/mutate.log", "w+b") as log:
            process = subprocess.Popen(
                ["sh", "-c", limits, "sh", *command], cwd=self.root, env=environment,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
            deadline, rest, ended, place = time.monotonic() + seconds, b"", False, 0
            try:
                while not ended:
                    try:
                        ended = process.wait(0.2) is not None
                    except subprocess.TimeoutExpired:
                        pass
                    said = os.pread(log.fileno(), 1 << 24, place)
                    place += len(said)
                    *lines, rest = (rest + said).split(b"\n")
                    for line in lines:
                        if line.startswith(b"not ok"):
                            return line.decode(errors="replace")
                    if time.monotonic() > deadline or place > 1 << 30:
                        return f"not ended in {int(seconds)} s or 1 GB of output"
            finally:
                end(process)
        return f"status {process.returncode}" if process.returncode else ""

    def timed(self, name, command, measure):
        """
        A test; with @measure it is noted how long it takes, otherwise what takes much longer fails.
        Whatever fails is tried once more: some tests fail now and then on a busy machine.
        """
        usual = self.took.get(name, 60)
        seconds, cpu = (1200, 1200) if measure else (60 + 10 * usual, 20 + 3 * usual)
        for _ in range(1 if name in ("guest", "oracle") and not measure else 2):
            begin = time.monotonic()
            trouble = self.run(command, seconds, cpu)
            if not trouble or trouble.startswith("not ended"):
                break
        if measure:
            self.took[name] = time.monotonic() - begin
        return f"{name}: {trouble}" if trouble else ""

    def objects(self, part):
        """Those that hold other code than when this was asked last without a mutant in the tree."""
        changed = {}
        for path in (self.root / part.objects).rglob("*.o"):
            if part.programs and path.is_relative_to(self.root / part.programs):
                continue
            stamp = path.stat().st_mtime_ns
            if self.hashes.get(path, ("", 0))[1] != stamp:
                with tempfile.NamedTemporaryFile() as stripped:
                    subprocess.run(["strip", "--strip-debug", "-o", stripped.name, str(path)],
                                   check=True)
                    code = hashlib.sha256(Path(stripped.name).read_bytes()).digest()
                changed[path] = (code, stamp)
        return changed

    def prepare(self, part):
        (self.root / "build").mkdir(exist_ok=True)
        for command in (part.plain, part.build):
            trouble = self.run(shlex.split(command))
            if trouble:
                return f"{command}: {trouble}"
        self.hashes.update(self.objects(part))
        for path in self.linked_by(part):
            self.linked[path] = path.read_bytes()
        self.parts.add(part.name)
        return ""

    def linked_by(self, part):
        if part.programs:
            for path in (self.root / part.programs).rglob("*"):
                if path.name == part.reader or re.fullmatch(r"test_\w+", path.name) and path.is_file():
                    yield path

    def programs(self, part, file):
        """Its test programs with how far they are from @file, the most likely to fail first."""
        stem = Path(file).stem

        def distance(path):
            name = path.name[len("test_"):]
            near = (name == stem, name.split("_")[0] == stem.split("_")[0],
                    any(f"/{stem}.h" in deps.read_text() for deps in
                        (self.root / part.programs).rglob(path.name + ".d")))
            return (*near, True).index(True)

        found = [path for path in self.linked_by(part) if path.name != part.reader]
        return sorted((distance(path), self.took.get(path.name, 60), path) for path in found)

    def test(self, part, file, measure=False):
        """What @part notices, by those of its programs that are others than before; "" if nothing."""
        if part.name == "guest":
            with guest_lock:
                return self.guest(measure)
        every, done = self.programs(part, file), set()
        near = [program for program in every if program[0] < 3]
        names = [str(path.relative_to(self.root)) for _, _, path in near]
        *make, all_programs = shlex.split(part.build)
        stages = [([*make, *names], near)] if near else []
        for build, programs in [*stages, ([*make, all_programs], every)]:
            if self.run(build):
                raise NotBuilt
            for _, _, path in programs:
                if path not in done and (measure or path.read_bytes() != self.linked[path]):
                    done.add(path)
                    trouble = self.timed(path.name, [str(path)], measure)
                    if trouble:
                        return trouble
        if part.reader and (measure or any(path.read_bytes() != self.linked[path] for path in
                                           self.linked_by(part) if path.name == part.reader)):
            return self.timed("tests/cli", ["python3", "-c", READER_TESTS], measure)
        return ""

    def guest(self, measure):
        """All in one boot; the first that fails ends it."""
        out = self.root / "build/mutate-oracle" / f"{GUEST_KERNEL}-{GUEST_CPUS}"
        subprocess.run(["rm", "-rf", str(out)], check=True)
        out.mkdir(parents=True)
        guest = self.root / "tests/guest"
        scripts = " ".join(str(self.root / script) for script in GUEST_SCRIPTS)
        inside = (f"GAPP_ABI=few sh {guest}/all.sh {scripts}; "
                  f"sh {guest}/oracle.sh --after /out {' '.join(ORACLE_CASES)}")
        ins = [word for name in ("build/tests", "build/calls", "tests/guest")
               for word in ("--in", str(self.root / name))]
        trouble = self.timed("guest", [
            "scripts/vm", "--kernel", GUEST_KERNEL, "--cpus", str(GUEST_CPUS), "--timeout", "600",
            *ins, "--out", str(out), "--", "sh", "-c", inside], measure)
        cases = [word for case in ORACLE_CASES for word in ("--case", case)]
        return trouble or self.timed("oracle", [
            "tests/oracle/run", "--analyse", "--keep", str(out.parent), "--kernel", GUEST_KERNEL,
            "--cpus", str(GUEST_CPUS), *cases], measure)

    def judge(self, mutant):
        """(verdict, why)"""
        path, since = self.root / mutant.file, time.time_ns()
        path.write_text(mutant.mutated)
        try:
            built, compiled, names = [], [], parts_of(mutant.file)
            for part in (PARTS[name] for name in names if name in self.parts):
                if part.name == "guest" and built:
                    break
                if self.run(shlex.split(part.plain)):
                    return "NOT-BUILT", "the compiler"
                changed = self.objects(part)
                compiled = compiled + [path for path in changed if changed[path][1] > since]
                if any(self.hashes.get(path, ("",))[0] != changed[path][0] for path in changed):
                    built = built + [part]
            if not compiled:
                return "NOT-BUILT", "no part compiles it"
            if not built:
                return "EQUIVALENT", SAME if self.parts.issuperset(names) else SAME_HERE
            for part in built:
                trouble = self.test(part, mutant.file)
                if trouble:
                    return "KILLED", trouble
            return "SURVIVED", ""
        except NotBuilt:
            return "NOT-BUILT", "the compiler, for the tests"
        finally:
            path.write_text(mutant.text)

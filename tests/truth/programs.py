# SPDX-License-Identifier: GPL-2.0
"""
The programs of the truth suite: what each source says must be found, and how it is built.
"""

import os
import re
import subprocess
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
SOURCES = TOP / "tests/workloads/truth"
BUILT = TOP / "build/truth"
TOOLS = ("calibrate", "feed", "hog", "sampling")
MARKER = "TRUTH: first"
ENDED_MARKER = "TRUTH: ended_at"
CFLAGS = ("-std=gnu11", "-g", "-pthread", "-Wall", "-Wextra", "-D_GNU_SOURCE")
# As distributions build, and as GAPP once asked its users to.
WITHOUT_FRAMES = ("-O2", "-fomit-frame-pointer")
WITH_FRAMES = ("-O1", "-fno-omit-frame-pointer", "-fno-shrink-wrap", "-fno-optimize-sibling-calls",
               "-DFRAME_POINTERS")
FRAMES = "frames"
MUSL = "musl"
# musl has no headers of the kernel's: they come from where glibc's are, which must not be found first.
KERNEL_HEADERS = ("-idirafter", "/usr/include", "-idirafter", "/usr/include/x86_64-linux-gnu")
BUILDS = {
    "pie": (*WITHOUT_FRAMES, "-fPIE", "-pie"),
    "nopie": (*WITHOUT_FRAMES, "-fno-pie", "-no-pie"),
    "static": (*WITHOUT_FRAMES, "-static"),
    MUSL: (*WITHOUT_FRAMES, "-static", *KERNEL_HEADERS),
    "stripped": (*WITHOUT_FRAMES, "-fPIE", "-pie"),
    FRAMES: (*WITH_FRAMES, "-fPIE", "-pie"),
}
# The C library has no frame information by which its caller could be found.
LIBC_REASONS = {
    FRAMES: "frame pointers lose the caller of what waits in Debian's libc, which has none",
    MUSL: "Debian's musl has no unwind tables, and no frame pointers: it is the end of a path",
}
# musl waits for a condition by the same calls and values as for a lock; its paths, if there are any of waits, end in
# what both call.
WAITS_OF_MUSL = {"lock": ("lock", "other"), "queue": ("lock", "other"), "barrier": ("barrier", "other")}
# The C library is in the program's file.
STATIC_BUILDS = ("static", MUSL)
# What gapp-read is asked for with a build.
READ_WITH = {FRAMES: ["--call-graph", "fp"]}
KEYS = {"first", "kind", "waits", "wait", "caller", "cpu", "cpu_as", "libc", "sleeps", "options", "feed",
        "disk", "icount", "ratio", "stages", "alike", "twin", "object", "holders", "path", "waits_at", "own_object",
        "objects", "preempted", "preempted_by", "part", "ended_at", "spun",
        "turns"}
REQUIRED = {"first"}
# Not of its variants too.
OF_PROGRAM = {"stages", "alike", "object", "objects", "holders", "path", "waits_at", "own_object", "preempted",
              "preempted_by", "ended_at"}


class TruthError(Exception):
    """A source says something about itself that cannot be understood."""


class Case:
    """A program, or a variant of one, and what must be found in it."""

    def __init__(self, source, name, flags, truth, base=None):
        unknown = set(truth) - KEYS
        missing = REQUIRED - set(truth)
        if unknown or missing:
            raise TruthError(f"{source.name}: unknown: {sorted(unknown)}, missing: {sorted(missing)}")
        self.source, self.name, self.flags = source, name, flags
        self.truth, self.base = truth, base
        self.line = marked_line(source, MARKER) if self.has_bottleneck() else None
        self.ended_line = marked_line(source, ENDED_MARKER) if self.get("ended_at") else None

    def waits(self, build):
        """What most other threads wait for, as far as it can be seen: one of these; or None."""
        waits = self.get("waits")
        return waits and (WAITS_OF_MUSL.get(waits, (waits,)) if build == MUSL else (waits,))

    def get(self, key, otherwise=None):
        return self.truth.get(key, otherwise)

    def has_bottleneck(self):
        return self.truth["first"] != "none"

    def through_libc(self):
        return self.get("libc") == "yes"

    def sleepers(self):
        """Functions that wait in libc for what most wait for; none of a twin, which waits little."""
        return [] if self.is_twin() or self.is_spun() else [name for name in self.get("sleeps", "").split(",") if name]

    def is_twin(self):
        return "twin" in self.truth

    def is_spun(self):
        """The program with locks and barriers for which threads do not sleep."""
        return "spun" in self.truth

    def options(self):
        return [word for word in self.get("options", "").split(",") if word]

    def binary(self, build):
        return BUILT / build / self.name

    def unstripped(self):
        return BUILT / "stripped" / "symbols" / self.name


def marked_line(source, marker):
    lines = source.read_text().splitlines()
    found = [number for number, line in enumerate(lines, 1) if f"/* {marker} */" in line]
    if len(found) != 1:
        raise TruthError(f"{source.name}: {len(found)} lines have the comment '{marker}', not one")
    return found[0]


def parse_words(source, words):
    truth = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not value or key in truth:
            raise TruthError(f"{source.name}: '{word}' is no KEY=VALUE, or there twice")
        truth[key] = value
    return truth


def cases_of(source):
    """The program and its variants, from the lines of its first comment."""
    text = source.read_text()
    said = re.findall(r"^ \* truth: (.*)$", text, re.MULTILINE)
    truth = parse_words(source, " ".join(said).split())
    base = Case(source, source.stem, [], truth)
    yield base
    for line in re.findall(r"^ \* variant: (.*)$", text, re.MULTILINE):
        name, *words = line.split()
        flags = [word for word in words if word.startswith("-")]
        own = parse_words(source, [word for word in words if not word.startswith("-")])
        inherited = {key: value for key, value in truth.items() if key not in OF_PROGRAM}
        yield Case(source, f"{source.stem}_{name}", flags, {**inherited, **own}, base)


def all_cases():
    cases = []
    for source in sorted(SOURCES.glob("*.c")):
        if source.stem not in TOOLS:
            cases += cases_of(source)
    return cases


def is_fresh(output, *inputs):
    if not output.exists():
        return False
    made = output.stat().st_mtime
    return all(file.stat().st_mtime <= made for file in inputs)


def compile_one(source, output, flags, compiler="gcc"):
    inputs = [source, Path(__file__), SOURCES.parent / "work.h", *SOURCES.glob("*.h")]
    if is_fresh(output, *inputs):
        return False
    output.parent.mkdir(parents=True, exist_ok=True)
    # A relative name, so that no folder of the machine it was built on is in the result.
    command = [os.environ.get("CC", compiler), *CFLAGS, *flags, f"-ffile-prefix-map={TOP}=.",
               str(source.relative_to(TOP)), "-o", str(output)]
    subprocess.run(command, cwd=TOP, check=True)
    return True


def build_tools():
    for name in TOOLS:
        compile_one(SOURCES / f"{name}.c", BUILT / "tools" / name, BUILDS["pie"])
    return BUILT / "tools"


def build_cases(cases, build):
    for case in cases:
        flags = [*BUILDS[build], *case.flags]
        if build != "stripped":
            compile_one(case.source, case.binary(build), flags, "musl-gcc" if build == MUSL else "gcc")
        elif compile_one(case.source, case.unstripped(), flags) or not case.binary(build).exists():
            subprocess.run(["strip", "--strip-all", "-o", str(case.binary(build)),
                            str(case.unstripped())], check=True)

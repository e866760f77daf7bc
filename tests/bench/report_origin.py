# SPDX-License-Identifier: GPL-2.0
"""
What was measured: a sum of the sources of gapp.ko and of gapp-read, which figures.py writes beside
the figures. Where it is not certain that the sources are those of what ran there is no sum but the
reason, and tests/bench/report takes no figure from there.
"""

import hashlib
import os
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
SOURCES = {
    "module": ("Kbuild", "VERSION", "kmod/**/*.[ch]", "include/**/*.h"),
    "reader": ("VERSION", "user/build.mk", "user/**/*.[ch]", "include/**/*.h", "kmod/core/table.c"),
}
# What a part measures, if not both; these compile it themselves.
COMPILES = {"contention": ("module",), "reader": ("reader",), "tables": ("reader",)}
DIGITS = 16


def measures(part):
    return COMPILES.get(part, tuple(SOURCES))


def files_of(what, top):
    return sorted(path for pattern in SOURCES[what] for path in top.glob(pattern))


def sum_of(what, top=TOP):
    """Of names and contents: the same in every copy of the tree."""
    total = hashlib.sha256()
    for path in files_of(what, top):
        total.update(f"{path.relative_to(top)}\0".encode())
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()[:DIGITS]


def content(path):
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None


class Origin:
    """To be made before the measurement; sources() is for after it."""

    def __init__(self, part, kernel, top=TOP, environment=os.environ):
        self.sums, self.unknown, self.ran = {}, [], {}
        built = {"module": (top / f"build/{kernel}/gapp.ko", "GAPP_KO", f"make lab-{kernel}"),
                 "reader": (top / "gapp-read", "GAPP_READ", "make gapp-read")}
        for what in measures(part):
            reason = None if part in COMPILES else self.doubt(what, top, environment, *built[what])
            self.sums[what] = None if reason else sum_of(what, top)
            self.unknown += [reason] if reason else []

    def doubt(self, what, top, environment, built, variable, cure):
        """Why it is not known of which sources the thing is that will be measured."""
        used = Path(environment.get(variable) or built)
        self.ran[used] = content(used)
        name = built.relative_to(top)
        if content(built) is None:
            return f"{name} does not exist: {cure}"
        if self.ran[used] != content(built):
            return f"{variable} names another one than {name}"
        date = built.stat().st_mtime_ns
        newer = [path for path in files_of(what, top) if path.stat().st_mtime_ns > date]
        if newer:
            return f"{name} is older than {newer[0].relative_to(top)}: {cure}"
        return None

    def sources(self):
        """For the JSON. A build that was replaced meanwhile is none."""
        changed = [f"{path.name} was replaced while it was measured"
                   for path, before in self.ran.items() if content(path) != before]
        if changed:
            return {**{what: None for what in self.sums}, "unknown": self.unknown + changed}
        return {**self.sums, "unknown": self.unknown}


def difference(part, sources, top=TOP):
    """Why figures with these @sources are not of this tree; None: they are."""
    if not isinstance(sources, dict):
        return "it is not recorded of which sources it is"
    for what in measures(part):
        if not sources.get(what):
            return "; ".join(sources.get("unknown") or ["it is not recorded of which sources it is"])
        if sources[what] != sum_of(what, top):
            return f"measured with other sources of the {what}"
    return None

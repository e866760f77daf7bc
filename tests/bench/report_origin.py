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


def measures(part):
    return COMPILES.get(part, tuple(SOURCES))


def files_of(what, top):
    return sorted(path for pattern in SOURCES[what] for path in top.glob(pattern))


def sum_of(what, top=TOP):
    """Of names and contents: the same in every copy of the tree."""
    total = hashlib.sha256()
    for path in files_of(what, top):
        total.update(f"{path.relative_to(top)}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()[:16]


class Origin:
    """To be made before the measurement; sources() is for after it."""

    def __init__(self, part, kernel, top=TOP, environment=os.environ):
        built = {"module": (top / f"build/{kernel}/gapp.ko", "GAPP_KO", f"make lab-{kernel}"),
                 "reader": (top / "gapp-read", "GAPP_READ", "make gapp-read")}
        self.part, self.top, self.environment = part, top, environment
        self.built = {} if part in COMPILES else built
        self.sums = {what: sum_of(what, top) for what in measures(part)}

    def doubt(self, what, built, variable, cure):
        """Why it is not known of which sources the thing is that was measured."""
        used, name = Path(self.environment.get(variable) or built), built.relative_to(self.top)
        if not built.exists():
            return f"{name} does not exist: {cure}"
        if not used.exists() or used.read_bytes() != built.read_bytes():
            return f"{variable} names another one than {name}"
        date = built.stat().st_mtime_ns
        newer = [path for path in files_of(what, self.top) if path.stat().st_mtime_ns > date]
        return f"{name} is older than {newer[0].relative_to(self.top)}: {cure}" if newer else None

    def sources(self):
        """For the JSON. What was built anew meanwhile has no sum."""
        doubts = {what: self.doubt(what, *told) for what, told in self.built.items()}
        changed = {what: f"the sources of the {what} changed while it was measured"
                   for what in self.sums if sum_of(what, self.top) != self.sums[what]}
        doubts = {what: why for what, why in {**doubts, **changed}.items() if why}
        return {**{what: None if what in doubts else told for what, told in self.sums.items()},
                "unknown": list(doubts.values())}


def difference(part, sources, top=TOP):
    """Why figures with these @sources are not of this tree; None: they are."""
    for what in measures(part):
        if not (sources or {}).get(what):
            return "; ".join((sources or {}).get("unknown") or ["it is not recorded of which sources it is"])
        if sources[what] != sum_of(what, top):
            return f"measured with other sources of the {what}"
    return None

# SPDX-License-Identifier: GPL-2.0
"""From addresses of a guest to functions and source lines."""

import bisect
import collections
import re
import subprocess
from pathlib import Path

KERNEL_FROM = 1 << 63
# Where scripts/vm puts programs in the guest.
GUEST_BIN = "/opt/gapp/bin/"

Place = collections.namedtuple("Place", "object function start")


class ResolveError(Exception):
    pass


def run(*command, text=None):
    try:
        return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    except FileNotFoundError:
        raise ResolveError(f"{command[0]} is not installed: run scripts/setup build") from None
    except subprocess.CalledProcessError as error:
        raise ResolveError(f"{command[0]}: {error.stderr.strip()}") from None


class Ranges:
    """Intervals that do not overlap, by address."""

    def __init__(self, ranges):
        self.ranges = sorted(ranges, key=lambda entry: entry[0])
        self.starts = [entry[0] for entry in self.ranges]

    def find(self, address):
        at = bisect.bisect_right(self.starts, address) - 1
        if at >= 0 and address < self.ranges[at][1]:
            return self.ranges[at]
        return None


class Kernel:
    """/proc/kallsyms, modules included. Sizes are not known: a function ends where the next begins."""

    def __init__(self, path):
        symbols = []
        for line in path.read_text().splitlines():
            fields = line.split()
            if len(fields) >= 3 and fields[1] in "tTwW" and int(fields[0], 16):
                module = fields[3].strip("[]") if len(fields) > 3 else "kernel"
                symbols.append((int(fields[0], 16), fields[2], module))
        if not symbols:
            raise ResolveError("the guest's /proc/kallsyms has no addresses")
        self.symbols = sorted(symbols)
        self.starts = [symbol[0] for symbol in self.symbols]

    def find(self, address):
        at = bisect.bisect_right(self.starts, address) - 1
        if at < 0:
            return Place("kernel", "?", address)
        start, name, module = self.symbols[at]
        return Place(module, name, start)


class File:
    """The functions of a program or library, by its own addresses."""

    def __init__(self, path):
        self.name = path.name
        segments, functions = [], {}
        for line in run("readelf", "-lW", path).splitlines():
            fields = line.split()
            if fields[:1] == ["LOAD"]:
                offset, address, size = (int(fields[i], 16) for i in (1, 2, 4))
                segments.append((offset, offset + size, address))
        for table in ("-S", "-DS"):
            for line in run("nm", "--defined-only", table, path).splitlines():
                fields = line.split()
                if len(fields) == 4 and fields[2] in "tTwWiu":
                    start, size = int(fields[0], 16), int(fields[1], 16)
                    functions.setdefault(start, (start, start + size, fields[3].split("@")[0]))
        self.segments = Ranges(segments)
        self.functions = Ranges(functions.values())

    def find(self, offset):
        segment = self.segments.find(offset)
        if not segment:
            return Place(self.name, "?", 0)
        address = offset - segment[0] + segment[2]
        function = self.functions.find(address)
        return Place(self.name, function[2] if function else "?", function[0] if function else 0)


class Users:
    """What the processes had mapped: as many /proc/PID/maps as there were, one after the other."""

    def __init__(self, maps, programs):
        self.programs = programs
        self.files = {}
        ranges = {}
        for line in maps.read_text().splitlines():
            found = re.match(r"([0-9a-f]+)-([0-9a-f]+) ..x. ([0-9a-f]+) \S+ \d+ *(.*)", line)
            if found:
                start, end, offset = (int(number, 16) for number in found.groups()[:3])
                ranges[start] = (start, end, offset, found.group(4) or "[anonymous]")
        self.ranges = Ranges(ranges.values())

    def find(self, address):
        mapping = self.ranges.find(address)
        if not mapping:
            return Place("others", "?", 0)
        start, _, offset, path = mapping
        if path.startswith("["):
            return Place(path, "?", 0)
        if path not in self.files:
            here = self.programs.get(path.removeprefix(GUEST_BIN), Path(path))
            self.files[path] = File(here) if here.exists() else None
        file = self.files[path]
        return file.find(address - start + offset) if file else Place(Path(path).name, "?", 0)


class Addresses:
    def __init__(self, kallsyms, maps, programs):
        self.kernel = Kernel(kallsyms)
        self.users = Users(maps, programs)

    def find(self, address):
        return (self.kernel if address >= KERNEL_FROM else self.users).find(address)


class ModuleLines:
    """Source lines of a module that is not linked: by section and offset."""

    def __init__(self, ko):
        self.ko = ko
        self.sections = {}
        self.functions = {}
        for line in run("readelf", "-SW", ko).splitlines():
            found = re.match(r" *\[ *(\d+)\] (\S+) +PROGBITS", line)
            if found:
                self.sections[found.group(1)] = found.group(2)
        for line in run("readelf", "-sW", ko).splitlines():
            fields = line.split()
            if len(fields) == 8 and fields[3] == "FUNC" and fields[6] in self.sections:
                self.functions[fields[7]] = (self.sections[fields[6]], int(fields[1], 16))

    def find(self, places):
        """places: (function, offset in it). Returns for each a list of (function, file, line), the
        innermost first."""
        by_section = collections.defaultdict(list)
        for name, offset in places:
            if name in self.functions:
                section, start = self.functions[name]
                by_section[section].append(((name, offset), start + offset))
        found = {}
        for section, wanted in by_section.items():
            text = run("addr2line", "-e", str(self.ko), "-j", section, "-i", "-f", "-a",
                       text="".join(f"{address:#x}\n" for _, address in wanted))
            chains, lines = [], text.splitlines()
            at = 0
            while at < len(lines):
                if lines[at].startswith("0x"):
                    chains.append([])
                    at += 1
                    continue
                file, _, line = lines[at + 1].split(" (")[0].rpartition(":")
                chains[-1].append((lines[at], short(file), line))
                at += 2
            if len(chains) != len(wanted):
                raise ResolveError(f"addr2line gave {len(chains)} answers to {len(wanted)} questions")
            found.update((place, chain) for (place, _), chain in zip(wanted, chains))
        return found


def short(path):
    """Of the tree, or of the kernel's headers."""
    for mark in ("/kmod/", "/include/", "/arch/"):
        if mark in path:
            return mark.strip("/") + "/" + path.split(mark)[-1]
    return path

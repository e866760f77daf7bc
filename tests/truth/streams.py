# SPDX-License-Identifier: GPL-2.0
"""
What `gapp-read script` printed of two sessions on the same run, compared record by record.
"""

import bisect
import re

HEAD = re.compile(r"(-?\d+\.\d{9}) \[(\d+)\] .* (-?\d+)/(-?\d+) (slice|wait|wake|lost)\b(.*)")
# Copies of stacks and questions about memory: each session has its own, or none.
OWN = re.compile(r"-?\d+\.\d{9} \[\d+\] .* \S+/\S+ (stack_copy|need_mapping)\b.*")
# The sessions read the clock one after the other in the same event, in an emulated guest.
SAME_EVENT_S = 0.001
# A busy machine may take a processor away between the two.
LATE_S = 0.1
# Events just when one session has begun, or ended, and the other has not.
EDGE_RECORDS = 4


class StreamError(Exception):
    """A stream that cannot be compared."""


class Record:
    """The first line of a record."""

    def __init__(self, match):
        self.time = float(match.group(1))
        self.cpu, self.tid = int(match.group(2)), int(match.group(3))
        self.type = match.group(5)
        self.fields = dict(word.split("=", 1) for word in match.group(6).split() if "=" in word)

    def is_timed(self):
        """Each session breaks long slices, and ends those that are open, at times of its own."""
        return self.fields.get("then") in ("on", "stopped")


def parse(lines):
    records = []
    for line in lines:
        if line.startswith("\t") or OWN.fullmatch(line.rstrip("\n")):
            continue
        match = HEAD.fullmatch(line.rstrip("\n"))
        if not match:
            raise StreamError(f"no record: '{line.strip()[:80]}'")
        records.append(Record(match))
    return records


def by_thread(records):
    threads = {}
    for record in records:
        if record.type != "lost" and not record.is_timed():
            threads.setdefault((record.tid, record.type), []).append(record)
    for own in threads.values():
        own.sort(key=lambda record: record.time)
    return threads


def clock_offset(large, small):
    """Times count from each session's own start; both saw every thread's first record."""
    differences = sorted(own[0].time - small[key][0].time for key, own in large.items()
                         if key in small)
    if not differences:
        raise StreamError("the two streams have no thread in common")
    return differences[len(differences) // 2]


def unmatched(large, small):
    """Records of one thread that the small stream lacks, both in the order of time."""
    times = [record.time for record in large]
    taken = set()
    strangers = []
    next_free = 0
    for record in small:
        at = bisect.bisect_left(times, record.time, next_free)
        near = [i for i in (at - 1, at) if next_free <= i < len(times)]
        near.sort(key=lambda i: abs(times[i] - record.time))
        if near and abs(times[near[0]] - record.time) <= SAME_EVENT_S:
            taken.add(near[0])
            next_free = near[0] + 1
        else:
            strangers.append(record)
    rest = [record for i, record in enumerate(large) if i not in taken]
    return without_late(rest, strangers)


def without_late(rest, strangers):
    """What the one stream lacks and only the other has, next to each other, is one event."""
    unknown = 0
    for stranger in strangers:
        late = min(rest, key=lambda record: abs(record.time - stranger.time), default=None)
        if late and abs(late.time - stranger.time) <= LATE_S:
            rest.remove(late)
        else:
            unknown += 1
    return rest, unknown


class Comparison:
    """A stream that is whole, and one with losses, of the same run."""

    def __init__(self, large_lines, small_lines):
        large, small = parse(large_lines), parse(small_lines)
        self.errors = []
        if any(record.type == "lost" for record in large):
            raise StreamError("the large session lost records too")
        own, other = by_thread(large), by_thread(small)
        offset = clock_offset(own, other)
        for record in small:
            record.time += offset
        self.lost = [record for record in small if record.type == "lost"]
        self.total = sum(map(len, own.values()))
        self.missing, self.strangers = [], 0
        for key, records in own.items():
            missing, strangers = unmatched(records, other.get(key, []))
            self.missing += missing
            self.strangers += strangers
        timed = sum(record.is_timed() for record in large + small)
        self.judge(offset, EDGE_RECORDS + timed)

    def lost_count(self):
        return sum(int(record.fields["records"]) for record in self.lost)

    def is_told(self, record, offset):
        return any(lost.cpu == record.cpu and
                   float(lost.fields["since"]) + offset - SAME_EVENT_S <= record.time
                   <= lost.time + SAME_EVENT_S for lost in self.lost)

    def judge(self, offset, edges):
        untold = [record for record in self.missing if not self.is_told(record, offset)]
        if len(untold) > EDGE_RECORDS:
            record = untold[0]
            self.errors.append(f"{len(untold)} records are neither there nor told as lost, the first "
                               f"a {record.type} of {record.tid} at {record.time:.6f}")
        if abs(len(self.missing) - self.lost_count()) > edges:
            self.errors.append(f"{len(self.missing)} are missing, {self.lost_count()} told as lost")
        if self.strangers > EDGE_RECORDS:
            self.errors.append(f"{self.strangers} records are in the small stream only")
        if not self.lost_count():
            self.errors.append("nothing was lost: the test tested nothing")

    def describe(self):
        return f"{self.total} records, {len(self.missing)} missing, {self.lost_count()} told as lost"

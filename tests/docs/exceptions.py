# SPDX-License-Identifier: GPL-2.0
"""exceptions.txt: what tests/docs does with each command that is no call of gapp-read, and what the documents name and
no test finds."""

import collections
import fnmatch
import functools
import re

from harness import equal, expect, read, test

HOW = ("run", "dry run", "excused")
KINDS = (*HOW, "option", "link")
USED = set()
Entry = collections.namedtuple("Entry", "kind pattern reason")


@functools.cache
def entries():
    """Lines KIND: PATTERN: REASON."""
    lines = [line for line in read("tests/docs/exceptions.txt").splitlines() if line and line[0] != "#"]
    found = [[part.strip() for part in line.split(": ", 2)] for line in lines]
    wrong = [entry for entry in found if len(entry) != 3 or entry[0] not in KINDS or not entry[2]]
    expect(not wrong, "exceptions.txt:", *wrong)
    return [Entry(*entry) for entry in found]


def entry_of(name, *kinds):
    """The first entry of these kinds that the name matches, or None."""
    for entry in entries():
        if entry.kind in kinds and fnmatch.fnmatchcase(name, entry.pattern):
            USED.add(entry)
            return entry
    return None


def excuse(kind, name):
    """The reason why an option or a link is not found, or None."""
    entry = entry_of(name, kind)
    return entry and entry.reason


def wrong_reason(entry):
    """What is wrong with the reason of an excused command, or None: a test does it that has these words, or nothing does."""
    if re.match(r"nothing runs it: \S", entry.reason):
        return None
    named = re.fullmatch(r'(\S+) has "(.+?)": .+', entry.reason)
    if not named:
        return f'{entry.pattern}: the reason is neither `nothing runs it: WHY` nor `FILE has "WORDS": WHY`'
    path, words = named.groups()
    return None if words in read(path) else f"{entry.pattern}: {path} does not have {words!r}"


@test
def excused_commands_are_run_where_their_reasons_say():
    wrong = [wrong_reason(entry) for entry in entries() if entry.kind == "excused"]
    expect(not any(wrong), *filter(None, wrong))


def note_last():
    """To be called when all tests that ask are noted."""
    @test
    def every_exception_is_needed():
        equal(set(entries()) - USED, set())

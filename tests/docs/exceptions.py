# SPDX-License-Identifier: GPL-2.0
"""What the documents name and no test runs or finds, each with the reason: exceptions.txt."""

import fnmatch
import functools

from harness import equal, expect, read, test

KINDS = ("command", "option", "link")
USED = set()


@functools.cache
def entries():
    """Lines KIND: PATTERN: REASON."""
    lines = [line for line in read("tests/docs/exceptions.txt").splitlines() if line and line[0] != "#"]
    found = [tuple(part.strip() for part in line.split(": ", 2)) for line in lines]
    expect(all(len(entry) == 3 and entry[0] in KINDS and entry[2] for entry in found), "exceptions.txt:", found)
    return found


def excuse(kind, name):
    """The reason why it is not run or found, or None."""
    for entry in entries():
        if entry[0] == kind and fnmatch.fnmatchcase(name, entry[1]):
            USED.add(entry)
            return entry[2]
    return None


def note_last():
    """To be called when all tests that ask are noted."""
    @test
    def every_exception_is_needed():
        equal(set(entries()) - USED, set())

# SPDX-License-Identifier: GPL-2.0
"""Prints a line for each test of the documents, and knows the table of options."""

import collections
import functools
import os
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILT = os.path.join(TOP, "build", "user", "test")
READER = os.path.join(BUILT, "gapp-read-fake")
Option = collections.namedtuple("Option", "letter name value words actions")
TESTS = []
COUNTS = []


class Skip(Exception):
    """What a test needs is not here."""


def test(function):
    TESTS.append((function.__name__.replace("_", " "), function))
    return function


def count(how, number):
    """To be called by a test of commands: how many it is of, and how they are tried. Its line says so."""
    COUNTS.append((how, number))


def counted():
    return f" ({', '.join(f'{how}: {number}' for how, number in COUNTS)})" if COUNTS else ""


def run_all():
    failed = False
    for name, function in TESTS:
        COUNTS.clear()
        try:
            function()
            print(f"ok - docs: {name}{counted()}")
        except Skip as why:
            print(f"skip - docs: {name} ({why})")
        except Exception as why:  # whatever it is, the other tests go on
            reason = " ".join(str(why).split()) or type(why).__name__
            print(f"not ok - docs: {name} ({reason[:900]})")
            failed = True
        sys.stdout.flush()
    return failed


def expect(condition, *what):
    if not condition:
        raise AssertionError(" ".join(str(part) for part in what))


def equal(got, expected, *what):
    if isinstance(got, set) and got != expected:
        expect(False, *what, "too many:", sorted(got - expected), "missing:", sorted(expected - got))
    expect(got == expected, *what, "got", repr(got), "instead of", repr(expected))


def read(*path):
    with open(os.path.join(TOP, *path), encoding="utf-8") as file:
        return file.read()


@functools.cache
def options():
    """The table of options, as the reader has it."""
    printed = subprocess.run([os.path.join(BUILT, "print-options")], check=True, capture_output=True, text=True)
    rows = [line.split("\t") for line in printed.stdout.splitlines()]
    return [Option(letter, name, value, words.split(), actions.split())
            for letter, name, value, words, actions, _ in rows]

# SPDX-License-Identifier: GPL-2.0
"""The system of tests/bench/root, for guests that boot it."""

import os
import subprocess
from pathlib import Path

import lab

TOP = Path(__file__).resolve().parent.parent.parent


def said_by(*command):
    done = subprocess.run([str(word) for word in command], cwd=TOP, stdout=subprocess.PIPE, text=True,
                          check=False)
    if done.returncode:
        raise lab.LabError(f"{command[0]} failed")
    return done.stdout.strip()


def cannot():
    """Why there can be no such system; empty: there can."""
    return "" if os.geteuid() == 0 else "a Debian of its own can only be made by root"


def tree():
    """Its folder; it takes some minutes to make, once."""
    return Path(said_by(TOP / "tests/bench/root").splitlines()[-1])


def release(kernel):
    folder = said_by(TOP / "scripts/lab-kernel", "get", kernel)
    return (Path(folder) / "release").read_text().strip()


def lttng(root, kernel):
    """What LTTng's modules were built of, and why others were not; either may be empty."""
    file = root / "lttng" / release(kernel)
    said = file.read_text().splitlines() if file.exists() else []

    def after(word):
        return "; ".join(line[len(word) + 2:] for line in said if line.startswith(word + ": "))

    return after("built"), after("refused")

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
Recordings of each version of the format, which later readers must read: in
tests/cli/golden-recordings VERSION-NAME.data is a recording; VERSION-NAME.json, .txt and .script.txt
are what gapp-read prints of it. test_golden.py compares them.

usage: tests/cli/golden.py NAME          record with the stand-in for the device, and keep the recording
       tests/cli/golden.py NAME FILE     keep a recording that there is
       tests/cli/golden.py --reports     write what is printed again, after a change of reports
"""

import os
import shutil
import sys
import tempfile

START = os.getcwd()

import harness  # noqa: E402

FOLDER = os.path.join(harness.TOP, "tests/cli/golden-recordings")
BYTES_MAX = 30000
# Threads, records, a question about a mapping, and names that a terminal would obey.
FAKE = "threads=8 hostile=1 records=40 needmap=7"
PRINTED = {".json": ("report", "--format", "json"), ".txt": ("report", "-v", "--tree"), ".script.txt": ("script",)}


def recordings():
    return sorted(os.path.join(FOLDER, name) for name in os.listdir(FOLDER) if name.endswith(".data"))


def version_of(path):
    """Of the format, as the head of the file has it: docs/data-format.md."""
    with open(path, "rb") as file:
        head = file.read(12)
    if head[:8] != b"GAPPDATA":
        sys.exit(f"{path} is no recording")
    return f"{int.from_bytes(head[8:10], 'little')}.{int.from_bytes(head[10:12], 'little')}"


def expected_of(path, suffix):
    return os.path.splitext(path)[0] + suffix


def printed(path, suffix):
    return harness.reader(*PRINTED[suffix], path)


def write_reports(path):
    for suffix in PRINTED:
        done = printed(path, suffix)
        if done.status or done.err:
            sys.exit(f"{path}: status {done.status}: {done.err}")
        with open(expected_of(path, suffix), "w", encoding="utf-8") as file:
            file.write(done.out)


def keep(name, path):
    if os.path.getsize(path) > BYTES_MAX:
        sys.exit(f"{path} has more than {BYTES_MAX} bytes: record a shorter run")
    kept = os.path.join(FOLDER, f"{version_of(path)}-{name}.data")
    shutil.copyfile(path, kept)
    write_reports(kept)
    print(kept)


def main():
    words = sys.argv[1:]
    if words == ["--reports"]:
        for path in recordings():
            write_reports(path)
    elif len(words) == 2:
        keep(words[0], os.path.join(START, words[1]))
    elif len(words) == 1 and not words[0].startswith("-"):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.data")
            done = harness.reader("--records", "-o", path, "--", "true", fake=FAKE)
            if done.status or done.err:
                sys.exit(f"status {done.status}: {done.err}")
            keep(words[0], path)
    else:
        sys.exit(__doc__.strip())


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: GPL-2.0
"""Recordings of this and of former versions of the format are read, and say what they always said."""

import os
import shutil
import subprocess
import tempfile

import golden
from harness import Skip, equal, expect, has, read, reader, test

PATHS = os.path.join(golden.FOLDER, "1.1-paths.data")
# Its program, and the place that is shown with its line.
PROGRAM, BUILD_ID = "/tmp/wt/integ/build/truth/pie/hot_mutex", "a1519291d1ba7e6a3a1aa31e3b8ce8340385938e"
FILE, LINE = "truth/hot_mutex.c", 17


@test
def recordings_of_each_version_are_read():
    expect(golden.recordings(), "no recordings in", golden.FOLDER)
    for path in golden.recordings():
        for suffix in golden.PRINTED:
            done = golden.printed(path, suffix)
            equal((done.status, done.err), (0, ""), path, suffix)
            equal(done.out, read(golden.expected_of(path, suffix)), path, suffix)


@test
def there_are_recordings_of_the_present_version():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.data")
        equal(reader("-o", path, "--", "true").status, 0)
        version = golden.version_of(path)
    names = [os.path.basename(path) for path in golden.recordings()]
    for name in "run", "paths":
        expect(f"{version}-{name}.data" in names, f"no {version}-{name}.data: run tests/cli/golden.py {name}")


@test
def source_path_shows_the_text_of_lines():
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, os.path.dirname(FILE)))
        with open(os.path.join(folder, FILE), "w", encoding="ascii") as file:
            file.write("\n" * (LINE - 1) + "text_of_the_line();\n")
        for words in ((), ("--source-path", "/nonexistent")):
            expect("text_of_the_line" not in reader("report", *words, PATHS).out, words)
        result = reader("report", "--source-path", "/nonexistent", "--source-path", folder, PATHS)
        equal((result.status, result.err), (0, ""))
        has(result.out, "text_of_the_line();")


def make_damaged(path, build_id):
    """A program of which the reader says that it cannot name it, if it takes it for the recorded one."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    subprocess.run(["gcc", "-x", "c", "-o", path, f"-Wl,--build-id=0x{build_id}", "-"],
                   input=b"int main(void) { return 0; }", check=True)
    subprocess.run(["objcopy", "--add-section", f".gnu_debugdata={__file__}", path], check=True)


@test
def symfs_has_files_by_their_recorded_build_id():
    if not shutil.which("gcc") or not shutil.which("objcopy"):
        raise Skip("no gcc or objcopy")
    with tempfile.TemporaryDirectory() as folder:
        make_damaged(folder + PROGRAM, BUILD_ID)
        result = reader("report", "--symfs", folder, PATHS)
        equal((result.status, result.err), (0, f"gapp: {PROGRAM}: no names are read: its .gnu_debugdata is damaged\n"))
        make_damaged(folder + PROGRAM, BUILD_ID[::-1])
        again = reader("report", "--symfs", folder, PATHS)
        equal((again.status, again.err), (0, ""))
        # what is not found there keeps the recorded names
        equal((result.out, again.out), (reader("report", PATHS).out,) * 2)

# SPDX-License-Identifier: GPL-2.0
"""Recordings of this and of former versions of the format are read, and say what they always said."""

import os
import tempfile

import golden
from harness import equal, expect, read, reader, test


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

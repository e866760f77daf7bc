# SPDX-License-Identifier: GPL-2.0
"""gapp-read diff and --fail-if, with recordings of sessions that fake_node.c makes up."""

import json
import os
import tempfile

from harness import Skip, TOP, equal, expect, has, read, reader, test

try:
    import jsonschema
except ImportError:
    jsonschema = None


class Recordings:
    """A folder with the recordings of two runs, and commands in it."""

    def __init__(self, seconds="0.4"):
        self.seconds = seconds

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        for name, seconds in (("a.data", "0.1"), ("b.data", self.seconds)):
            equal(self.run("-o", name, "--", "sleep", seconds).status, 0, name)
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def run(self, *words):
        return reader(*words, cwd=self.folder.name)


@test
def diff_tells_what_changed():
    with Recordings() as recordings:
        result = recordings.run("diff", "a.data", "b.data")
        equal((result.status, result.err), (0, ""))
        expect(result.out.startswith("Worse: the run took "), result.out)
        for part in ("Base         sleep 0.1: ", "New          sleep 0.4: ", "Parallelism"):
            has(result.out, part)
        expect(recordings.run("diff", "b.data", "a.data").out.startswith("Better: "))
        expect(recordings.run("diff", "a.data", "a.data").out.startswith("No clear change: "))


@test
def diff_is_about_the_last_two_recordings_if_none_is_named():
    with Recordings() as recordings:
        for seconds in ("0.1", "1.5"):
            equal(recordings.run("--", "sleep", seconds).status, 0)
        for words, base in (((), "0.1"), (("b.data",), "0.4")):
            out = recordings.run("diff", *words).out
            expect(out.startswith("Worse: "), out)
            for part in (f"Base         sleep {base}: ", "New          sleep 1.5: "):
                has(out, part)


@test
def json_of_diff_is_as_its_schema_says():
    with Recordings() as recordings:
        printed = recordings.run("diff", "--format", "json", "-o", "x.json", "a.data", "b.data")
        equal((printed.status, printed.err), (0, ""))
        equal(read(os.path.join(recordings.folder.name, "x.json")), printed.out)
    if not jsonschema:
        raise Skip("no python3-jsonschema")
    schema = json.loads(read(os.path.join(TOP, "docs", "schema", "diff.schema.json")))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(json.loads(printed.out))


@test
def fail_if_has_an_exit_status_of_its_own():
    # on a busy machine the first run takes longer, too
    with Recordings("1") as recordings:
        for words, status, said in (
            (("report", "--fail-if", "serial > 40%", "a.data"), 3, "'serial > 40%': it is 50.0 %"),
            (("report", "--fail-if", "serial > 60%", "a.data"), 0, ""),
            (("diff", "--fail-if", "wall +50%", "a.data", "b.data"), 3, "'wall +50%': it is +"),
            (("diff", "--fail-if", "wall +50%", "b.data", "a.data"), 0, ""),
            (("diff", "--fail-if", "idle > 90%", "--fail-if", "wall>0.2s", "a.data", "b.data"), 3,
             "wall>0.2s"),
            (("report", "--fail-if", "place:nobody > 1%", "a.data"), 0, "nothing is called 'nobody'"),
        ):
            result = recordings.run(*words)
            equal(result.status, status, words, result.err)
            expect(result.out, "the report is printed")
            has(result.err, said)
            equal(result.err.count("\n"), 1 if said else 0, result.err)


@test
def diff_refuses_what_it_cannot_compare():
    for words, parts in (
        (("--fail-if", "serial > 30"), ("--fail-if: 'serial > 30' is not", "'serial > 30%'")),
        (("-p", "1"), ("--pid has no meaning with diff",)),
        (("--tree",), ("--tree has no meaning with diff",)),
        (("a", "b", "c"), ("unexpected 'c'", "2 recordings")),
    ):
        reader("diff", *words).is_refusal(2, *parts)
    reader("report", "--fail-if", "idle +3%").is_refusal(2, "between two recordings")
    reader("--fail-if", "idle > 3%", "-p", "1").is_refusal(2, "no meaning with record")
    reader("diff", "/nowhere/a", "/nowhere/b").is_refusal(125, "/nowhere/a")

# SPDX-License-Identifier: GPL-2.0
"""Figures by section, and marks, with the stand-in for the device."""

import json
import os
import tempfile

from harness import TOP, expect, equal, has, read, reader, test

try:
    import jsonschema
except ImportError:
    jsonschema = None


def run(*words, fake="threads=3 sections=1", folder=None):
    program = ("sleep", "0.1") if "sections=3" in fake else ("true",)
    return reader(*words, *(() if folder else ("--no-save",)), "--", *program, fake=fake, cwd=folder)


def document(*words, fake="threads=3 sections=1"):
    with tempfile.TemporaryDirectory() as folder:
        result = run("-o", "x.json", *words, fake=fake, folder=folder)
        equal((result.status, result.err), (0, ""))
        return json.loads(read(os.path.join(folder, "x.json")))


@test
def sections_are_in_json():
    made = document()
    solve, rest = made["sections"]
    equal((solve["name"], solve["begins"], solve["active_average"]), ("so\x1blve", 1, 1.5))
    equal((rest["name"], rest["begins"], rest["active_average"]), ("rest", 1, 0))
    equal((solve["time_s"], rest["time_s"]), (0.002, 0.001))
    # the slice's share is that of earlier ones, and it is the thread's first record
    equal((solve["critical_s"], solve["divided_s"], rest["critical_s"]), (0.001, 0.001, 0))
    equal([row["critical_s"] for row in solve["functions"]], [0.001])
    equal((made["sections_unpaired"], made["marks_left_out"]), (1, 0))
    equal(len(document("--top", "1")["sections"]), 1)
    expect("sections" not in document(fake="threads=3"))
    if jsonschema:
        schema = json.loads(read(os.path.join(TOP, "docs", "schema", "report.schema.json")))
        jsonschema.Draft202012Validator(schema).validate(made)


@test
def sections_end_with_their_thread():
    made = document(fake="threads=3 sections=3")
    row, = [row for row in made["sections"] if row["name"] == "main loop"]
    # the thread left after 7 ms, and no record says so
    equal((row["begins"], row["time_s"], made["sections_ended_unseen"]), (1, 0.001, 1))
    with tempfile.TemporaryDirectory() as folder:
        line = "1 section ended with its thread, and no record says so: critical time after that may count for it."
        for text in (run("--view", "sections", fake="threads=3 sections=3", folder=folder).out,
                     reader("report", "--view", "sections", cwd=folder).out):
            has(" ".join(text.split()), line)
    equal(document(fake="threads=3 sections=2")["sections_ended_unseen"], 0)


@test
def sections_are_a_view():
    text = run("--view", "sections").out
    expect("\x1b" not in text, text)
    has(text, "  section: where its critical time is\n")
    has(text, "  1.50       1  so\\x1blve: ")
    has(text, "  0.00       1  rest\n")
    has(text, "  (outside all sections)\n")
    has(text, "1 mark ended a section that the thread had not begun.\n")
    has(run("--view", "sections", "--top", "1").out, "     1 more: --top N or -v shows them")
    has(run("--view", "sections", fake="threads=3").out, "This recording has no sections")


@test
def sections_are_reported_later():
    with tempfile.TemporaryDirectory() as folder:
        first = run("--view", "sections", "--records", folder=folder).out
        later = reader("report", "--view", "sections", cwd=folder)
        equal((later.status, later.err), (0, ""))
        wanted = [line for line in first.splitlines() if "  1  " in line or "outside" in line]
        equal([line for line in later.out.splitlines() if "  1  " in line or "outside" in line], wanted)
        script = reader("script", "gapp.data", cwd=folder).out
        has(script, " kind=begin text=so\\x1blve\n")
        has(script, " kind=mark text=a point\n")
        has(script, " kind=end text=\n")

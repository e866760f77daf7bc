# SPDX-License-Identifier: GPL-2.0
"""gapp-read spins, with a program that is compiled here."""

import functools
import json
import os
import subprocess
import tempfile

from harness import Skip, TOP, equal, expect, has, read, reader, test

try:
    import jsonschema
except ImportError:
    jsonschema = None

SOURCE = """
void wait_for_flag(volatile int *flag)
{
	while (!*flag)
		__builtin_ia32_pause();
}

extern void progress(void);

void may_wait(volatile long *done)
{
	while (!*done)
		progress();
}
"""


@functools.cache
def folder():
    """A folder with a library that has two loops, and with what is none."""
    made = tempfile.TemporaryDirectory()
    source = os.path.join(made.name, "loops.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(SOURCE)
    with open(os.path.join(made.name, "empty"), "w", encoding="utf-8"):
        pass
    for name, more in ("loops.so", ("-g",)), ("bare.so", ("-s",)):
        subprocess.run(["gcc", "-O2", "-fPIC", "-shared", *more, "-Wl,--build-id", "-o", name, source],
                       cwd=made.name, check=True)
    return made


def spins(*words):
    return reader("spins", *words, cwd=folder().name)


@test
def spins_tells_what_waits_for_what():
    result = spins("loops.so")
    equal((result.status, result.err), (0, ""))
    for part in ("loops.so: 1 busy-wait loop in ", "1 more may be some (-v shows them)", "wait_for_flag+0x",
                 "loops.c:", ", pauses\n", "while 4 bytes at [rdi] == 0\n"):
        has(result.out, part)
    expect("may_wait" not in result.out, result.out)


@test
def spins_at_length_has_loops_that_may_wait():
    result = spins("-v", "loops.so")
    for part in ("may_wait+0x", "not sure, calls a function that may do anything", "== 0\n",
                 "; 1 pauses, 1 of them in the loops found; 0 functions too large"):
        has(result.out, part)


@test
def spins_needs_no_source_and_no_symbols():
    made = json.loads(spins("--format", "json", "loops.so", "bare.so").out)["files"]
    equal([file["path"] for file in made], ["loops.so", "bare.so"])
    full, bare = ([(spin["address"], spin["does"], spin["ranges"]) for spin in file["spins"]] for file in made)
    equal(len(full), 2)
    equal(full, bare)
    equal({spin["function"] for spin in made[0]["spins"]}, {"wait_for_flag", "may_wait"})


@test
def json_of_spins_is_as_its_schema_says():
    printed = spins("--format", "json", "-o", "x.json", "-o", "x.txt", "loops.so")
    equal((printed.status, printed.err), (0, ""))
    equal(read(os.path.join(folder().name, "x.json")), printed.out)
    equal(read(os.path.join(folder().name, "x.txt")), spins("loops.so").out)
    made = json.loads(printed.out)
    spin = next(spin for spin in made["files"][0]["spins"] if spin["sure"])
    equal((spin["does"], spin["call"], spin["line"]), (["pauses"], None, 4))
    equal([(wait["location"], wait["bytes"], wait["while"], wait["value"], wait["mask"], wait["moves"])
           for wait in spin["waits"]], [("[rdi]", 4, "==", "0", None, False)])
    equal(made["files"][0]["build_id"], build_id(os.path.join(folder().name, "loops.so")))
    if not jsonschema:
        raise Skip("no python3-jsonschema")
    schema = json.loads(read(os.path.join(TOP, "docs", "schema", "spins.schema.json")))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(made)


def build_id(path):
    notes = subprocess.run(["readelf", "-n", path], capture_output=True, text=True, check=True).stdout
    return next(line.split()[-1] for line in notes.splitlines() if "Build ID" in line)


@test
def spins_of_other_files_are_refused():
    for name, part in ("empty", "cannot be read"), ("loops.c", "no program or library of x86-64"), (
            "nowhere", "No such file"), (".", "cannot be read"):
        spins(name).is_refusal(125, name + ": ", part)
    # the others are read all the same
    result = spins("loops.c", "loops.so")
    equal(result.status, 125)
    has(result.err, "loops.c: it is no program")
    has(result.out, "wait_for_flag")


@test
def spins_has_options_of_its_own():
    for words, part in (
        ((), "spins reads programs and libraries: give one or more"),
        (("--by", "place", "x"), "--by has no meaning with spins: it reads programs and libraries"),
        (("-d", "1", "x"), "--duration has no meaning with spins"),
        (("--format", "csv", "x"), "spins prints text and JSON: give -o FILE.txt or FILE.json"),
        (("-o", "x.csv", "x"), "spins prints text and JSON"),
        (("x", "--", "ls"), "a command after -- is recorded"),
        (["x"] * 65, "spins reads 64 files at most"),
    ):
        spins(*words).is_refusal(2, part)


@test
def spins_without_a_decoder_says_what_is_missing():
    # an empty file stands in for the library
    env = {**os.environ, "LD_LIBRARY_PATH": os.path.join(folder().name, "none")}
    os.makedirs(env["LD_LIBRARY_PATH"], exist_ok=True)
    for major in range(3, 7):
        with open(os.path.join(env["LD_LIBRARY_PATH"], f"libcapstone.so.{major}"), "w", encoding="utf-8"):
            pass
    result = reader("spins", "loops.so", cwd=folder().name, env=env)
    result.is_refusal(125, "code is decoded by libcapstone.so.")

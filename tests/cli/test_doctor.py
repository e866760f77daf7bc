# SPDX-License-Identifier: GPL-2.0
"""gapp-read doctor, with programs that are compiled here; fake_node.c stands in for the device."""

import functools
import json
import os
import re
import shutil
import struct
import subprocess
import tempfile

from harness import READER, Skip, TOP, environment, equal, expect, has, read, reader, test

try:
    import jsonschema
except ImportError:
    jsonschema = None

SOURCE = "int main(void) { return 0; }\n"
MACHINE = ("kernel", "CPUs", "preemption", "installed", "lockdown", "signature", "loaded", "device", "abi", "rights",
           "locked memory", "kernel paths", "kernel locks", "clock", "breakpoints", "counters", "libcapstone",
           "libdebuginfod", "perf events", "PAUSE")


def compile_to(where, name, *words):
    subprocess.run(["gcc", "-O1", *words, "-o", name, "main.c"], cwd=where, check=True)


def objcopy(where, *words):
    subprocess.run(["objcopy", *words], cwd=where, check=True)


@functools.cache
def folder():
    """A folder with programs: whole, stripped, with its debug information elsewhere, without unwind table."""
    made = tempfile.TemporaryDirectory()
    where = made.name
    with open(os.path.join(where, "main.c"), "w", encoding="utf-8") as file:
        file.write(SOURCE)
    compile_to(where, "whole", "-g", "-Wl,--build-id")
    compile_to(where, "stripped", "-s", "-Wl,--build-id=none")
    compile_to(where, "linked", "-g", "-Wl,--build-id=none")
    objcopy(where, "--only-keep-debug", "linked", "linked.debug")
    objcopy(where, "--strip-all", "--add-gnu-debuglink=linked.debug", "linked")
    objcopy(where, "--strip-all", "--add-gnu-debuglink=linked.debug", "whole", "link-gone")
    os.mkdir(os.path.join(where, "elsewhere"))
    os.rename(os.path.join(where, "link-gone"), os.path.join(where, "elsewhere", "link-gone"))
    objcopy(where, "--remove-section=.eh_frame", "--remove-section=.eh_frame_hdr", "whole", "bare")
    for name, text in ("script", "#!/bin/sh\n"), ("text", "no program\n"):
        with open(os.path.join(where, name), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(os.path.join(where, name), 0o755)
    return made


def doctor(*words, fake="", env=None):
    return reader("doctor", *words, cwd=folder().name, env=environment(fake, **(env or {})))


def checks(*words, status=(0, 1), **more):
    """What was found, of the machine and of programs, by subject and check."""
    result = doctor("--format", "json", *words, **more)
    expect(result.status in status, result.status, result.err)
    equal(result.err, "")
    return {(check["subject"], check["check"]): check for check in json.loads(result.out)["checks"]}


def is_found(found, subject, check, level, text):
    expect((subject, check) in found, subject, check, found)
    equal(found[subject, check]["level"], level, found[subject, check])
    has(found[subject, check]["text"], text)


@test
def doctor_looks_at_the_machine():
    result = doctor()
    lines = result.out.splitlines()
    pattern = r"(ok|warning|problem|not known) +(\S+(?: \S+)*)  +(\S.*)"
    found = [re.fullmatch(pattern, line) for line in lines[:-2]]
    expect(all(found), result.out)
    names = [match.group(2) for match in found]
    equal([name for name in names if name in MACHINE], list(MACHINE))
    problems = sum(match.group(1) == "problem" for match in found)
    equal((result.status, result.err), (1 if problems else 0, ""))
    has(lines[-1], f"gapp does not work here: {problems} problem" if problems else "gapp works here")
    # with a device that answers
    for name in "device", "abi", "session":
        expect(re.search(rf"^ok +{name} ", result.out, re.M), name, result.out)


@test
def doctor_says_what_to_run():
    result = doctor(fake="open=13")
    equal(result.status, 1)
    said = r"you \(user \d+\) may not open /dev/gapp: .*; run: sudo gapp-read doctor" if os.geteuid() else \
        r"root may not open /dev/gapp here: a container is given the device .*; run: (docker|podman) run --device .*"
    expect(re.search(rf"^problem +device +{said}$", result.out, re.M), result.out)
    found = checks(fake="open=2", status=(1,))
    expect(found[None, "device"]["level"] in ("problem", "unknown"), found)
    expect(any(check["level"] == "problem" and check["command"] for check in found.values()), found)


@test
def doctor_tells_whether_the_module_fits():
    found = checks(fake="major=9", status=(1,))
    is_found(found, None, "abi", "problem", "has ABI 9.")
    expect((None, "session") not in found, found)
    is_found(checks(fake="minor=5"), None, "abi", "warning", "knows more")


@test
def doctor_tries_to_set_up_a_session():
    is_found(checks(), None, "session", "ok", "with the default buffers")
    command = "echo 16384 | sudo tee /sys/module/gapp/parameters/mlock_kib"
    for locked, level, text in (6 << 20, "warning", "buffers of 512 KiB"), (1 << 20, "problem", "too low"):
        found = checks(fake=f"locked={locked}")
        is_found(found, None, "session", level, text)
        equal(found[None, "session"]["command"], command)
    is_found(checks(fake="no_locks=1"), None, "kernel locks", "warning", "the reason of their system call")


@test
def doctor_looks_into_programs():
    found = checks("./whole", "./stripped", "./linked", "./elsewhere/link-gone")
    is_found(found, "./whole", "unwind table", "ok", "frame pointers are not needed")
    is_found(found, "./whole", "symbols", "ok", "of its functions have names")
    is_found(found, "./whole", "debug information", "ok", "its source lines are known")
    equal(found["./whole", "debug information"]["text"], "its source lines are known")
    is_found(found, "./stripped", "unwind table", "ok", " rows in ")
    is_found(found, "./stripped", "symbols", "warning", "it is stripped")
    is_found(found, "./stripped", "debug information", "warning", "compile it with -g")
    equal(found["./stripped", "debug information"]["command"], None)
    is_found(found, "./linked", "debug information", "ok", "linked.debug")
    is_found(found, "./linked", "symbols", "ok", "have names")
    is_found(found, "./elsewhere/link-gone", "symbols", "warning", "it is stripped")
    is_found(found, "./elsewhere/link-gone", "debug information", "warning",
             "it names the debug file linked.debug, which is not here")
    equal(found["./elsewhere/link-gone", "debug information"]["command"],
          "export DEBUGINFOD_URLS=https://debuginfod.debian.net")


@test
def doctor_tells_of_code_without_unwind_table():
    found = checks("./bare")
    is_found(found, "./bare", "unwind table", "warning", "no call frame information (.eh_frame)")
    is_found(found, "./bare", "symbols", "ok", "have names")


@test
def doctor_finds_programs_as_a_shell_does():
    env = {"PATH": folder().name + ":" + os.environ["PATH"]}
    found = checks("whole", "script", "text", "nowhere", "./nowhere", env=env, status=(1,))
    is_found(found, "whole", "program", "ok", os.path.join(os.path.realpath(folder().name), "whole"))
    is_found(found, "script", "program", "ok", "it is a script of /bin/sh")
    is_found(found, "script", "unwind table", "ok", " rows in ")
    is_found(found, "text", "unwind table", "problem", "it is no program or library of 64 bits, nor a script")
    is_found(found, "nowhere", "program", "problem", "no folder of PATH has such a program")
    equal(found["nowhere", "program"]["command"], "type -a nowhere")
    is_found(found, "./nowhere", "program", "problem", "there is no such program")
    equal(found["./nowhere", "program"]["command"], "namei -l ./nowhere")
    # the command that ends a line of text, too
    result = doctor("./nowhere", env=env)
    has(result.out, "./nowhere: there is no such program: look where its path ends; run: namei -l ./nowhere\n")


def elf_32(machine):
    """The header of a program of 32 bits, little endian, of that machine; it has no code."""
    return struct.pack("<4s3B9x2H5I6H", b"\x7fELF", 1, 1, 1, 2, machine, 1, 0, 0, 0, 0, 52, 32, 0, 40, 0, 0)


@test
def doctor_warns_of_programs_of_32_bits():
    on_arm = os.uname().machine == "aarch64"
    for name, machine in ("here", 40 if on_arm else 3), ("elsewhere-32", 3 if on_arm else 40):
        path = os.path.join(folder().name, name)
        with open(path, "wb") as file:
            file.write(elf_32(machine))
        os.chmod(path, 0o755)
    before = doctor("--format", "json")
    after = doctor("--format", "json", "./here")
    # gapp works as well as without the program
    equal(after.status, before.status)
    for name in "works", "problems":
        equal(json.loads(after.out)[name], json.loads(before.out)[name])
    found = checks("./here", "./elsewhere-32", status=(1,))
    is_found(found, "./here", "unwind table", "warning",
             "all times are right, but gapp finds no call paths and no system calls there")
    # this machine does not execute it
    is_found(found, "./elsewhere-32", "unwind table", "problem", "it is no program or library of 64 bits of x86-64")
    equal(found["./elsewhere-32", "unwind table"]["command"],
          "readelf -h " + os.path.join(os.path.realpath(folder().name), "elsewhere-32"))


@test
def doctor_says_of_each_problem_what_to_do():
    words = "text", "nowhere", "./nowhere", "./main.c", "-p", "4999999"
    env = {"PATH": folder().name + ":" + os.environ["PATH"]}
    for fake in "open=13", "open=2", "open=5", "open=87", "major=9", "locked=1048576":
        for (subject, check), answer in checks(*words, fake=fake, env=env, status=(1,)).items():
            if answer["level"] == "problem" and subject != "text":
                expect(answer["command"], fake, subject, check, answer["text"])
    for error, command in (5, "sudo dmesg | tail"), (87, "sudo cat /proc/gapp/sessions"):
        found = checks(fake=f"open={error}", status=(1,))
        equal((found[None, "device"]["level"], found[None, "device"]["command"]), ("problem", command))


# In a mount namespace of its own: a reader in /usr/bin, before and after dpkg knows of it.
PACKAGED = """
set -e
mkdir below
mount -t tmpfs none below
cd below
for path in /usr/bin /var/lib/dpkg/info; do
	mkdir -p "upper$path" "work$path"
	mount -t overlay -o "lowerdir=$path,upperdir=$PWD/upper$path,workdir=$PWD/work$path" none "$path"
done
rm -f /var/lib/dpkg/info/gapp.list
cp "$1" /usr/bin/gapp-read
: >"$2"
/usr/bin/gapp-read doctor || :
echo /usr/bin/gapp-read >/var/lib/dpkg/info/gapp.list
/usr/bin/gapp-read doctor || :
"""


@test
def doctor_names_the_package_where_the_reader_is_of_one():
    with tempfile.TemporaryDirectory() as where:
        mounted = os.path.join(where, "mounted")
        result = subprocess.run(["unshare", "-m", "sh", "-c", PACKAGED, "sh", READER, mounted], cwd=where,
                                capture_output=True, text=True, env=environment(""), check=False)
        if not os.path.exists(mounted):
            raise Skip("no mount namespace with overlays")
    equal((result.returncode, result.stderr), (0, ""))
    lines = [line for line in result.stdout.splitlines() if re.match(r"\w+ +installed ", line)]
    equal(len(lines), 2)
    if "no gapp.ko is below" not in lines[0] or "DKMS has" in lines[0] or not os.path.exists("/usr/bin/apt-get"):
        raise Skip("a module is installed here, or there is no apt-get")
    has(lines[0], "make && sudo make install")
    expect("make install" not in lines[1], lines[1])
    has(lines[1], "install it in the folder of both packages; run: ")
    has(lines[1], "sudo apt-get install -y ./gapp-dkms_")


@test
def doctor_looks_for_debug_files_below_symfs():
    with tempfile.TemporaryDirectory() as root:
        beside = os.path.join(root, os.path.realpath(folder().name).lstrip("/"), "elsewhere")
        os.makedirs(beside)
        objcopy(folder().name, "--only-keep-debug", "whole", os.path.join(beside, "linked.debug"))
        # by the CRC that the link has
        objcopy(folder().name, "--strip-all", f"--add-gnu-debuglink={beside}/linked.debug", "whole",
                "elsewhere/of-symfs")
        found = checks("--symfs", root, "./elsewhere/of-symfs")
    is_found(found, "./elsewhere/of-symfs", "debug information", "ok", "linked.debug")


@test
def doctor_looks_at_processes():
    with subprocess.Popen(["sleep", "100"]) as process:
        try:
            # what a shell or Popen has forked has executed sleep by the time it is asked for
            found = checks("-p", f"{process.pid},4999999", status=(1,))
        finally:
            process.kill()
    name = f"process {process.pid}"
    is_found(found, name, "process", "ok", "you may follow it")
    is_found(found, name, "unwind table", "ok", " rows in ")
    is_found(found, name, "libraries", "ok", "libraries have unwind tables")
    is_found(found, "process 4999999", "process", "problem", "there is no such process")
    found = checks("-p", str(os.getpid()), fake="open=2")
    is_found(found, f"process {os.getpid()}", "process", "unknown", "until a session can be set up")


@test
def doctor_knows_a_program_whose_file_is_gone():
    with tempfile.TemporaryDirectory() as where:
        path = os.path.join(where, "sleeper")
        shutil.copy(shutil.which("sleep"), path)
        with subprocess.Popen([path, "100"]) as process:
            try:
                found = [checks("-p", str(process.pid))]
                os.remove(path)
                found.append(checks("-p", str(process.pid)))
                shutil.copy(os.path.join(folder().name, "bare"), path)
                found.append(checks("-p", str(process.pid)))
            finally:
                process.kill()
    name = f"process {process.pid}"
    is_found(found[0], name, "unwind table", "ok", " rows in ")
    for later in found[1:]:
        for check in "unwind table", "symbols", "libraries":
            equal(later.get((name, check)), found[0][name, check])


@test
def json_of_doctor_is_as_its_schema_says():
    printed = doctor("--format", "json", "-q", "-o", "x.json", "-o", "x.txt", "./whole")
    equal(printed.err, "")
    equal(read(os.path.join(folder().name, "x.json")), printed.out)
    has(read(os.path.join(folder().name, "x.txt")), "./whole: its unwind table has ")
    made = json.loads(printed.out)
    equal(made["works"], printed.status == 0)
    equal(made["problems"], sum(check["level"] == "problem" for check in made["checks"]))
    equal(made["warnings"], sum(check["level"] == "warning" for check in made["checks"]))
    if made["pause"]:
        pause = made["pause"]
        expect(abs(pause["ns"] - pause["cycles"] / pause["tsc_mhz"] * 1000) < 0.01, pause)
        expect(pause["hypervisor"] == (pause["exits"] != "none"), pause)
    if not jsonschema:
        raise Skip("no python3-jsonschema")
    schema = json.loads(read(os.path.join(TOP, "docs", "schema", "doctor.schema.json")))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(made)


@test
def doctor_names_libraries_that_are_missing():
    # an empty file stands in for the library
    none = os.path.join(folder().name, "none")
    os.makedirs(none, exist_ok=True)
    for name in [f"libcapstone.so.{major}" for major in range(3, 7)] + ["libdebuginfod.so.1"]:
        with open(os.path.join(none, name), "w", encoding="utf-8"):
            pass
    found = checks(env={"LD_LIBRARY_PATH": none, "DEBUGINFOD_URLS": "http://127.0.0.1:1"})
    is_found(found, None, "libcapstone", "warning", "is missing: threads in busy-wait loops count as active")
    expect(re.fullmatch(r"sudo apt-get install -y libcapstone\d", found[None, "libcapstone"]["command"]), found)
    is_found(found, None, "libdebuginfod", "warning", "no server is asked")
    equal(found[None, "libdebuginfod"]["command"], "sudo apt-get install -y libdebuginfod1")


@test
def doctor_has_options_of_its_own():
    for words, part in (
        (("--by", "place"), "--by has no meaning with doctor: it looks at this machine and at programs"),
        (("-v",), "--verbose has no meaning with doctor"),
        (("-d", "1"), "--duration has no meaning with doctor"),
        (("-a",), "--all has no meaning with doctor"),
        (("--format", "csv"), "doctor prints text and JSON: give -o FILE.txt or FILE.json"),
        (("-o", "x.csv"), "doctor prints text and JSON"),
        (("--", "ls"), "doctor runs no command: give the program without --"),
        (["x"] * 65, "doctor reads 64 files at most"),
    ):
        doctor(*words).is_refusal(2, part)
    # what doctor takes beside others still does not go with recordings
    reader("report", "-p", "1").is_refusal(2, "--pid has no meaning with report")
    reader("script", "-p", "1", "x.data").is_refusal(2, "--pid and a recording exclude each other")

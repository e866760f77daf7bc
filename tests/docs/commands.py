# SPDX-License-Identifier: GPL-2.0
"""Every call of gapp-read in the documents runs, with a stand-in for the device (tests/cli/fake_node.c);
tests/guest/docs.sh runs the same calls with the module. other_commands.py has all other commands."""

import concurrent.futures
import functools
import glob
import os
import re
import shutil
import signal
import stat
import subprocess
import tempfile
import time

from dry import words_of
from exceptions import excuse
from extract import all_commands
from harness import READER, count, equal, expect, options, read, test

PATIENCE = 60  # seconds for what should take one: the machine may be busy
# Programs that the documents make up; each is a script here, and one with a known bottleneck in the guest.
PROGRAMS = ("./prog", "./app", "./server", "./wordcount", "./wordcount-mended", "serial_broadcast",
            "PROGRAM")
# Programs that exist elsewhere.
ELSEWHERE = ("/usr/sbin/nginx", "/usr/bin/ffmpeg")
ACTIONS = ("record", "script", "report", "export", "diff", "merge", "top", "spins", "doctor", "ctl")
READS = ("report", "export", "diff", "merge", "spins", "doctor")


def calls(text):
    """The commands of a line with && between."""
    return [part.strip() for part in re.split(r"&&", text) if part.strip()]


def is_reader(call):
    return bool(re.match(r"(?:sudo )?(?:\./)?gapp-read\s", call))


def is_name(call):
    """Whether it is the name of a command of gapp-read alone."""
    return is_reader(call) and words_of(call)[1:] in [[name] for name in ACTIONS]


def runs_here(call):
    """ctl talks to a reader that records: exceptions.txt says where both run."""
    return is_reader(call) and not is_name(call) and words_of(call)[1] != "ctl"


def reader_calls():
    """Each call of gapp-read in the documents, with where it is."""
    found = {}
    for command in all_commands():
        for call in calls(command.text):
            if runs_here(call):
                found.setdefault(call, f"{command.page}:{command.line}")
    return found


def is_merge(call):
    return words_of(call)[1] == "merge"


def is_target(word):
    return word in ("-p", "-x", "--comm", "-a", "--", "--kthreads") or word.startswith("--pid")


def reads(words):
    """Whether the words of a call name recordings, or other files, instead of something to record."""
    return words[1] in READS or (words[1] == "script" and any(word.endswith(".data") for word in words))


def runnable(call, process, command, program):
    """A call with what is here in place of what the documents make up, and in short: a process, a
    command and the program's file that it may run."""
    call = re.sub(r"^sudo ", "", call).replace("./gapp-read", "gapp-read")
    call = re.sub(r"(?<= -d )\d+", "1", re.sub(r"(?<=--delay )\d+", "0.1", call))
    call = re.sub(r'"\$\(pgrep [^)]*\)"|\bPID\b|\b1234\b', str(process), call)
    for name in PROGRAMS:
        call = re.sub(rf"(?<=-- ){re.escape(name)}(?!\S)", command, call)
    for path in ELSEWHERE:
        call = call.replace(path, program)
    words = words_of(call.split("|")[0])
    if words[1] in ("spins", "doctor"):
        # a program whose code can be read
        return re.sub(r"(?:FILE|PROGRAM)\.\.\.|\./app", os.path.join(os.path.dirname(program), "sleeper"), call)
    if not reads(words) and not any(is_target(word) for word in words):
        call += f" -- {command}"
    return call


def recordings_of(call):
    """Files that a call reads."""
    words = words_of(call.split("|")[0])
    if not reads(words):
        return []
    return [word for word, before in zip(words, ["", *words]) if word.endswith(".data") and before != "-o"]


@functools.cache
def scratch():
    """A folder with a program, a recording made of it, and gapp-read on the PATH."""
    made = tempfile.TemporaryDirectory()
    folder = made.name
    os.mkdir(f"{folder}/bin")
    os.symlink(READER, f"{folder}/bin/gapp-read")
    with open(f"{folder}/prog", "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\nsleep 0.2\n")
    os.chmod(f"{folder}/prog", stat.S_IRWXU)
    shutil.copy(shutil.which("sleep"), f"{folder}/sleeper")
    done = run_in(folder, f"gapp-read --records -o made.data -- {folder}/prog")
    expect(done[0] == 0, done)
    return made


def run_in(folder, call):
    """Runs a call, ended by Ctrl-C when it has begun to record. Returns its status and what it said."""
    log = tempfile.NamedTemporaryFile("r")
    env = {**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}", "LC_ALL": "C.UTF-8",
           "GAPP_FAKE": "threads=2", "GAPP_FAKE_LOG": log.name, "XDG_CACHE_HOME": folder}
    with subprocess.Popen(["bash", "-o", "pipefail", "-c", call], cwd=folder, env=env, start_new_session=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        deadline = time.monotonic() + PATIENCE
        while process.poll() is None and "START" not in log.read():
            expect(time.monotonic() < deadline, call, "never began")
            time.sleep(0.02)
        try:
            out = process.communicate(timeout=PATIENCE if re.search(" -d | -- | spins | doctor", call) else 0.2)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGINT)
            out = process.communicate(timeout=PATIENCE)[0]
    return process.returncode, out.decode(errors="replace")


def fine_statuses(call):
    if re.search(r"\bgapp-read doctor\b", call):
        return 0, 1
    return (0, 3) if "--fail-if" in call else (0,)


def guest_lines():
    """For each command that a guest runs: where it stands, its statuses, and the command."""
    for call, where in reader_calls().items():
        if words_of(call)[1] in ("spins", "doctor", "merge"):
            continue  # spins needs what decodes, which the guest has not; of the others are doctor.sh and merge.sh
        call = runnable(call, "@PROCESS@", "@COMMAND@", "@PROGRAM@").split(" | jq")[0]
        yield where, " ".join(map(str, fine_statuses(call))), call
    for command in all_commands():
        if re.match(r"echo .*tee /sys/", command.text):
            yield f"{command.page}:{command.line}", "0", command.text.replace("sudo ", "")


def try_call(call, where):
    """What is wrong with a call of gapp-read, or None."""
    with tempfile.TemporaryDirectory() as folder:
        common = scratch().name
        os.symlink(f"{common}/bin", f"{folder}/bin")
        for name in {"gapp.data", "gapp.data.old", *recordings_of(call)}:
            if is_merge(call) and not name.startswith("gapp."):
                # of times of their own: recordings of one process at one time are refused
                equal(run_in(folder, f"gapp-read --records -o {name} -- {common}/prog")[0], 0)
            else:
                shutil.copy(f"{common}/made.data", f"{folder}/{name}")
        sleeper = subprocess.Popen([f"{common}/sleeper", "1000"])
        try:
            status, said = run_in(folder, runnable(call, sleeper.pid, f"{common}/prog", f"{common}/prog"))
        finally:
            sleeper.kill()
            sleeper.wait()
    return None if status in fine_statuses(call) else f"{where}: {call}: status {status}, {said[-200:]!r}"


@test
def every_call_of_the_reader_runs():
    found = reader_calls()
    count("run", len(found))
    expect(len(found) > 30, found)
    scratch()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        failures = [why for why in pool.map(lambda item: try_call(*item), found.items()) if why]
    expect(not failures, len(failures), "of", len(found), "calls fail:", *failures)


@test
def options_in_the_documents_are_known():
    known = {"--" + option.name for option in options()} | {"-" + option.letter for option in options() if option.letter}
    failures = []
    for page, at, option in options_named():
        if option not in known and not excuse("option", option):
            failures.append(f"{page}:{at}: {option}")
    expect(not failures, "neither the reader's nor in exceptions.txt:", *failures)


def options_named():
    """Options in prose and in spans that begin with one; commands are checked by running them."""
    from extract import MANUAL, pages, plain

    for page in pages():
        text = re.sub(r"^```.*?^```", lambda block: "\n" * block.group(0).count("\n"), read(page), flags=re.M | re.S)
        for found in re.finditer(r"(?<!`)`([^`]+)`(?!`)", text):
            for option in re.findall(r"(?:^|(?<=[\s\[(|]))--?[A-Za-z][\w-]*", found.group(1)) if found.group(1)[0] == "-" else []:
                yield page, text.count("\n", 0, found.start()) + 1, option
        for found in re.finditer(r"(?<![\w`-])--[a-z][\w-]+", re.sub(r"`[^`]+`", lambda span: "\n" * span.group(0).count("\n"), text)):
            yield page, 0, found.group(0)
    for page in MANUAL:
        for at, line in enumerate(read(page).split("\n"), 1):
            for option in re.findall(r"(?<![\w-])--[a-z][\w-]+", plain(line)):
                yield page, at, option

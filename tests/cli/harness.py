# SPDX-License-Identifier: GPL-2.0
"""Runs the reader with a stand-in for the device (fake_node.c), and prints a line for each test."""

import concurrent.futures
import functools
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILT = os.path.join(TOP, "build", "user", "test")
READER = os.path.join(BUILT, "gapp-read-fake")
PATIENCE = 60  # seconds for what should take none: the machine may be busy

# of the reader, unless it runs as root
CACHE = tempfile.TemporaryDirectory()
# Recordings are kept where gapp-read is started.
FOLDER = tempfile.TemporaryDirectory()
os.chdir(FOLDER.name)

TESTS = []
# Names of the options with which readers ran; a reader that refuses its options runs nothing.
OPTIONS_RUN = set()
REFUSED = 2


def is_sentence(text):
    """How the reports of fake_node.c begin, with a ranking (which stays empty) or without."""
    return text.startswith(("For ", "No single bottleneck: for "))


class Skip(Exception):
    """What a test needs is not here."""


def test(function):
    TESTS.append((function.__name__.replace("_", " "), function))
    return function


def run_one(number):
    """Runs a test: its line, whether it failed, and which options ran."""
    name, function = TESTS[number]
    failed = False
    try:
        function()
        line = "ok - cli: " + name
    except Skip as why:
        line = "skip - cli: %s (%s)" % (name, why)
    except Exception as why:  # whatever it is, the other tests go on
        reason = " ".join(str(why).split()) or type(why).__name__
        line = "not ok - cli: %s (%s)" % (name, reason[:600])
        failed = True
    return line, failed, OPTIONS_RUN


def begin_worker():
    os.chdir(tempfile.mkdtemp(dir=FOLDER.name))
    # a pool's worker would keep them from the readers that tests interrupt
    signal.signal(signal.SIGINT, signal.default_int_handler)


def run_all():
    """Runs the tests, one on each CPU. Each process has a folder of its own."""
    any_failed = False
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count(), multiprocessing.get_context("fork"),
                                                begin_worker) as pool:
        for line, failed, options_run in pool.map(run_one, range(len(TESTS))):
            print(line, flush=True)
            any_failed |= failed
            OPTIONS_RUN.update(options_run)
    return any_failed


def expect(condition, *what):
    if not condition:
        raise AssertionError(" ".join(str(part) for part in what))


def equal(got, expected, *what):
    expect(got == expected, *what, "got", repr(got), "instead of", repr(expected))


def has(text, part):
    expect(part in text, repr(part), "is not in", repr(text))


class Result:
    def __init__(self, status, out, err):
        self.status = status
        self.out = out
        self.err = err

    def is_refusal(self, status, *parts):
        """One line that names all of @parts, nothing else."""
        equal(self.status, status, "status, with", repr(self.err))
        equal(self.out, "", "stdout")
        expect(self.err.startswith("gapp: "), repr(self.err))
        equal(self.err.count("\n"), 1, "lines in", repr(self.err))
        for part in parts:
            has(self.err, part)

    def is_report(self, status=0):
        equal(self.status, status, "status, with", repr(self.err))
        equal(self.err, "", "stderr")
        has(self.out, "Checks       shares + idle")


def environment(fake="", log=None, **more):
    env = {**os.environ, "GAPP_FAKE": fake, "LC_ALL": "C.UTF-8",
           "XDG_CACHE_HOME": CACHE.name, **more}
    for name in ("SUDO_UID", "SUDO_GID", "GAPP_FAKE_LOG", "DEBUGINFOD_URLS"):
        if name not in more:
            env.pop(name, None)
    if log:
        env["GAPP_FAKE_LOG"] = log
    return env


@functools.cache
def options():
    """The reader's table of options: of each its letter, or "", its name and whether it has a value."""
    printed = subprocess.run([os.path.join(BUILT, "print-options")], check=True, capture_output=True, text=True)
    rows = [line.split("\t") for line in printed.stdout.splitlines()]
    return [(letter, name, bool(value)) for letter, name, value, *_ in rows]


def note_options(args, status):
    """Notes the options among a reader's arguments, unless it has refused them."""
    letters = {letter: (name, has_value) for letter, name, has_value in options() if letter}
    if status == REFUSED:
        return
    for arg in args:
        if arg == "--":
            break
        if arg.startswith("--"):
            OPTIONS_RUN.add(arg[2:].split("=")[0])
        elif arg.startswith("-"):
            # letters without a value may stand together; what follows one with a value is the value
            for letter in arg[1:]:
                name, has_value = letters.get(letter, ("", True))
                OPTIONS_RUN.add(name)
                if has_value:
                    break


def end_group(process):
    """Kills a process that was started as a leader, and all it has started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def reader(*args, fake="", log=None, env=None, **more):
    """Runs the reader to its end."""
    with subprocess.Popen(
        [READER, *args],
        env=env or environment(fake, log),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        **more,
    ) as process:
        try:
            out, err = process.communicate(timeout=PATIENCE)
        finally:
            end_group(process)
    note_options(args, process.returncode)
    return Result(process.returncode, out.decode(), err.decode())


def as_json(*args, **more):
    """Runs the reader to its end; the report that it writes is JSON, beside what a command prints."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report.json")
        result = reader("-o", path, *args, **more)
        result.json = read(path) if os.path.exists(path) else ""
    return result


class Running:
    """A reader that is recording."""

    def __init__(self, *args, fake="", **more):
        self.folder = tempfile.TemporaryDirectory()
        self.log = os.path.join(self.folder.name, "log")
        self.args = args
        more.setdefault("stdin", subprocess.DEVNULL)
        more.setdefault("stderr", subprocess.PIPE)
        self.process = subprocess.Popen(
            [READER, *args],
            env=environment(fake, self.log),
            stdout=subprocess.PIPE,
            start_new_session=True,
            **more,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        end_group(self.process)
        self.process.communicate()
        self.folder.cleanup()

    def calls(self):
        return read(self.log) if os.path.exists(self.log) else ""

    def wait_for_call(self, call):
        until(lambda: call in self.calls(), call)

    def signal(self, number):
        self.process.send_signal(number)

    def read_report(self):
        """Text up to the report's last line, which names the kernel's own account."""
        text = ""
        while "kernel's own" not in text:
            line = self.process.stdout.readline().decode()
            expect(line, "no report but", repr(text))
            text += line
        return text

    def end(self):
        out, err = self.process.communicate(timeout=PATIENCE)
        note_options(self.args, self.process.returncode)
        return Result(self.process.returncode, out.decode(), (err or b"").decode())


def until(condition, what):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        expect(time.monotonic() < deadline, "never came:", what)
        time.sleep(0.01)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Sleeper:
    """A process to follow."""

    def __init__(self, seconds=1000):
        self.process = subprocess.Popen(["sleep", str(seconds)])
        self.pid = str(self.process.pid)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        self.process.kill()
        self.process.wait()

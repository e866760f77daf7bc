# SPDX-License-Identifier: GPL-2.0
"""How a recording ends."""

import fcntl
import os
import pty
import resource
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

from harness import (
    PATIENCE, READER, Running, Sleeper, end_group, environment, equal, expect, has,
    is_sentence, read, reader, test, until,
)


@test
def ends_with_its_process():
    with Sleeper() as sleeper, Running("-p", sleeper.pid) as running:
        running.wait_for_call("START")
        expect(running.process.poll() is None)
        sleeper.end()
        running.end().is_report()


@test
def ends_with_the_last_of_its_processes():
    with Sleeper() as one, Sleeper() as other:
        with Running("-p", one.pid + "," + other.pid) as running:
            running.wait_for_call("START")
            one.end()
            time.sleep(0.3)
            expect(running.process.poll() is None, "ended with the first")
            expect("STOP" not in running.calls(), "stopped with the first")
            other.end()
            running.end().is_report()


THREAD = """
import sys, threading
thread = threading.Thread(target=sys.stdin.read)
thread.start()
print(thread.native_id, flush=True)
"""


@test
def follows_the_process_of_a_thread():
    with subprocess.Popen(
        [sys.executable, "-c", THREAD], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        tid = process.stdout.readline().decode().strip()
        expect(tid and tid != str(process.pid), tid)
        with Running("-p", tid) as running:
            running.wait_for_call("START")
            expect(running.process.poll() is None)
            process.stdin.close()
            running.end().is_report()


@test
def more_processes_than_files_may_be_open():
    def few_files():
        resource.setrlimit(resource.RLIMIT_NOFILE, (40, 200))

    sleepers = [Sleeper() for _ in range(60)]
    try:
        pids = ",".join(sleeper.pid for sleeper in sleepers)
        reader("-p", pids, "-d", "0.01", preexec_fn=few_files).is_report()
    finally:
        for sleeper in sleepers:
            sleeper.end()


@test
def ends_after_a_time():
    with Sleeper() as sleeper:
        for seconds in ("0.5", ".5", "5e-1"):
            begin = time.monotonic()
            result = reader("-p", sleeper.pid, "-d", seconds, "--format", "json")
            equal((result.status, result.err), (0, ""))
            expect(0.5 <= time.monotonic() - begin, "too early")
        expect(sleeper.process.poll() is None)


@test
def ends_soon_when_root_ends_a_session_without_records():
    with Sleeper() as sleeper:
        result = reader("--level", "stats", "-p", sleeper.pid, fake="ended=1")
        equal((result.status, result.err),
              (0, "gapp: root has ended the session: the figures are those until then\n"))
        has(result.out, "Checks ")
        expect(sleeper.process.poll() is None)


@test
def ends_by_a_signal():
    for number in (signal.SIGINT, signal.SIGTERM):
        with Sleeper() as sleeper, Running("-p", sleeper.pid) as running:
            running.wait_for_call("START")
            running.signal(number)
            running.end().is_report()
            expect(sleeper.process.poll() is None)


@test
def ends_by_a_signal_that_its_caller_ignores():
    def ignore():
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    with Sleeper() as sleeper, Running("-p", sleeper.pid, preexec_fn=ignore) as running:
        running.wait_for_call("START")
        running.signal(signal.SIGINT)
        running.end().is_report()


@test
def a_signal_in_the_delay_records_nothing():
    with Sleeper() as sleeper, Running("-p", sleeper.pid, "--delay", "1000") as running:
        running.wait_for_call("ADD_TARGET")
        running.signal(signal.SIGTERM)
        running.end().is_refusal(128 + signal.SIGTERM, "before the recording began")


@test
def a_target_that_ends_in_the_delay():
    with Sleeper() as sleeper, Running("-p", sleeper.pid, "--delay", "1000") as running:
        running.wait_for_call("ADD_TARGET")
        sleeper.end()
        running.end().is_refusal(125, "the target ended before the recording began")


@test
def begins_after_the_delay():
    with Sleeper() as sleeper:
        begin = time.monotonic()
        reader("-p", sleeper.pid, "--delay", "0.5", "-d", "0.01").is_report()
        expect(time.monotonic() - begin >= 0.5, "too early")


# Ends when its standard input does, whatever signals come.
STUBBORN = ("--", "sh", "-c", "trap '' INT TERM; cat; exit 5")


@test
def after_a_signal_the_command_is_waited_for():
    for number in (signal.SIGINT, signal.SIGTERM):
        with Running(*STUBBORN, stdin=subprocess.PIPE) as running:
            running.wait_for_call("START")
            running.signal(number)
            running.read_report()
            expect(running.process.poll() is None, "did not wait")
            running.process.stdin.close()
            running.process.stdin = None
            result = running.end()
            equal((result.status, result.out, result.err), (5, "", ""))


@test
def after_its_time_the_command_is_waited_for():
    with Running("-d", "0.1", *STUBBORN, stdin=subprocess.PIPE) as running:
        running.read_report()
        expect(running.process.poll() is None, "did not wait")
        running.process.stdin.close()
        running.process.stdin = None
        equal(running.end().status, 5)


@test
def a_second_signal_ends_the_waiting_only():
    with Running(*STUBBORN, stdin=subprocess.PIPE, pass_fds=()) as running:
        running.wait_for_call("START")
        running.signal(signal.SIGTERM)
        running.read_report()
        running.signal(signal.SIGINT)
        equal(running.process.wait(PATIENCE), 128 + signal.SIGINT)
        # cat still copies
        running.process.stdin.write(b"alive\n")
        running.process.stdin.flush()
        equal(running.process.stdout.readline(), b"alive\n")
        running.process.stdin.close()
        running.process.stdin = None


def blocked_by(pid):
    """Signals that a process does not get now."""
    words = next(line for line in read(f"/proc/{pid}/status").splitlines() if line.startswith("SigBlk:"))
    return {number for number in (signal.SIGINT, signal.SIGTERM) if int(words.split()[1], 16) >> number - 1 & 1}


@test
def signals_come_through_until_the_recording_is_kept():
    """It looks for names, which may take long. Here the reader waits before, for room in a pipe."""
    source, sink = os.pipe()
    os.set_blocking(sink, False)
    try:
        while True:
            os.write(sink, b"x" * 4096)
    except BlockingIOError:
        os.set_blocking(sink, True)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.data")
        process = subprocess.Popen([READER, "-d", "0.1", "-o", path, "--", "sh", "-c", "exec sleep 1000 >/dev/null"],
                                   env=environment(), stdin=subprocess.DEVNULL, stdout=sink,
                                   stderr=subprocess.PIPE, start_new_session=True)
        os.close(sink)
        try:
            until(lambda: read(f"/proc/{process.pid}/syscall").startswith("1 0x1 "), "a report")
            equal(blocked_by(process.pid), set())
            with os.fdopen(source, "rb") as report:
                text = report.read(65536).lstrip(b"x")
                while b"kernel's own" not in text:
                    text += report.read1(65536)
            until(lambda: os.path.exists(path), "the recording")
            until(lambda: blocked_by(process.pid) == {signal.SIGINT, signal.SIGTERM}, "the wait")
            process.send_signal(signal.SIGINT)
            equal(process.wait(PATIENCE), 128 + signal.SIGINT)
        finally:
            end_group(process)
            process.communicate()


class Terminal:
    """A reader on a terminal of its own."""

    def __init__(self, *args, columns=0):
        pid, self.master = pty.fork()
        if not pid:
            size = struct.pack("HHHH", 24, columns, 0, 0)
            fcntl.ioctl(sys.stderr.fileno(), termios.TIOCSWINSZ, size)
            os.execve(READER, [READER, *args], environment())
        self.pid = pid
        self.text = ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.master)
        if self.pid:
            os.killpg(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)

    def read_more(self):
        """False when the terminal's other end is closed."""
        expect(select.select([self.master], [], [], PATIENCE)[0], "no more after", repr(self.text))
        try:
            more = os.read(self.master, 4096).decode()
        except OSError:
            return False
        self.text += more
        return bool(more)

    def read_until(self, part):
        deadline = time.monotonic() + PATIENCE
        while part not in self.text:
            expect(time.monotonic() < deadline, "no", repr(part), "in", repr(self.text))
            expect(self.read_more(), "no", repr(part), "in", repr(self.text))

    def end(self):
        while self.read_more():
            pass
        status = os.waitpid(self.pid, 0)[1]
        self.pid = 0
        return os.waitstatus_to_exitcode(status)


@test
def terminals_interrupt_reaches_the_command_too():
    with Terminal("--", "sh", "-c", "echo ready; exec sleep 1000") as terminal:
        terminal.read_until("ready")
        os.write(terminal.master, b"\x03")
        equal(terminal.end(), 128 + signal.SIGINT)
        has(terminal.text, "kernel's own")


@test
def progress_is_shown_and_erased():
    with Sleeper() as sleeper, Terminal("-p", sleeper.pid) as terminal:
        terminal.read_until(
            " s: 1 of 3 threads active, 0 critical slices, 0 lost; Ctrl-C ends it")
        os.write(terminal.master, b"\x03")
        equal(terminal.end(), 0)
        line, _, rest = terminal.text.rpartition("Ctrl-C ends it")
        expect(len(line) > 10)
        erased = rest.split("\r")
        has(erased, " " * 70)
        expect(is_sentence(erased[erased.index(" " * 70) + 1]), repr(rest[:200]))


@test
def progress_is_narrower_than_the_terminal():
    with Sleeper() as sleeper, Terminal("-p", sleeper.pid, columns=30) as terminal:
        terminal.read_until(" s: 1 of 3 threads active, 0")
        os.write(terminal.master, b"\x03")
        equal(terminal.end(), 0)
        shown = [part for part in terminal.text.split("\r") if "threads active" in part]
        equal(shown[0][1:29], " s: 1 of 3 threads active, 0")
        expect("\r" + " " * 29 + "\r" in terminal.text, repr(terminal.text))


@test
def progress_of_targets_apart_has_no_n():
    with Terminal("-a") as terminal:
        terminal.read_until(" s: 3 threads, 0 critical slices, 0 lost; Ctrl-C ends it")
        os.write(terminal.master, b"\x03")
        equal(terminal.end(), 0)


@test
def progress_is_not_shown_when_quiet_or_beside_a_command():
    with Sleeper() as sleeper, Terminal("-q", "-d", "1.5", "-p", sleeper.pid) as terminal:
        equal(terminal.end(), 0)
        expect("Ctrl-C" not in terminal.text, terminal.text)
    with Terminal("--", "sleep", "1.5") as terminal:
        equal(terminal.end(), 0)
        expect("Ctrl-C" not in terminal.text, terminal.text)


@test
def sleeps_while_it_records():
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with Sleeper() as sleeper:
        reader("-p", sleeper.pid, "-d", "3").is_report()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    expect(used < 1, "used", used, "of 3 s of CPU time")


@test
def reader_that_is_stopped_goes_on():
    with Sleeper() as sleeper, Running("-p", sleeper.pid) as running:
        running.wait_for_call("START")
        running.signal(signal.SIGSTOP)
        running.signal(signal.SIGCONT)
        time.sleep(0.2)
        expect("STOP" not in running.calls())
        sleeper.end()
        running.end().is_report()
        until(lambda: "STOP" in running.calls(), "STOP")

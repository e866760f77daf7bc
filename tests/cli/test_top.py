# SPDX-License-Identifier: GPL-2.0
"""gapp-read top: as plain text, and on a pseudo terminal."""

import errno
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

from harness import (
    READER, Sleeper, end_group, environment, equal, expect, has, note_options, reader, test, until,
)

ENTER, LEAVE = b"\033[?1049h", b"\033[?1049l"
KEYS = "q quit"


class Terminal:
    """A reader with a pseudo terminal of its own."""

    def __init__(self, *args, lines=24, columns=80, fake="", term="xterm", program=(READER, "top")):
        self.master, self.slave = pty.openpty()
        self.resize(lines, columns)
        self.before = termios.tcgetattr(self.slave)
        self.seen = b""
        self.args = args
        self.process = subprocess.Popen(
            [*program, *args], env=environment(fake, TERM=term), start_new_session=True,
            stdin=self.slave, stdout=self.slave, stderr=self.slave,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        end_group(self.process)
        self.process.wait()
        os.close(self.master)
        os.close(self.slave)

    def resize(self, lines, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def read(self):
        while select.select([self.master], [], [], 0)[0]:
            try:
                self.seen += os.read(self.master, 65536)
            except OSError as why:
                expect(why.errno == errno.EIO, why)
                break
        return self.seen

    def frame(self):
        """Lines of what was drawn last, whole, without styles."""
        drawn = self.read().decode(errors="replace").split("\033[H")
        whole = [one for one in drawn[1:] if "\033[J" in one]
        last = whole[-1].split("\033[J")[0] if whole else ""
        return re.sub(r"\033\[[0-9;]*[mK]", "", last).split("\r\n")

    def frames(self):
        return self.read().count(b"\033[H")

    def press(self, key):
        os.write(self.master, key.encode())

    def wait_for(self, part):
        until(lambda: any(part in line for line in self.frame()), part)

    def end(self):
        """Its status, when it has ended; the terminal must be as it was."""
        until(lambda: self.read() is not None and self.process.poll() is not None, "the end")
        self.is_restored()
        note_options(self.args, self.process.returncode)
        return self.process.returncode

    def is_restored(self):
        self.read()
        equal(self.seen.count(ENTER), self.seen.count(LEAVE), "screens entered and left")
        expect(self.seen.rfind(LEAVE) > self.seen.rfind(ENTER), "left at last")
        for on in (b"\033[?25h", b"\033[?7h"):
            expect(on in self.seen[self.seen.rfind(ENTER):], on)
        equal(termios.tcgetattr(self.slave), self.before, "terminal")


@test
def top_prints_a_block_each_interval():
    with Sleeper() as sleeper:
        result = reader("top", "-p", sleeper.pid, "-i", "0.2", "-d", "0.7")
    equal((result.status, result.err), (0, ""))
    expect("\033" not in result.out, repr(result.out))
    expect(3 <= result.out.count("Parallelism") + result.out.count("So far") <= 4, result.out)
    for part in ("Now          1.0 of 2", "So far       1.0 of 2", "worker-0", "Cost "):
        has(result.out, part)


@test
def top_without_records_shows_threads():
    with Sleeper() as sleeper:
        result = reader("top", "-p", sleeper.pid, "-i", "0.2", "-d", "0.3", "--level", "stats")
    equal((result.status, result.err), (0, ""))
    has(result.out, "worker-0")
    expect("Why low" not in result.out, result.out)


@test
def top_returns_the_status_of_the_command():
    result = reader("top", "-i", "0.1", "--", "sh", "-c", "sleep 0.3; exit 7")
    equal((result.status, result.err), (7, ""))
    has(result.out, "So far")


@test
def top_shows_names_without_what_a_terminal_obeys():
    with Sleeper() as sleeper:
        result = reader("top", "-p", sleeper.pid, "-d", "0.1", fake="threads=8 hostile=1")
    equal(result.status, 0)
    expect("\033" not in result.out and "\x9b" not in result.out, repr(result.out))
    has(result.out, "a\\x1b[31mred")


@test
def top_refuses_what_has_no_meaning():
    for words, parts in (
        (("-o", "x.json", "-p", "1"), ("--output has no meaning with top",)),
        (("--tree", "-p", "1"), ("--tree has no meaning with top",)),
        (("-i", "0.01", "-p", "1"), ("-i: '0.01' is not", "at least 0.1")),
        (("gapp.data",), ("unexpected 'gapp.data'",)),
        ((), ("nothing to record",)),
    ):
        reader("top", *words).is_refusal(2, *parts)
    reader("-i", "1", "-p", "1").is_refusal(2, "--interval has no meaning with record")


@test
def top_on_a_terminal_quits_by_key():
    with Sleeper() as sleeper, Terminal("-p", sleeper.pid, "-i", "0.1") as terminal:
        terminal.wait_for("worker-0")
        frame = terminal.frame()
        equal(len(frame), 24, "lines")
        has(frame[-1], KEYS)
        expect(all(len(line) <= 80 for line in frame), frame)
        expect(termios.tcgetattr(terminal.slave) != terminal.before, "keys come one by one")
        terminal.press("q")
        equal(terminal.end(), 0)
        has(terminal.seen[terminal.seen.rfind(LEAVE):].decode(), "So far")


def blocked_signals(pid):
    with open(f"/proc/{pid}/status") as file:
        mask = next(int(line.split()[1], 16) for line in file if line.startswith("SigBlk:"))
    return {number for number in signal.valid_signals() if mask >> (number - 1) & 1}


@test
def top_can_be_stopped_while_it_waits_for_the_command():
    with Terminal("-i", "0.1", "--", "sleep", "60") as terminal:
        terminal.wait_for("worker-0")
        expect(signal.SIGTSTP in blocked_signals(terminal.process.pid), "while it has the screen")
        terminal.press("q")
        until(lambda: terminal.read().count(LEAVE) and b"So far" in terminal.seen[terminal.seen.rfind(LEAVE):],
              "the last block")
        until(lambda: not blocked_signals(terminal.process.pid) & {
            signal.SIGTSTP, signal.SIGCONT, signal.SIGHUP, signal.SIGQUIT, signal.SIGWINCH}, "signals")


@test
def top_ends_when_nobody_reads_it():
    with Sleeper() as sleeper:
        done = subprocess.run(["sh", "-c", '"$@" | head -n 1', "sh", READER, "top", "-p", str(sleeper.pid),
                               "-i", "0.1", "-d", "60"],
                              env=environment(""), capture_output=True, timeout=30, check=False)
        equal(done.returncode, 0)


@test
def top_takes_the_size_of_the_terminal():
    with Sleeper() as sleeper, Terminal("-p", sleeper.pid, "-i", "30", "-d", "30") as terminal:
        terminal.wait_for(KEYS)
        terminal.resize(12, 60)
        until(lambda: len(terminal.frame()) == 12, "12 lines")
        terminal.resize(40, 120)
        until(lambda: len(terminal.frame()) == 40, "40 lines")
        terminal.resize(2, 10)
        until(lambda: len(terminal.frame()) == 2, "2 lines")
        terminal.press("q")
        equal(terminal.end(), 0)


@test
def top_pauses_sorts_and_helps_by_key():
    with Sleeper() as sleeper, Terminal("-p", sleeper.pid, "-i", "0.1") as terminal:
        terminal.wait_for("worker-0")
        for order in ("places now", "threads so far", "threads now", "places so far"):
            terminal.press("s")
            terminal.wait_for("sort: " + order)
        terminal.press("p")
        terminal.wait_for("PAUSED")
        time.sleep(0.1)
        frame = terminal.frame()
        time.sleep(0.5)
        equal(terminal.frame(), frame, "while it is paused")
        terminal.press("p")
        until(lambda: terminal.frame() != frame and "PAUSED" not in terminal.frame()[-1], "it goes on")
        terminal.press("h")
        terminal.wait_for("pause: the screen stays")
        terminal.press("h")
        terminal.wait_for("worker-0")
        terminal.press("q")
        equal(terminal.end(), 0)


@test
def top_restores_the_terminal_after_signals():
    for number, status in ((signal.SIGINT, 0), (signal.SIGTERM, 0), (signal.SIGHUP, 0),
                           (signal.SIGQUIT, 0), (signal.SIGABRT, -signal.SIGABRT)):
        with Sleeper() as sleeper, Terminal("-p", sleeper.pid, "-i", "0.1") as terminal:
            terminal.wait_for("worker-0")
            terminal.process.send_signal(number)
            equal(terminal.end(), status, number)


@test
def top_gives_the_terminal_back_while_it_is_stopped():
    with Sleeper() as sleeper, Terminal("-p", sleeper.pid, "-i", "0.1") as terminal:
        terminal.wait_for("worker-0")
        pid = terminal.process.pid
        terminal.process.send_signal(signal.SIGTSTP)
        equal(os.WIFSTOPPED(os.waitpid(pid, os.WUNTRACED)[1]), True)
        terminal.is_restored()
        terminal.process.send_signal(signal.SIGCONT)
        until(lambda: terminal.read().count(ENTER) > 1, "the screen again")
        frames = terminal.frames()
        until(lambda: terminal.frames() > frames + 2, "it goes on")
        terminal.press("q")
        equal(terminal.end(), 0)


@test
def top_tells_complaints_after_the_screen():
    with Sleeper() as sleeper, Terminal("-p", sleeper.pid, "-i", "0.2", fake="STOP=5") as terminal:
        terminal.wait_for("worker-0")
        terminal.press("q")
        equal(terminal.end(), 125)
        rest = terminal.seen[terminal.seen.rfind(LEAVE):].decode()
        has(rest, "gapp: ")


@test
def what_a_command_writes_does_not_spoil_the_screen():
    script = "while :; do echo spoilt; echo spoilt >&2; sleep 0.05; done"
    with Terminal("-i", "0.1", "-d", "0.6", "--", "timeout", "3", "sh", "-c", script) as terminal:
        terminal.wait_for("worker-0")
        equal(terminal.end(), 124)
        expect(b"\r\nspoilt" not in terminal.seen, terminal.seen)


@test
def top_on_a_terminal_that_cannot_be_drawn_on_is_plain():
    with Sleeper() as sleeper, Terminal("-p", sleeper.pid, "-i", "0.1", "-d", "0.3", term="dumb") as terminal:
        until(lambda: terminal.read() is not None and terminal.process.poll() is not None, "the end")
        equal(terminal.process.returncode, 0)
        expect(b"\033" not in terminal.seen, terminal.seen)
        has(terminal.seen.decode(), "So far")

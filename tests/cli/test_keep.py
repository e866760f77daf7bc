# SPDX-License-Identifier: GPL-2.0
"""gapp-read record --keep: dumps of the last seconds; gapp-read ctl."""

import fcntl
import json
import os
import signal
import socket
import stat
import subprocess
import tempfile
import time

from harness import TOP, Running, Sleeper, environment, equal, expect, has, read, reader, test, until

KEEP = ("--keep", "1s", "-o", "x.data")


class Folder:
    """A folder for sockets and recordings, where readers are started."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.name = self.folder.name
        self.sockets = os.path.join(self.name, "gapp")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def path(self, name):
        return os.path.join(self.name, name)

    def wait_for_file(self, name):
        until(lambda: os.path.exists(self.path(name)), name)

    def ctl(self, *words):
        return reader("ctl", *words, cwd=self.name, env=environment(GAPP_CTL_DIR=self.sockets))


class Recording(Running):
    """A reader that keeps the last seconds."""

    def __init__(self, folder, *args, fake=""):
        # harness.environment() hands it on
        os.environ["GAPP_CTL_DIR"] = folder.sockets
        super().__init__(*args, fake=fake, cwd=folder.name)
        self.where = os.path.join(folder.sockets, str(self.process.pid))
        self.pid = str(self.process.pid)

    def wait_for_socket(self):
        until(lambda: os.path.exists(self.where), "the socket")
        self.wait_for_call("START")


def window(folder, name):
    """Of a recording's file, as JSON has it, and the whole of that."""
    result = reader("report", "--format", "json", name, cwd=folder.name)
    equal((result.status, result.err), (0, ""))
    whole = json.loads(result.out)
    return whole["window"], whole


@test
def signal_makes_a_dump_and_the_recording_goes_on():
    with Folder() as folder, Sleeper() as sleeper:
        with Recording(folder, *KEEP, "-p", sleeper.pid) as running:
            running.wait_for_socket()
            for number in 1, 2:
                running.signal(signal.SIGUSR2)
                folder.wait_for_file(f"x.data.{number}")
            running.signal(signal.SIGINT)
            result = running.end()
        equal(result.status, 0, result.err)
        equal(result.err, "gapp: dump 1: x.data.1\ngapp: dump 2: x.data.2\n")
        equal(result.out.count("Checks       shares + idle"), 3)
        has(result.out, "; dump 1: SIGUSR2")
        for number, name in enumerate(("x.data.1", "x.data.2", "x.data")):
            one, whole = window(folder, name)
            equal(one["dump"], (number + 1) % 3)
            equal(one["cause"], "SIGUSR2" if number < 2 else None)
            expect(abs(one["end_s"] - one["begin_s"] - whole["wall_s"]) < 1e-6, one, whole["wall_s"])
            equal(whole["n_recount_ok"], None if number < 2 else True)
            has(reader("report", name, cwd=folder.name).out, "Window       from")
        expect(not os.path.exists(running.where), "the socket is removed")


@test
def window_is_as_long_as_asked_for():
    with Folder() as folder, Sleeper() as sleeper:
        with Recording(folder, *KEEP, "-d", "2.5", "-p", sleeper.pid) as running:
            result = running.end()
        equal((result.status, result.err), (0, ""))
        one, whole = window(folder, "x.data")
        expect(one["end_s"] >= 2.5, one)
        # a busy machine reads figures late
        expect(1 <= whole["wall_s"] < 2, whole["wall_s"])
        expect(not one["full"], one)
        # a half of it is critical by the stand-in's figures, of which its threads have none
        equal(whole["unattributed_s"]["lost"], 0)


@test
def condition_makes_a_dump():
    with Folder() as folder, Sleeper() as sleeper:
        # the stand-in has an S of 0
        with Recording(folder, *KEEP, "--when", "parallelism < 2 for 100ms", "-p", sleeper.pid) as running:
            folder.wait_for_file("x.data.1")
            running.signal(signal.SIGINT)
            result = running.end()
        equal(result.status, 0, result.err)
        has(result.out, "; dump 1: parallelism < 2 for 100ms")
        equal(window(folder, "x.data.1")[0]["cause"], "parallelism < 2 for 100ms")
        # it has not failed since
        expect(not os.path.exists(folder.path("x.data.2")), os.listdir(folder.name))


@test
def condition_that_does_not_hold_makes_none():
    with Folder() as folder, Sleeper() as sleeper:
        with Recording(folder, *KEEP, "--when", "idle > 99% for 50ms", "-d", "0.7", "-p", sleeper.pid) as running:
            result = running.end()
        equal((result.status, result.err), (0, ""))
        expect(not os.path.exists(folder.path("x.data.1")), os.listdir(folder.name))


@test
def ctl_tells_a_recording_what_to_do():
    with Folder() as folder, Sleeper() as sleeper:
        with Recording(folder, *KEEP, "-p", sleeper.pid) as running:
            running.wait_for_socket()
            equal(stat.S_IMODE(os.stat(folder.sockets).st_mode), 0o700)
            equal(stat.S_IMODE(os.stat(running.where).st_mode), 0o600)
            result = folder.ctl("status")
            equal((result.status, result.err), (0, ""))
            for part in (f"process   {running.pid}\n", "state     records for ", "keeps     the last 1.0 s: ",
                         "of at most 64.0 MiB\n", "dumps     0"):
                has(result.out, part)
            result = folder.ctl("dump", running.pid)
            equal((result.status, result.err), (0, ""))
            equal(result.out, os.path.realpath(folder.path("x.data.1")) + "\n")
            window(folder, "x.data.1")
            has(folder.ctl("status").out, "dumps     1, the last file x.data.1, ")
            folder.ctl("start").is_refusal(125, "gapp-read refuses: it records already")
            result = folder.ctl("stop")
            equal((result.status, result.err), (0, ""))
            equal(result.out, os.path.realpath(folder.path("x.data")) + "\n")
            equal(running.end().status, 0)


@test
def ctl_starts_a_recording_that_waits():
    with Folder() as folder, Sleeper() as sleeper:
        with Recording(folder, "--wait-for-ctl", "-o", "x.data", "-p", sleeper.pid) as running:
            until(lambda: os.path.exists(running.where), "the socket")
            has(folder.ctl("status").out, "waits for `gapp-read ctl start`")
            folder.ctl("stop").is_refusal(125, "it does not record yet")
            expect("START" not in running.calls(), running.calls())
            result = folder.ctl("start")
            equal((result.status, result.out, result.err), (0, "it records\n", ""))
            has(running.calls(), "START")
            folder.ctl("dump").is_refusal(125, "it keeps no last seconds: start it with --keep")
            equal(folder.ctl("stop").status, 0)
            running.end().is_report()


@test
def several_recordings_are_told_apart():
    with Folder() as folder, Sleeper() as sleeper:
        with Recording(folder, *KEEP, "-p", sleeper.pid) as one, \
                Recording(folder, "--keep", "1s", "--no-save", "-p", sleeper.pid) as other:
            one.wait_for_socket()
            other.wait_for_socket()
            folder.ctl("status").is_refusal(125, "several gapp-read", one.pid, other.pid)
            has(folder.ctl("status", other.pid).out, f"process   {other.pid}\n")
            result = folder.ctl("dump", other.pid)
            equal((result.status, result.out, result.err), (0, "", ""))
            equal(sorted(os.listdir(folder.name)), ["gapp"])


@test
def socket_can_be_named():
    with Folder() as folder, Sleeper() as sleeper:
        path = folder.path("by-name")
        with Recording(folder, *KEEP, "-s", path, "-p", sleeper.pid) as running:
            until(lambda: os.path.exists(path), "the socket")
            running.wait_for_call("START")
            equal(stat.S_IMODE(os.stat(path).st_mode), 0o600)
            has(folder.ctl("status", "--socket", "by-name").out, "state     records")
            reader("-s", path, *KEEP, "-p", sleeper.pid, cwd=folder.name).is_refusal(125, "another gapp-read listens")
            equal(folder.ctl("stop", "-s", path).status, 0)
            equal(running.end().status, 0)
        expect(not os.path.exists(path), "it is removed")


@test
def stale_sockets_are_removed():
    with Folder() as folder, Sleeper() as sleeper:
        with Recording(folder, *KEEP, "-p", sleeper.pid) as running:
            running.wait_for_socket()
            running.process.kill()
        expect(os.path.exists(running.where), "it was left behind")
        folder.ctl("status", running.pid).is_refusal(125, "no gapp-read listens at", "has it ended?")
        folder.ctl("status").is_refusal(125, "can be told anything: start one with --keep")
        expect(not os.path.exists(running.where), "it is removed")
        path = folder.path("by-name")
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as left:
            left.bind(path)
        with Recording(folder, *KEEP, "-s", path, "-d", "0.2", "-p", sleeper.pid) as running:
            equal(running.end().status, 0)


@test
def other_files_are_not_taken_for_sockets():
    with Folder() as folder:
        path = folder.path("file")
        with open(path, "w", encoding="ascii") as file:
            file.write("mine")
        reader("-s", path, *KEEP, "-p", "1", cwd=folder.name).is_refusal(125, "cannot make the socket", "there is such a file")
        equal(read(path), "mine")
        reader("-s", folder.path("none/x"), *KEEP, "-p", "1").is_refusal(125, "No such file or directory")


@test
def folder_must_be_the_users_own():
    with Folder() as folder, Sleeper() as sleeper:
        os.mkdir(folder.sockets, 0o755)
        os.chmod(folder.sockets, 0o755)
        with Recording(folder, *KEEP, "-p", sleeper.pid) as running:
            running.end().is_refusal(125, "it is not yours alone (chmod 700)")
        folder.ctl("status").is_refusal(125, "it is not yours alone")
        os.rmdir(folder.sockets)
        os.symlink("/tmp", folder.sockets)
        with Recording(folder, *KEEP, "-p", sleeper.pid) as running:
            equal(running.end().status, 125)


@test
def requests_that_make_no_sense_are_refused():
    with Folder() as folder, Sleeper() as sleeper:
        with Recording(folder, *KEEP, "-p", sleeper.pid) as running:
            running.wait_for_socket()
            idle = []
            for word in b"x", b"status\0more", b"", b"s" * 4000:
                with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as one:
                    one.connect(running.where)
                    one.send(word)
                    if word and not word.startswith(b"status"):
                        has(one.recv(4096).decode(), "-it does not know this request")
            # more who say nothing than it takes at a time
            for _ in range(16):
                idle.append(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET))
                idle[-1].connect(running.where)
            waits = subprocess.Popen([*running.process.args[:1], "ctl", "status"], stdout=subprocess.PIPE,
                                     env=environment(GAPP_CTL_DIR=folder.sockets))
            for one in idle:
                one.close()
            has(waits.communicate(timeout=60)[0].decode(), "state     records")
            running.signal(signal.SIGINT)
            equal(running.end().status, 0)


@test
def records_of_a_window_are_those_of_its_time():
    with Folder() as folder, Sleeper() as sleeper:
        # a thread spins in the first milliseconds, and not in the window
        with Recording(folder, *KEEP, "-d", "0.3", "-p", sleeper.pid, fake="spin=1") as running:
            equal(running.end().status, 0)
        expect(window(folder, "x.data")[1]["places"], "the window is all of the recording")
        with Recording(folder, "--keep", "1s", "-o", "y.data", "-d", "2.3", "-p", sleeper.pid, fake="spin=1") as running:
            equal(running.end().status, 0)
        equal(window(folder, "y.data")[1]["places"], [])


@test
def sections_of_a_window_are_those_of_its_time():
    with Folder() as folder, Sleeper() as sleeper:
        with Recording(folder, *KEEP, "-d", "2.3", "-p", sleeper.pid, fake="threads=3 sections=2") as running:
            running.wait_for_socket()
            # the last mark is 6 ms after START
            time.sleep(0.1)
            running.signal(signal.SIGUSR2)
            result = running.end()
        equal((result.status, result.err), (0, "gapp: dump 1: x.data.1\n"))
        begins = {row["name"]: row["begins"] for row in window(folder, "x.data.1")[1]["sections"]}
        equal(begins, {"so\x1blve": 1, "rest": 1, "main loop": 1})
        equal(window(folder, "x.data.1")[1]["sections_unpaired"], 1)
        one, whole = window(folder, "x.data")
        row, = whole["sections"]
        equal((row["name"], row["begins"], row["active_average"]), ("main loop", 0, None))
        expect(abs(row["time_s"] - whole["wall_s"]) < 1e-6, row, whole["wall_s"])
        equal(whole["sections_unpaired"], 0)
        has(reader("report", "--view", "sections", "x.data", cwd=folder.name).out, "  main loop\n")


@test
def outputs_of_a_windows_file():
    with Folder() as folder, Sleeper() as sleeper:
        with Recording(folder, *KEEP, "-o", "x.html", "-d", "1.5", "-p", sleeper.pid, fake="threads=3 sections=1") as running:
            running.wait_for_socket()
            running.signal(signal.SIGUSR2)
            equal(running.end().status, 0)
        has(read(folder.path("x.html")), "<html")
        for action in "report", "export":
            result = reader(action, "x.data.1", "-o", "y.html", "-o", "y.json", "-o", "y.folded", cwd=folder.name)
            equal((result.status, result.err), (0, ""))
            has(read(folder.path("y.html")), "<html")
        for name in "y.pftrace", "y.cores.csv", "y.trace.json":
            reader("export", "x.data.1", "-o", name, cwd=folder.name).is_refusal(125, "sums of the last seconds (--keep)")
            expect(not os.path.exists(folder.path(name)), name)
        reader("merge", "x.data.1", "x.data.1", "-o", "m.data", cwd=folder.name).is_refusal(
            125, "some seconds of a recording (--keep)")


@test
def a_dump_in_the_making_delays_that_of_a_condition():
    with Folder() as folder, Sleeper() as sleeper:
        # the condition's dump would be asked for after half a second, and SIGUSR2's is not made then
        with Recording(folder, *KEEP, "--when", "parallelism < 2 for 100ms", "-p", sleeper.pid) as running:
            running.wait_for_socket()
            time.sleep(0.35)
            running.signal(signal.SIGUSR2)
            for number in 1, 2:
                folder.wait_for_file(f"x.data.{number}")
            running.signal(signal.SIGINT)
            equal(running.end().status, 0)
        causes = {window(folder, f"x.data.{number}")[0]["cause"] for number in (1, 2)}
        equal(causes, {"SIGUSR2", "parallelism < 2 for 100ms"})


@test
def a_dump_that_cannot_be_written_is_told_and_the_recording_goes_on():
    with Folder() as folder, Sleeper() as sleeper:
        with Recording(folder, *KEEP, "-p", sleeper.pid) as running:
            running.wait_for_socket()
            os.makedirs(folder.path("x.data.1/full"))
            folder.ctl("dump").is_refusal(125, "the file could not be written")
            result = folder.ctl("dump")
            equal((result.status, result.out), (0, os.path.realpath(folder.path("x.data.2")) + "\n"))
            running.signal(signal.SIGINT)
            result = running.end()
        equal(result.status, 0)
        has(result.err, "cannot write the recording to x.data.1: ")
        # nothing is left of it
        equal(sorted(os.listdir(folder.name)), ["gapp", "x.data", "x.data.1", "x.data.2"])


@test
def a_dump_that_is_not_made_yet_is_the_end():
    with Folder() as folder, Sleeper() as sleeper:
        with Recording(folder, *KEEP, "-p", sleeper.pid) as running:
            running.wait_for_socket()
            waits = subprocess.Popen([*running.process.args[:1], "ctl", "dump"], stdout=subprocess.PIPE,
                                     env=environment(GAPP_CTL_DIR=folder.sockets))
            until(lambda: "one is being made" in folder.ctl("status").out or waits.poll() is not None, "the request")
            equal(folder.ctl("stop").out, os.path.realpath(folder.path("x.data")) + "\n")
            out = waits.communicate(timeout=60)[0].decode()
            equal((waits.returncode, running.end().status), (0, 0))
        # a slow machine has made it
        expect(out.rstrip("\n") in [os.path.realpath(folder.path(name)) for name in ("x.data", "x.data.1")], out)


@test
def start_is_told_once_and_only_where_it_is_waited_for():
    with Folder() as folder, Sleeper() as sleeper:
        with Recording(folder, *KEEP, "--delay", "60", "-p", sleeper.pid) as running:
            until(lambda: os.path.exists(running.where), "the socket")
            folder.ctl("start").is_refusal(125, "it begins by itself, after --delay")
            running.signal(signal.SIGINT)
            running.end().is_refusal(130, "ended before the recording began")
        with Recording(folder, "--wait-for-ctl", "--delay", "1", "--no-save", "-p", sleeper.pid) as running:
            until(lambda: os.path.exists(running.where), "the socket")
            asking = [subprocess.Popen([*running.process.args[:1], "ctl", "start"], stdout=subprocess.PIPE,
                                       env=environment(GAPP_CTL_DIR=folder.sockets)) for _ in range(3)]
            for one in asking:
                out = one.communicate(timeout=60)[0]
                expect((one.returncode, out) == (0, b"it records\n") or one.returncode == 125, one.returncode, out)
            expect(any(one.returncode == 0 for one in asking))
            equal(folder.ctl("stop").status, 0)
            equal(running.end().status, 0)


@test
def nobody_can_hold_a_recording_up_by_the_folders_lock():
    with Folder() as folder, Sleeper() as sleeper:
        path = folder.path("by-name")
        held = os.open(folder.name, os.O_RDONLY)
        fcntl.flock(held, fcntl.LOCK_EX)
        with Recording(folder, "--keep", "1s", "--no-save", "-s", path, "-d", "0.1", "-p", sleeper.pid) as running:
            equal(running.end().status, 0)
        os.close(held)
        expect(not os.path.exists(path), "it is removed")


@test
def answers_are_for_terminals():
    with Folder() as folder:
        path = folder.path("evil")
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
            listener.bind(path)
            listener.listen()
            asks = subprocess.Popen([os.path.join(TOP, "gapp-read"), "ctl", "status", "-s", path], stdout=subprocess.PIPE)
            one, _ = listener.accept()
            equal(one.recv(100), b"status")
            one.send(b"+a\x1b[2Jb\n\nc\x7f\xc2\x9b")
            equal(asks.communicate(timeout=60)[0], rb"a\x1b[2Jb" + b"\n\n" + rb"c\x7f\xc2\x9b" + b"\n")
            one.close()

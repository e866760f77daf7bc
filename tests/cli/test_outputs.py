# SPDX-License-Identifier: GPL-2.0
"""-o, and what goes to standard output: files that are complete or not there at all."""

import json
import os
import pty
import select
import signal
import stat
import subprocess
import tempfile

from harness import READER, Running, Skip, Sleeper, environment, equal, expect, has, is_sentence, read, reader
from harness import test, until


def leftovers(folder, *known):
    return sorted(set(os.listdir(folder)) - set(known))


@test
def files_have_what_their_suffixes_say():
    with tempfile.TemporaryDirectory() as folder:
        one, two, three = (os.path.join(folder, name) for name in ("a.json", "b.txt", "c.json"))
        result = reader("-o", one, "--output=" + two, "-o" + three, "--", "echo", "said")
        equal((result.status, result.err), (0, ""))
        expect(is_sentence(result.out.removeprefix("said\n")), result.out)
        equal(json.loads(read(one))["command"], ["echo", "said"])
        equal(read(one), read(three))
        equal(read(two), result.out[len("said\n"):])
        equal(leftovers(folder, "a.json", "b.txt", "c.json"), [])


@test
def json_and_a_command_do_not_mix():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.json")
        result = reader("--format", "json", "-o", path, "--", "echo", "said")
        equal((result.status, result.out, result.err), (0, "said\n", ""))
        equal(json.loads(read(path))["command"], ["echo", "said"])
        with Sleeper() as sleeper:
            words = ("-p", sleeper.pid, "-d", "0.01", "--format", "json", "-o", path + ".txt")
            result = reader(*words)
        expect(json.loads(result.out)["command"] is None)
        has(read(path + ".txt"), "Checks ")


@test
def outputs_have_modes_and_replace_what_was_there():
    with tempfile.TemporaryDirectory() as folder:
        new, old, link, there = (os.path.join(folder, name)
                                 for name in ("new.txt", "old.txt", "link.txt", "there.txt"))
        for path in (old, there):
            with open(path, "w", encoding="utf-8") as file:
                file.write("former")
        os.chmod(old, 0o600)
        os.symlink("there.txt", link)
        words = [word for path in (new, old, link) for word in ("-o", path)]
        result = reader(*words, "--", "true", preexec_fn=lambda: os.umask(0o27))
        equal((result.status, result.err), (0, ""))
        equal([stat.S_IMODE(os.stat(path).st_mode) for path in (new, old)], [0o640, 0o600])
        expect(os.path.islink(link), "the link was replaced")
        equal({read(path) for path in (new, old, there)}, {result.out})


@test
def paths_that_cannot_be_written_are_told_before_the_command_runs():
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "folder.json"))
        mark = os.path.join(folder, "mark")
        for name, why in (("none/a.json", "No such file or directory"),
                          ("folder.json", "Is a directory")):
            result = reader("-o", os.path.join(folder, "good.txt"), "-o",
                            os.path.join(folder, name), "--", "touch", mark)
            result.is_refusal(125, "cannot write ", name + ": " + why)
        equal(leftovers(folder, "folder.json"), [])


@test
def outputs_stay_as_they_were_if_nothing_is_recorded():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write("former")
        for words, fake, status in ((("no-such-command",), "", 127), (("true",), "START=12", 125)):
            result = reader("-o", path, "--", *words, fake=fake)
            equal(result.status, status, result.err)
            equal(read(path), "former")
            equal(leftovers(folder, "a.json"), [])


def full_disk():
    """A folder with hardly any room; None: this user cannot have one."""
    if os.geteuid():
        return None
    folder = tempfile.mkdtemp()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4k", "none", folder]
    return folder if not subprocess.run(mount, capture_output=True, check=False).returncode else None


@test
def a_full_disk_is_an_error_and_leaves_nothing():
    result = reader("-o", "/dev/full", "--", "sh", "-c", "exit 3", fake="threads=3000")
    equal(result.status, 125)
    equal(result.err, "gapp: cannot write /dev/full: No space left on device\n")
    has(result.out, "Checks ")
    folder = full_disk()
    if not folder:
        return
    try:
        path = os.path.join(folder, "a.json")
        with tempfile.TemporaryDirectory() as other:
            later = os.path.join(other, "b.json")
            result = reader("-o", path, "-o", later, "--", "true", fake="threads=3000")
            equal((result.status, result.err),
                  (125, "gapp: cannot write %s: No space left on device\n" % path))
            equal(len(json.loads(read(later))["threads"]), 3000)
        equal(leftovers(folder), [])
    finally:
        subprocess.run(["umount", folder], check=True)
        os.rmdir(folder)


@test
def devices_and_pipes_are_written_in_place():
    for word in ("/dev/null", "/dev/stderr"):
        result = reader("-o", word, "--", "true")
        equal(result.status, 0, result.err)
        equal(result.err, "" if word == "/dev/null" else result.out)
    expect(stat.S_ISCHR(os.stat("/dev/null").st_mode))
    # as the shell passes one: no suffix, so it has the format of --format
    read_end, write_end = os.pipe()
    with os.fdopen(read_end) as file:
        result = reader("--format", "json", "-o", "/dev/fd/%d" % write_end, "--", "echo", "said",
                        pass_fds=[write_end])
        os.close(write_end)
        equal((result.status, result.out, result.err), (0, "said\n", ""))
        equal(json.loads(file.read())["command"], ["echo", "said"])
    with tempfile.TemporaryDirectory() as folder:
        pipe = os.path.join(folder, "pipe.json")
        os.mkfifo(pipe)
        with Running("-o", pipe, "--", "true") as running:
            equal(json.loads(read(pipe))["command"], ["true"])
            running.end().is_report()
        equal(leftovers(folder, "pipe.json"), [])
        # what stdout is redirected to is not replaced: the report goes to its end
        path = os.path.join(folder, "out.txt")
        with open(path, "w", encoding="utf-8") as file:
            subprocess.run([READER, "-o", "/dev/stdout", "--", "echo", "said"], stdout=file,
                           env=environment(), check=True)
        text = read(path)
        equal((text.count("said\n"), text.count("Checks ")), (1, 2))


@test
def a_pipe_that_nobody_reads_leaves_nothing():
    """gapp-read waits for a reader, and Ctrl-C ends it."""
    with tempfile.TemporaryDirectory() as folder:
        pipe = os.path.join(folder, "pipe.json")
        os.mkfifo(pipe)
        with Running("-o", os.path.join(folder, "a.json"), "-o", pipe, "--", "true") as running:
            stat_file = "/proc/%d/stat" % running.process.pid
            until(lambda: read(stat_file).rsplit(")", 1)[1].split()[0] == "S", "waits")
            equal(leftovers(folder, "pipe.json"), [])
            running.signal(signal.SIGINT)
            equal(running.end().status, -signal.SIGINT)
        equal(leftovers(folder, "pipe.json"), [])


@test
def files_belong_to_who_called_sudo():
    if os.geteuid():
        raise Skip("only root can give files away")
    with tempfile.TemporaryDirectory() as folder, Sleeper() as sleeper:
        paths = [os.path.join(folder, name) for name in ("new.json", "there.txt")]
        with open(paths[1], "w", encoding="utf-8"):
            pass
        words = ("-p", sleeper.pid, "-d", "0.01", "-o", paths[0], "-o", paths[1])
        env = environment(SUDO_UID="54321", SUDO_GID="54322")
        equal(reader(*words, env=env).status, 0)
        for path in paths:
            status = os.stat(path)
            equal((status.st_uid, status.st_gid), (54321, 54322), path)
        equal(reader(*words, env=environment()).status, 0)
        equal({os.stat(path).st_uid for path in paths}, {0})
        env = environment(SUDO_UID="x", SUDO_GID="0")
        reader(*words, env=env).is_refusal(125, "SUDO_UID", "unset SUDO_UID")


@test
def reader_of_an_output_may_leave():
    read_end, write_end = os.pipe()
    os.close(read_end)
    result = reader("-o", "/dev/fd/%d" % write_end, "--", "true", pass_fds=[write_end])
    os.close(write_end)
    result.is_report()


def on_a_terminal(*words, **env):
    """What the reader writes to a terminal of 24 lines and 80 columns."""
    master, slave = pty.openpty()
    with subprocess.Popen([READER, *words, "--", "true"], stdout=slave, stderr=slave,
                          stdin=subprocess.DEVNULL,
                          env={**environment("unexpected=3"), "TERM": "xterm", **env}) as process:
        # the slave stays open: a terminal whose other end is closed may drop what is under way
        text, ended = b"", False
        while select.select([master], [], [], 0.02)[0] or not ended:
            if select.select([master], [], [], 0)[0]:
                text += os.read(master, 4096)
            else:
                ended = process.poll() is not None
        equal(process.wait(), 0, text)
    os.close(slave)
    os.close(master)
    return text.decode()


WARNING = "\033[1;35mWarning: checks fail: 3 impossible state changes (missed events); -v says more\033[0m"


@test
def colours_are_for_terminals():
    os.environ.pop("NO_COLOR", None)
    has(on_a_terminal(), WARNING)
    has(on_a_terminal(NO_COLOR=""), WARNING)
    has(on_a_terminal("--color", "always", NO_COLOR="1"), WARNING)
    for words, env in ((("--color=never",), {}), ((), {"NO_COLOR": "1"}), ((), {"TERM": "dumb"})):
        expect("\033" not in on_a_terminal(*words, **env), words, env)
    expect("\033" not in reader("--", "true", fake="unexpected=3").out)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.txt")
        has(reader("--color", "always", "-o", path, "--", "true", fake="unexpected=3").out, WARNING)
        expect("\033" not in read(path))

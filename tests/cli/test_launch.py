# SPDX-License-Identifier: GPL-2.0
"""The command after --: what it gets, what becomes of its exit status."""

import os
import re
import resource
import signal
import stat
import subprocess
import sys
import tempfile

from harness import (
    READER, Running, Skip, environment, equal, expect, has, read, reader, test, until,
)


def directly(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode()


def output_of(*command, **more):
    """What the command printed, before the report."""
    result = reader("--level", "stats", "--", *command, **more)
    result.is_report()
    marker = result.out.index("For ")
    return result.out[:marker]


def as_root():
    if os.geteuid():
        raise Skip("needs root")


@test
def exit_status_is_the_commands():
    for script, status in (
        ("exit 0", 0),
        ("exit 7", 7),
        ("exit 255", 255),
        ("kill -9 $$", 128 + signal.SIGKILL),
        ("kill -TERM $$", 128 + signal.SIGTERM),
    ):
        reader("--", "sh", "-c", script).is_report(status)


@test
def command_that_cannot_be_run():
    with tempfile.TemporaryDirectory() as folder:
        plain = os.path.join(folder, "plain")
        open(plain, "w", encoding="utf-8").close()
        for command, status, part in (
            ("no-such-command", 127, "cannot run no-such-command: command not found"),
            (folder + "/none", 127, "No such file or directory"),
            (plain, 126, "Permission denied"),
            (folder, 126, "Permission denied"),
            (plain + "/below", 126, "Not a directory"),
        ):
            reader("--", command).is_refusal(status, "cannot run " + command, part)
            reader("--delay", "5", "--", command).is_refusal(status, part)


@test
def script_without_first_line_is_run_by_the_shell():
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "script")
        with open(script, "w", encoding="utf-8") as file:
            file.write("echo ran $1\n")
        os.chmod(script, stat.S_IRWXU)
        equal(output_of(script, "well"), "ran well\n")


@test
def arguments_arrive_as_they_are():
    words = ["-d", "--", "two words", "", "*", "$HOME", "\\", "caf\u00e9"]
    equal(output_of("printf", "<%s>\n", *words), "".join("<%s>\n" % word for word in words))


LIMIT = "import resource; print(resource.getrlimit(resource.RLIMIT_NOFILE))"
CHILDREN = "import signal; print(signal.getsignal(signal.SIGCHLD))"


@test
def command_has_the_callers_limits_and_signals():
    def prepare():
        resource.setrlimit(resource.RLIMIT_NOFILE, (99, 200))
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)

    for script, expected in ((LIMIT, "(99, 200)"), (CHILDREN, str(signal.SIG_IGN))):
        output = output_of(sys.executable, "-c", script, preexec_fn=prepare)
        equal(output, expected + "\n")
    reader("--", "sh", "-c", "exit 7", preexec_fn=prepare).is_report(7)


@test
def command_has_the_callers_input():
    with Running("--", "sh", "-c", "read word; echo got $word", stdin=subprocess.PIPE) as running:
        running.process.stdin.write(b"this\n")
        running.process.stdin.flush()
        result = running.end()
        result.is_report()
        expect(result.out.startswith("got this\n"), result.out)


@test
def command_has_the_callers_signals():
    words = ("grep", "-E", "^Sig(Blk|Ign|Cgt)", "/proc/self/status")
    equal(output_of(*words), directly(*words))


@test
def command_has_no_file_of_the_reader():
    words = ("ls", "/proc/self/fd")
    equal(output_of(*words), directly(*words))


@test
def session_begins_before_the_exec():
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        reader("--", "sleep", "0.1", log=log).is_report()
        calls = read(log).splitlines()
    order = ["GET_ABI", "CONFIGURE", "ADD_TARGET", "START", "STOP"]
    equal([name for name in (line.split()[0] for line in calls) if name in order], order)
    # what the child executes when it becomes a target, and at START: not its command yet
    equal([line for line in calls if line.startswith("program")],
          ["program " + os.path.realpath(READER)] * 2)


@test
def with_a_delay_the_command_runs_first():
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        reader("--delay", "2", "--", "sleep", "4", log=log).is_report()
        programs = [line for line in read(log).splitlines() if line.startswith("program")]
    equal(len(programs), 2)
    expect(programs[1].endswith("sleep") or programs[1].endswith("busybox"), programs)


@test
def command_that_ends_in_the_delay():
    result = reader("--delay", "30", "--", "sh", "-c", "exit 4")
    result.is_refusal(4, "the command ended before the recording began")


@test
def waiting_child_ends_with_the_reader():
    with Running("--", "echo", "was run", fake="hang=1") as running:
        running.wait_for_call("START")
        child = re.search(r"pid=(\d+)", running.calls()).group(1)
        expect(os.path.exists("/proc/" + child))
        running.process.kill()
        equal(running.end().out, "")  # and so it has let go of the pipe
        until(lambda: is_gone(child), "the end of the child")


def is_gone(pid):
    """It may stay as a zombie where nobody reaps."""
    try:
        return "\nState:\tZ" in read("/proc/%s/status" % pid)
    except FileNotFoundError:
        return True


WHO = "id -u; id -g; id -G; echo $HOME $USER $LOGNAME"


@test
def under_sudo_the_command_is_the_callers():
    as_root()
    env = environment(SUDO_UID="65534", SUDO_GID="65534", HOME="/root", USER="root")
    more_groups = {"preexec_fn": lambda: os.setgroups([0, 4242])}
    out = output_of("sh", "-c", WHO, env=env, **more_groups).splitlines()
    nobody = directly("sh", "-c", "getent passwd 65534").split(":")
    equal(out[:2], ["65534", "65534"])
    expect(not {"0", "4242"} & set(out[2].split()), "groups", out[2])
    equal(out[3].split(), [nobody[5], nobody[0], nobody[0]])


@test
def under_sudo_files_belong_to_the_caller():
    as_root()
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        path = os.path.join(folder, "made")
        env = environment(SUDO_UID="65534", SUDO_GID="12345")
        output_of("touch", path, env=env)
        made = os.stat(path)
        equal((made.st_uid, made.st_gid), (65534, 12345))


@test
def under_sudo_a_user_without_account():
    as_root()
    env = environment(SUDO_UID="3999999999", SUDO_GID="3999999998", HOME="/root")
    more_groups = {"preexec_fn": lambda: os.setgroups([0, 4242])}
    out = output_of("sh", "-c", WHO, env=env, **more_groups).splitlines()
    equal(out[:3], ["3999999999", "3999999998", "3999999998"])


@test
def under_sudo_by_root_nothing_changes():
    as_root()
    equal(output_of("id", "-u", env=environment(SUDO_UID="0", SUDO_GID="0")), "0\n")


@test
def under_sudo_of_nobody_known_nothing_is_run():
    as_root()
    for uid, gid in (("", "0"), ("x", "0"), ("-1", "0"), ("4294967295", "0"), ("65534", "y")):
        env = environment(SUDO_UID=uid, SUDO_GID=gid)
        reader("--", "id", env=env).is_refusal(125, "SUDO_UID", "unset")


@test
def under_sudo_what_the_caller_may_not_execute():
    as_root()
    with tempfile.TemporaryDirectory() as folder:
        env = environment(SUDO_UID="65534", SUDO_GID="65534")
        path = os.path.join(folder, "sleep")
        os.symlink("/bin/sleep", path)
        result = reader("--", path, "0", env=env)
        result.is_refusal(126, "Permission denied")


@test
def long_command_line_in_the_report():
    result = reader("--", "sh", "-c", ": \033[31m", "x" * 3000)
    result.is_report()
    has(result.out, r"sh -c : \x1b[31m")
    expect("\033" not in result.out)

# SPDX-License-Identifier: GPL-2.0
"""What the device refuses, and what the reader says then."""

import errno
import fnmatch
import json
import os
import re
import subprocess
import tempfile

from harness import (
    READER, Result, Skip, Sleeper, as_json, environment, equal, expect, has, read, reader, test,
)


def refused(where, *parts):
    """@where fails, for a process and for a command, which then is not run."""
    with Sleeper() as sleeper:
        reader("-p", sleeper.pid, "-d", "0.01", fake=where).is_refusal(125, *parts)
    reader("--", "echo", "was run", fake=where).is_refusal(125, *parts)


@test
def missing_module():
    for error in (errno.ENOENT, errno.ENXIO, errno.ENODEV):
        refused("open=%d" % error, "/dev/gapp: the module is not loaded: ", "insmod gapp.ko")


@test
def node_is_not_for_all():
    for error in (errno.EACCES, errno.EPERM):
        refused("open=%d" % error, "/dev/gapp: ", "sudo", "group")


@test
def node_of_something_else():
    refused("GET_ABI=%d" % errno.ENOTTY, "/dev/gapp: it does not belong to gapp's module")


@test
def other_abi():
    refused("major=2", "module 9.8.7 has ABI 2.21", "this gapp-read", "rmmod gapp", "rebuild gapp-read")


@test
def refused_session():
    refused("CONFIGURE=%d" % errno.EPROTONOSUPPORT, "cannot set up a session: ", "rmmod gapp")
    refused("CONFIGURE=%d" % errno.EINVAL, "cannot set up a session: ", "rmmod gapp")
    refused("CONFIGURE=%d" % errno.ENOMEM, "cannot set up a session: ", "--max-threads")
    refused("CONFIGURE=%d" % errno.EPERM, "cannot set up a session: ", "-m", "sudo")
    refused("CONFIGURE=%d" % errno.ENOBUFS, "cannot set up a session: ", "limit of locked memory",
            "-m", "ulimit -l", "sudo")
    refused("CONFIGURE=%d" % errno.EIO, "cannot set up a session: Input/output error\n")


def configured(log):
    """Sizes of the ring and of the table of paths of the session."""
    found = re.search(r" ring=(\d+) paths=(\d+) ", read(log))
    return tuple(int(number) for number in found.groups())


@test
def low_limit_of_locked_memory():
    ring, paths, path = 1 << 20, 1 << 15, 272
    whole = 2 * ring + paths * path  # of the two CPUs of fake_node.c
    cases = (
        (whole, [], (ring, 0), None),
        (whole - 1, [], (ring // 2, paths // 2), "512 KiB for each CPU and 16384 call paths"),
        (whole // 8, [], (ring // 8, paths // 8), "128 KiB for each CPU and 4096 call paths"),
        # a size that was asked for stays
        (whole - 1, ["-m", "1M"], (ring, paths // 2), "1024 KiB for each CPU and 16384 call paths"),
        (whole // 8, ["-m", "16K"], (16384, paths // 8), "16 KiB for each CPU and 4096 call paths"),
    )
    for locked, options, sizes, message in cases:
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "log")
            result = reader(*options, "--", "true", fake="locked=%d" % locked, log=log)
            equal(result.status, 0, "status, with", repr(result.err))
            equal(configured(log), sizes, "with", locked, *options)
        if message:
            has(result.err, "limit of locked memory (`ulimit -l`) allows buffers of " + message)
        else:
            equal(result.err, "")
    result = reader("--", "true", fake="memory=%d" % (whole - 1))
    equal(result.status, 0, "status, with", repr(result.err))
    has(result.err, "or of your memory cgroup, allows buffers of 512 KiB for each CPU and 16384 call paths only")
    reader("--", "true", fake="memory=%d" % (whole // 8 - 1)).is_refusal(
        125, "there is too little memory, on this machine or in your memory cgroup", "-m")
    for locked, options in ((whole // 8 - 1, []), (whole // 2, ["-m", "4M"])):
        reader(*options, "--", "echo", "was run", fake="locked=%d" % locked).is_refusal(
            125, "limit of locked memory", "-m", "ulimit -l", "sudo")


@test
def session_that_root_has_ended():
    result = reader("--", "true", fake="STOP=%d" % errno.ENOTCONN)
    equal(result.status, 0, "status, with", repr(result.err))
    equal(result.err, "gapp: root has ended the session: the figures are those until then\n")
    has(result.out, "Checks       shares + idle")


@test
def session_that_does_not_stop():
    result = reader("--", "true", fake="STOP=%d" % errno.EIO)
    equal(result.status, 125, "status, with", repr(result.err))
    has(result.err, "cannot stop recording: ")


@test
def refused_target():
    for error, part in (
        (errno.ESRCH, "no such process, or it has exited"),
        (errno.EOPNOTSUPP, "it is a kernel thread"),
        (errno.EPERM, "it is not yours"),
        (errno.ELOOP, "it is gapp-read itself"),
        (errno.ENOSPC, "1024"),
        (errno.EAGAIN, "try again"),
        (errno.ENOMEM, "too little memory"),
        (errno.EINVAL, "rmmod gapp"),
    ):
        refused("ADD_TARGET=%d" % error, "cannot follow process ", part)


@test
def refused_start():
    for error, part in (
        (errno.ENOMEM, "too little memory"),
        (errno.ENOTSUP, "lacks a tracepoint"),
        (errno.EPERM, "sudo"),
        (errno.EBUSY, "Device or resource busy"),
    ):
        refused("START=%d" % error, "cannot start recording: ", part)
    refused("START=%d" % errno.ESRCH, "ended before the recording began: nothing was recorded")


@test
def failures_at_the_end_come_after_the_command():
    for call in ("STOP", "THREADS", "PROCESSES", "PARALLELISM"):
        result = reader("--", "sh", "-c", "echo was run; exit 3", fake="%s=5" % call)
        equal((result.status, result.out), (125, "was run\n"), call)
        has(result.err, "Input/output error")
        equal(result.err.count("\n"), 1, repr(result.err))


@test
def process_that_is_not_there():
    with Sleeper() as sleeper:
        pid = sleeper.pid
    reader("-p", pid).is_refusal(125, "cannot follow process " + pid, "no such process")


@test
def reader_does_not_follow_itself():
    script = ["sh", "-c", 'exec "$0" -p $$', READER]
    done = subprocess.run(script, env=environment(), capture_output=True, check=False)
    Result(done.returncode, done.stdout.decode(), done.stderr.decode()).is_refusal(
        125, "it is gapp-read itself"
    )


@test
def target_named_twice_is_no_error():
    with Sleeper() as sleeper:
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "log")
            pids = ",".join([sleeper.pid] * 3)
            reader("-p", pids, "-p", sleeper.pid, "-d", "0.01", log=log).is_report()
            equal(read(log).count("ADD_TARGET"), 1)
        # by two of its threads, which only the module can tell
        fake = "ADD_TARGET=%d" % errno.EEXIST
        result = reader("-p", sleeper.pid, "-d", "0.01", fake=fake)
        expect("cannot follow" not in result.err, result.err)


@test
def options_reach_the_module():
    with Sleeper() as sleeper, tempfile.TemporaryDirectory() as folder:
        for words, config, target in (
            ((), "abi=1 mode=0 n_min=0 threads=0 exited=-1 ", "flags=0"),
            ((), "level=1 criterion=0 min_critical=10000 rate=333 ring=1048576 ", "flags=0"),
            (("--level", "trace"), "level=2 ", "flags=0"),
            (("--level", "stats"), "level=0 criterion=0 min_critical=0 rate=0 ring=0 ", "flags=0"),
            (("-m", "17K"), "ring=32768 ", "flags=0"),
            (("-m1",), "ring=16384 ", "flags=0"),
            (("--ring=64M",), "ring=67108864 ", "flags=0"),
            (("-F", "0"), "rate=0 ", "flags=0"),
            (("-F20000",), "rate=20000 ", "flags=0"),
            (("--rate=7", "--duration=0.02", "--verbose", "--quiet"), "rate=7 ", "flags=0"),
            (("--min-critical", "1.5ms"), "min_critical=1500000 ", "flags=0"),
            (("--min-critical=0",), "min_critical=0 ", "flags=0"),
            (("--min-critical=2s",), "min_critical=2000000000 ", "flags=0"),
            (("--max-stack", "127"), "stack=127\n", "flags=0"),
            (("--criterion", "average"), "criterion=1 ", "flags=0"),
            (("-n", "7"), "mode=2 n_min=7 ", "flags=0"),
            (("-n", "1"), "mode=2 n_min=1 ", "flags=0"),
            (("-n", "65536"), "mode=2 n_min=65536 ", "flags=0"),
            (("-n", "7", "-nhalf"), "mode=1 n_min=0 ", "flags=0"),
            (("--threshold=half", "-n9"), "mode=2 n_min=9 ", "flags=0"),
            (("--max-threads", "65536"), "threads=65536 ", "flags=0"),
            (("--no-inherit",), "mode=0", "flags=1"),
            # who woke a thread: script asks for that; marks are always asked for
            ((), " flags=3072 ", "flags=0"),
            (("--spin", "off"), " flags=2048 ", "flags=0"),
            (("--spin=sampled",), " flags=3072 ", "flags=0"),
            (("-F", "0"), " flags=2048 ", "flags=0"),
            (("--call-graph", "fp"), " flags=2048 ", "flags=0"),
            (("--call-graph", "table"), " flags=3072 ", "flags=0"),
            (("-k",), " flags=3585 ", "flags=0"),
            (("--no-kernel",), " flags=3072 ", "flags=0"),
            (("--level=stats",), " flags=0 ", "flags=0"),
        ):
            log = os.path.join(folder, "log")
            reader("-p", sleeper.pid, "-d", "0.01", *words, log=log).is_report()
            calls = read(log)
            os.unlink(log)
            has(calls, config)
            has(calls, "pid=%s %s" % (sleeper.pid, target))


@test
def kernel_paths_are_asked_for_by_script():
    with Sleeper() as sleeper, tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        for word in ("-k", "--kernel"):
            result = reader("script", "-p", sleeper.pid, "-d", "0.01", word, log=log)
            equal((result.status, result.err), (0, ""))
            has(read(log), " flags=3587 ")
            os.unlink(log)


def kernel_threads(name):
    """Ids of the threads of the kernel of this name; none in a container."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            own, rest = read("/proc/%s/stat" % pid).split(" (", 1)[1].rsplit(") ", 1)
        except OSError:
            continue
        if fnmatch.fnmatchcase(own, name) and int(rest.split()[6]) & 0x200000:
            found.append(pid)
    return sorted(found)


@test
def kernel_threads_are_added_by_name():
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        for name in ("kthreadd", "ksoftirqd/*", "[k]worker/*"):
            wanted = kernel_threads(name)
            result = reader("--kthreads", name, "-d", "0.01", log=log)
            if not wanted:
                result.is_refusal(125, "no kernel thread is called '%s'" % name)
                continue
            calls = read(log)
            os.unlink(log)
            # nothing but the kernel's frames names them
            has(calls, " flags=3585 ")
            found = sorted(re.findall(r"pid=(\d+) flags=4\n", calls))
            # workers come and go
            expect(set(found) & set(wanted), name, wanted, repr(calls))
            equal(len(re.findall("pid=", calls)), len(found))
        # a program may have any name
        with Sleeper() as sleeper:
            own = read("/proc/%s/comm" % sleeper.pid).strip()
            reader("--kthreads", own, "-d", "0.01").is_refusal(125, "no kernel thread is called")


@test
def kernel_threads_without_room_are_told():
    name = "k*"
    count = len(kernel_threads(name))
    if count < 3:
        raise Skip("no three kernel threads are called k*")
    out = reader("--kthreads", name, "-d", "0.01", fake="room=1").out
    said = re.match(r"Warning: (\d+) kernel threads not followed, beyond 1024: give --kthreads a narrower name\n", out)
    # workers come and go
    expect(said and count / 2 < int(said.group(1)) < 2 * count, count, repr(out))
    report = json.loads(as_json("--kthreads", name, "-d", "0.01", fake="room=1").json)
    expect(report["kernel_threads_not_followed"] > 0)
    equal(report["not_followed"], 0)
    expect("not followed" not in reader("--kthreads", name, "-d", "0.01").out)
    # the command comes first: it has the only room
    result = reader("--kthreads", name, "--", "true", fake="room=1")
    equal(result.status, 0, repr(result.err))
    expect(re.match(r"Warning: \d+ kernel threads not followed", result.out), repr(result.out))
    with Sleeper() as sleeper, tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        reader("--kthreads", name, "-p", sleeper.pid, "-d", "0.01", log=log, fake="room=1")
        equal(re.findall(r"pid=(\d+) flags=", read(log)), [sleeper.pid])
    # those that are followed are added again each second, and are no more than they were
    out = reader("--kthreads", "kthreadd", "-d", "1.5", fake="room=1").out
    expect("not followed" not in out, repr(out))


@test
def missing_kernel_frames_are_told():
    said = "Warning: no kernel frames: "
    expect(said not in reader("--", "true").out)
    has(reader("-k", "--", "true", fake="restricted=1").out,
        said + "sessions without privilege have none: use sudo\n")
    expect(said not in reader("-k", "--", "true", fake="kernel_paths=1").out)
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        reader("-k", "-o", report, "--", "true")
        has(read(report), '"kernel_frames": false')
        reader("-k", "-o", report, "--", "true", fake="kernel_paths=1")
        has(read(report), '"kernel_frames": true')


@test
def targets_reach_the_module():
    with Sleeper() as sleeper, tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        exe = os.path.realpath("/proc/%s/exe" % sleeper.pid)
        comm = read("/proc/%s/comm" % sleeper.pid).strip()
        # a group that is in one below it; 0 is a process of another pid namespace
        group = os.path.join(folder, "group")
        os.makedirs(os.path.join(group, "inner"))
        with open(os.path.join(group, "inner", "cgroup.procs"), "w") as file:
            file.write("0\n%s\n" % sleeper.pid)
        for words, parts, others in (
            (("-a",), (" flags=3084 ",), ("with pid=", "exe=")),
            (("--all", "--as-one"), (" flags=3080 ",), ("with pid=", "exe=")),
            (("-x", exe), (" flags=3072 ", "exe=%s flags=0\n" % exe, "with pid=" + sleeper.pid), ()),
            (("--exe=" + exe, "--no-inherit"), ("exe=%s flags=1\n" % exe,), ()),
            (("--comm", comm[:-1] + "?"), ("comm=%s? group=0 flags=0\n" % comm[:-1], "with pid=" + sleeper.pid), ()),
            (("--comm", "no*such?[!a]"), ("comm=no*such?[!a] group=0 flags=0\n",), ("with pid=",)),
            (("--cgroup", group, "--no-inherit"), ("comm= group=1 flags=1\n", "with pid=" + sleeper.pid), ()),
            (("--cgroup", group, "--comm", "x"), ("comm=x group=1 flags=0\n",), ("with pid=",)),
        ):
            reader(*words, "-d", "0.01", log=log).is_report()
            calls = read(log)
            os.unlink(log)
            for part in parts:
                has(calls, part)
            for other in others:
                expect(other not in calls, other, "is in", repr(calls))
    reader("-x", "/nowhere", "-d", "0.01").is_refusal(125, "/nowhere: there is no such file")
    reader("--cgroup", "/nowhere", "-d", "0.01").is_refusal(125, "there is no control group /nowhere")
    with Sleeper() as sleeper:
        comm = read("/proc/%s/comm" % sleeper.pid).strip()
        result = reader("--comm", comm, "-d", "0.01", fake="ADD_TARGET=%d" % errno.ENOSPC)
        equal(result.status, 0, "status, with", repr(result.err))
        expect(re.search(r"1024 processes at most can be named: others \([1-9]\d*\) are followed only if", result.err),
               result.err)
        result = reader("--comm", comm, "-d", "0.01", fake="ADD_TARGET=%d" % errno.EPERM)
        equal(result.status, 0)
        expect(re.search(r"processes that are not yours are left out \([1-9]\d*\)", result.err), result.err)
    reader("--comm", "a" * 32, "-d", "0.01").is_refusal(125, "a pattern of names has 31 characters at most")
    for error, said in ((errno.EBADF, "it is not the folder of a control group of version 2"),
                        (errno.EPERM, "only with CAP_PERFMON"),
                        (errno.ENOTTY, "the loaded module does not know what this gapp-read asks for")):
        reader("--cgroup", "/", "-d", "0.01", fake="ADD_SELECTION=%d" % error).is_refusal(125, said)


@test
def what_is_printed_reaches_the_report():
    for by in ("path", "slice-end", "function", "line", "thread", "process"):
        result = as_json("--by", by, "--", "true")
        equal((result.status, result.err), (0, ""))
        has(result.json, '"by": "%s"' % by)
        equal('"rows"' in result.json, by != "path", by)
        reader("--by", by, "--top", "3", "--", "true").is_report()
    for word in ("--no-libs", "--threads-only", "--process-only"):
        reader(word, "-v", "--", "true").is_report()
    has(as_json("-F", "99", "--", "true").json, '"rate_hz": 99')
    has(as_json("--level", "trace", "--", "true").json, '"level": "trace"')

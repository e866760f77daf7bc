# SPDX-License-Identifier: GPL-2.0
"""
Runs a plan in a guest: lines that tests/truth/guest.sh understands, all in one boot.
"""

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
SCRIPT = Path(__file__).resolve().parent / "guest.sh"
SLOW_KERNELS = ("debug", "kcsan", "rt-debug")
# So slow that a flush is what a program waits for, and not so slow that a run takes seconds.
DISK_IOPS = "50"


# Files that gapp-read spins takes.
FILES_AT_ONCE = 64


class GuestError(Exception):
    """The guest did not do what was asked of it."""


class Run:
    """One run of one program: how gapp-read is called, and where its results are."""

    def __init__(self, name, program, options=(), feed=None, arguments=(), report="json"):
        self.name, self.program, self.options = name, program, list(options)
        self.feed, self.arguments, self.report = feed, list(arguments), report

    def plan_line(self):
        words = (self.name, self.report, self.feed or "-", " ".join(self.options) or "-",
                 " ".join([str(self.program), *self.arguments]))
        if any("|" in word for word in words):
            raise ValueError(f"{self.name}: no '|' can be in a plan")
        return "|".join(words)


def busy_s():
    """CPU time that all processes of this machine have had, and that those started here have had."""
    ticks = [int(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    own = resource.getrusage(resource.RUSAGE_CHILDREN)
    idle = ticks[3] + ticks[4]
    return (sum(ticks) - idle) / os.sysconf("SC_CLK_TCK"), own.ru_utime + own.ru_stime


def spin_tables(programs):
    """
    What a guest needs to know the busy-wait loops of programs from their begin: what is kept of these. To find them
    there takes twenty times as long as here, and the CPU time of what is measured.
    """
    kept = Path("/var/cache/gapp/tables")
    libraries = subprocess.run(["ldd", *map(str, programs)], stdout=subprocess.PIPE, text=True, check=False).stdout
    files = {word for word in libraries.split() if word.startswith("/") and not word.endswith(":")}
    files = sorted({*map(str, programs), *files})
    for begin in range(0, len(files), FILES_AT_ONCE):
        subprocess.run([TOP / "gapp-read", "spins", *files[begin:begin + FILES_AT_ONCE]], stdout=subprocess.DEVNULL,
                       check=True)
    decoder = [f"/usr/lib/x86_64-linux-gnu/libcapstone.so.{version}" for version in (4, 5)]
    return [file for file in decoder if Path(file).exists()] + sorted(map(str, kept.glob("spins-*")))


def boot(kernel, cpus, runs, folders, out, icount=False, system=()):
    """
    Leaves NAME.json (or .txt, or both), NAME.data, NAME.cpu, NAME.err and NAME.status of each run in
    @out. @system: options of scripts/vm for another system than the lab's own. Returns which part of
    this machine's CPU time, in percent, others than the guest had meanwhile.
    """
    began, (all_before, own_before) = time.monotonic(), busy_s()
    out.mkdir(parents=True, exist_ok=True)
    plan = out / "plan"
    plan.write_text("".join(run.plan_line() + "\n" for run in runs))
    per_run = 60 if kernel in SLOW_KERNELS or system else 15
    if icount and kernel in SLOW_KERNELS:
        per_run = 900  # a program that switches some hundred thousand times
    size = ["--icount"] if icount else ["--cpus", str(cpus), "--disk", DISK_IOPS]
    command = [str(TOP / "scripts/vm"), "--kernel", kernel, *size,
               "--timeout", str(120 + per_run * len(runs)), *system, "--in", str(SCRIPT), "--in", str(plan),
               "--out", str(out)]
    for folder in folders:
        command += ["--in", str(folder)]
    command += ["--", "sh", str(SCRIPT), str(folders[0]), str(plan), "/out"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False)
    if done.returncode:
        sys.stderr.write(done.stdout)
        said = [line for line in done.stdout.splitlines() if line.startswith("vm: ")]
        raise GuestError(f"scripts/vm: exit status {done.returncode}: {' / '.join(said[:2])}")
    all_after, own_after = busy_s()
    others = all_after - all_before - (own_after - own_before)
    return 100 * max(0, others) / (time.monotonic() - began) / os.cpu_count()

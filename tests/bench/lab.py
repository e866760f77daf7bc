# SPDX-License-Identifier: GPL-2.0
"""
Runs the steps of a benchmark in one guest that counts instructions, and collects what they print:
lines of JSON with a "name" belong to the step of that name, and so does the rest of its output.
"""

import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
BIN = TOP / "build/bench/bin"
# With it gapp-read looks for busy-wait loops, as it does where it is installed.
CAPSTONE = "/usr/lib/x86_64-linux-gnu/libcapstone.so.4"
ALTERNATE = BIN / "alternate"
# of the module: what is measured without a session has no probes, at once
PARAMETERS = "keep_probes_s=0"

MACHINE = r"""
echo "@machine boot $(cat /proc/sys/kernel/random/boot_id)"
echo "@machine kernel $(uname -r)"
echo "@machine clocksource $(cat /sys/devices/system/clocksource/clocksource0/current_clocksource)"
echo "@machine processor $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)"
echo "@machine processors $(nproc)"
has() { grep -q -w "$1" /proc/cpuinfo && echo "$1" || echo "no $1"; }
echo "@machine cpu $(has la57), $(has erms), $(has fsrm)"
if grep -q -w -e erms -e fsrm /proc/cpuinfo; then
	echo "@machine copy rep movsb: a byte copied counts as an instruction"
else
	echo "@machine copy no rep movsb: instructions are counted as they are"
fi
"""


class LabError(Exception):
    """The guest did not do what was asked of it."""


class Step:
    """What is done in the guest: a command, and lines of shell around it."""

    def __init__(self, name, command=(), before="", after="", limit=1800):
        self.name, self.command = name, [str(word) for word in command]
        self.before, self.after, self.limit = before, after, limit

    def script(self):
        name = shlex.quote(self.name)
        lines = [f"echo '@step '{name}", "status=0", self.before]
        if self.command:
            words = shlex.join(self.command)
            lines.append(f"timeout {self.limit} {words} 2>/tmp/bench.err || status=$?")
            lines.append('[ $status = 0 ] || { echo "@failed $status"; '
                         "tail -n 5 /tmp/bench.err | sed 's/^/@why /'; }")
        return "\n".join([*lines, self.after, "echo @end"]) + "\n"


class Result:
    """What came of a step: the driver's pairs, other lines, why it failed (None: it did not)."""

    def __init__(self):
        self.pairs, self.lines, self.failed = [], [], None


def make(*targets):
    """Builds the programs of loops.mk."""
    command = ["make", "-s", "-f", "tests/bench/loops.mk", *targets]
    if subprocess.run(command, cwd=TOP, check=False).returncode:
        raise LabError(f"{shlex.join(command)} failed")


def module(kernel):
    """The file; scripts/vm loads the same one."""
    path = Path(os.environ.get("GAPP_KO", TOP / f"build/{kernel}/gapp.ko"))
    if not path.exists():
        raise LabError(f"{path} does not exist: make lab-{kernel} (GAPP_KO names another)")
    return path


def alternate(name, loop, command=(), **options):
    """
    The driver's command line. @options are its own, by their names; what may be repeated is a list.
    @command is the words of what is turned on and off, or empty with start= and stop=.
    """
    line = [str(ALTERNATE), "--name", name, "--loop", loop]
    for key, value in options.items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            line += ["--" + key.replace("_", "-"), str(one)]
    return line + (["--", *command] if command else [])


def take(line, result):
    """One line of a step's output. False: it is the step's end."""
    if line == "@end":
        return False
    if line.startswith("@failed "):
        result.failed = "status " + line.split()[1]
    elif line.startswith("@why "):
        result.failed = (result.failed or "failed") + ": " + line[len("@why "):]
    elif line.startswith('{"name"'):
        try:
            result.pairs.append(json.loads(line))
        except ValueError as error:
            raise LabError(f"the driver printed '{line}': {error}") from error
    else:
        result.lines.append(line)
    return True


def collect(output, steps, progress):
    """The machine, and the result of each step by its name."""
    machine, results, current, began = {}, {}, None, time.monotonic()
    for line in output:
        line = line.rstrip("\r\n")
        if line.startswith("@machine "):
            _, key, value = line.split(" ", 2)
            machine[key] = value
        elif line.startswith("@step "):
            current = line[len("@step "):]
            results[current] = Result()
            began = time.monotonic()
        elif current and not take(line, results[current]):
            if progress:
                print(f"bench: {len(results)} of {len(steps)}: {current}, "
                      f"{time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
            current = None
    return machine, results


def run(steps, kernel="6.12", icount=True, load=True, files=(), options=(), timeout=7200,
        progress=True):
    """
    Boots, and returns (machine, results by the steps' names). @files come to the same places in the
    guest, @options go to scripts/vm. What went wrong is in the results; LabError is for the guest
    itself, or a complaint of its kernel.
    """
    # so that the guest ends with who has started it
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    with tempfile.TemporaryDirectory(prefix="gapp-bench.") as folder:
        script = Path(folder) / "steps.sh"
        script.write_text(MACHINE + "".join(step.script() for step in steps))
        command = [str(TOP / "scripts/vm"), "--kernel", kernel, "--timeout", str(timeout),
                   *(["--icount"] if icount else []), *([] if load else ["--no-load"]),
                   "--param", PARAMETERS,
                   "--in", str(script), "--in", str(BIN), "--in", CAPSTONE, *options]
        for file in files:
            command += ["--in", str(file)]
        command += ["--", "sh", str(script)]
        with open(Path(folder) / "err", "w+", encoding="utf-8", errors="replace") as errors, \
                subprocess.Popen(command, cwd=TOP, stdout=subprocess.PIPE, stderr=errors,
                                 text=True, errors="replace") as guest:
            try:
                machine, results = collect(guest.stdout, steps, progress)
            except BaseException:
                guest.terminate()
                raise
            status = guest.wait()
            errors.seek(0)
            said = errors.read().strip().splitlines()
    if status:
        raise LabError(f"scripts/vm: exit status {status}: " + " / ".join(said[-5:]))
    return machine, results

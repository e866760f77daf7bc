# SPDX-License-Identifier: GPL-2.0
"""Completion in bash, zsh and fish: each shell knows every option of the table and no other."""

import functools
import os
import shutil
import subprocess
import sys
import tempfile

import shells
from harness import Skip, TOP, equal, expect, options, test

SHELLS = {"bash": shells.bash, "bash with bash-completion": shells.bash_with_package,
          "zsh": shells.zsh, "fish": shells.fish}
COMMANDS = ("record", "script", "report", "export", "diff", "merge", "top", "spins", "doctor", "ctl")


@functools.cache
def folder():
    """A folder with recordings and other files."""
    made = tempfile.TemporaryDirectory()
    for name in "slow.data", "slow.data.old", "notes.txt":
        with open(os.path.join(made.name, name), "w", encoding="utf-8"):
            pass
    os.mkdir(os.path.join(made.name, "sub"))
    return made


def each_shell(function):
    for name, complete in SHELLS.items():
        @functools.wraps(function)
        def run(name=name, complete=complete):
            if not shutil.which(name.split()[0]):
                raise Skip(f"no {name}: scripts/setup docs")
            if name.endswith("bash-completion") and not os.path.exists(shells.BASH_COMPLETION):
                raise Skip("no bash-completion: scripts/setup docs")
            function(lambda words: complete(f"gapp-read {words}", folder().name))
        run.__name__ = f"{name} {function.__name__}"
        test(run)


@test
def completions_are_written_from_the_table_of_options():
    done = subprocess.run([sys.executable, os.path.join(TOP, "scripts", "completions"), "--check"],
                          capture_output=True, text=True, check=False)
    expect(done.returncode == 0, done.stdout, done.stderr)


@test
def completions_have_the_commands_of_the_table():
    equal({action for option in options() for action in option.actions}, set(COMMANDS))


@each_shell
def completes_commands(complete):
    equal(complete(""), set(COMMANDS))
    equal(complete("re"), {"record", "report"})


@each_shell
def completes_the_options_of_each_command(complete):
    for command in COMMANDS:
        known = {"--" + option.name for option in options() if command in option.actions}
        equal(complete(command + " --"), known, command)
    equal(complete("--no-"), {"--" + option.name for option in options()
                              if option.name.startswith("no-") and "record" in option.actions})


@each_shell
def completes_values_of_a_fixed_list(complete):
    known = [option for option in options() if option.words]
    expect(len(known) > 4, known)
    for option in known:
        begin = f"{option.actions[0]} --{option.name}"
        equal(complete(begin + " "), set(option.words), begin)
        equal(complete(begin + "="), set(option.words), begin)
        part = option.words[0][:2]
        equal(complete(f"{begin} {part}"), {word for word in option.words if word.startswith(part)}, begin)


@each_shell
def completes_values_after_other_options(complete):
    equal(complete("report -v --by place --format j"), {"json"})
    equal(complete("-n "), {"half"})
    equal(complete("--call-graph "), {"auto", "fp", "table", "copy", "none", "verify"})
    equal(complete("-d "), set())


@each_shell
def completes_recordings(complete):
    for command in "report ", "report -v ", "script ", "export -o x.json ", "diff ", "diff slow.data ", "merge slow.data ":
        offered = complete(command)
        expect(offered >= {"slow.data", "slow.data.old", "sub"}, command, offered)
    equal(complete("report slow.data.o"), {"slow.data.old"})


@each_shell
def completes_programs_and_libraries(complete):
    for command in "spins ", "spins -v ", "spins sub ", "doctor ", "doctor -q ":
        expect(complete(command) >= {"notes.txt", "sub"}, command)


@each_shell
def completes_files_folders_and_processes(complete):
    for option in "-o ", "--output ", "--output=", "-x ":
        expect("notes.txt" in complete(option), option)
    for option in "--symfs ", "--symfs=", "report --source-path ":
        equal(complete(option), {"sub"}, option)
    own = str(os.getpid())
    expect(own in complete("-p "), own)
    expect(any(word.endswith(own) for word in complete("-p 1,")), own)


@each_shell
def completes_the_command_behind_the_dashes(complete):
    expect("echo" in complete("-- ech"))
    expect("echo" in complete("top -i 1 -- ech"))
    equal(complete("-- echo no"), {"notes.txt"})
    equal(complete("-- echo --no-"), set())

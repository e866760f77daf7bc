# SPDX-License-Identifier: GPL-2.0
"""Commands of the documents that are no calls of gapp-read: exceptions.txt says which run, which are tried in a dry run, and
which are excused."""

import concurrent.futures
import functools
import itertools
import re
import shutil

import dry
import machine
from commands import ACTIONS, calls, is_name, runs_here
from exceptions import HOW, entry_of
from extract import FENCE, LEAD, PATH, PROGRAMS, all_commands, all_spans, blank_fences, commands_of, is_command, \
    looks_like_command, pages, spans
from harness import Skip, count, equal, expect, read, test


@functools.cache
def others():
    """Each command that is no call of gapp-read, once, with where it stands first."""
    found = {}
    for command in all_commands():
        for call in calls(command.text):
            if not is_name(call) and not runs_here(call):
                found.setdefault(call, f"{command.page}:{command.line}")
    return found


def of_kind(how, who):
    """Commands that are tried in this way by whom exceptions.txt names."""
    entries = {call: entry_of(call, *HOW) for call in others()}
    return [call for call, entry in entries.items() if entry and (entry.kind, entry.reason) == (how, who)]


def where(call):
    return f"{others()[call]}: {call}"


@test
def every_other_command_is_run_or_tried_or_excused():
    entries = {call: entry_of(call, *HOW) for call in others()}
    missing = [f"{where(call)}: neither run, nor dry run, nor excused" for call, entry in entries.items() if not entry]
    expect(not missing, *missing)
    known = {"run": ("here", "machine", "tutorial"), "dry run": ("machine", *dry.JUDGES)}
    unknown = [entry for entry in entries.values() if entry.kind in known and entry.reason not in known[entry.kind]]
    expect(not unknown, "exceptions.txt:", *unknown)
    for how in HOW:
        count(how, sum(entry.kind == how for entry in entries.values()))
    count("of those nothing runs", sum(entry.reason.startswith("nothing runs it") for entry in entries.values()))


@test
def every_other_command_is_shell():
    wrong = [f"{where(call)}: {dry.not_shell(call)}" for call in others() if dry.not_shell(call)]
    expect(not wrong, *wrong)


def try_each(found, judge):
    """Tries each; what cannot be tried here skips the test if the others are fine."""
    skips = []

    def tried(each):
        try:
            return judge(each)
        except Skip as why:
            skips.append(str(why))
            return None

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        wrong = list(filter(None, pool.map(tried, found)))
    expect(not wrong, *wrong)
    if skips:
        raise Skip(f"{len(skips)} of {len(found)}: {skips[0]}")


def try_kind(how, who, judge):
    found = of_kind(how, who)
    expect(found, "exceptions.txt has none")
    count(how, len(found))

    def named(call):
        why = judge(call)
        return why and f"{where(call)}: {why}"

    try_each(found, named)


def run_here(call):
    status, said = dry.said_by("bash", "-c", call)
    return f"status {status}: {said.strip()[-200:]}" if status else None


@test
def commands_that_change_nothing_run():
    try_kind("run", "here", run_here)


@test
def commands_of_make_are_known_to_make_and_its_help():
    dry.make_all(of_kind("dry run", "make"))
    try_kind("dry run", "make", dry.make)


@test
def programs_parts_and_options_of_this_tree_are_known():
    try_kind("dry run", "words", dry.words)


@test
def apt_knows_what_it_is_to_install():
    dry.apt_all(of_kind("dry run", "apt-get"))
    try_kind("dry run", "apt-get", dry.apt_get)


@test
def two_ways_of_the_readme_install_what_the_build_needs():
    """The third, of packages, has make deb install it."""
    status, said = dry.said_by("scripts/setup", "--list", "build")
    expect(status == 0, said)
    lines = [call for command in all_commands() if command.page == "README.md"
             for call in calls(command.text) if call.startswith("sudo apt-get install -y gcc ")]
    equal(len(lines), 2, "lines that install what the build needs:")
    for line in lines:
        missing = set(said.split()) - set(line.split())
        expect(not missing and line.endswith(" linux-headers-$(uname -r)"), line, "lacks", *missing)


@test
def udevadm_knows_what_it_is_to_do():
    try_kind("dry run", "udevadm", dry.udevadm)


@functools.cache
def blocks():
    """Commands for the machine, a list for each block or span of the documents; one with nothing new is left out."""
    wanted = {*of_kind("run", "machine"), *of_kind("dry run", "machine")}
    seen, found = set(), []
    commands = [command for command in all_commands() if wanted & set(calls(command.text))]
    commands.sort(key=lambda command: command.block is None)
    for _, block in itertools.groupby(commands, lambda command: (command.page, command.block or command.line)):
        block = [call for command in block for call in calls(command.text) if call in wanted]
        plain = {call.removeprefix("sudo ") for call in block}
        if plain - seen:
            found.append(block)
        seen |= plain
    return found


def block_with(pattern):
    """The first block that has such a command."""
    found = [block for block in blocks() if any(re.match(pattern, call) for call in block)]
    expect(found, "the documents have no", pattern)
    return found[0]


def dkms_way():
    """README's commands that install by DKMS, and those that remove that."""
    return block_with("sudo make install-user dkms-install"), block_with("sudo make uninstall dkms-uninstall")


def takes_for_granted(block):
    """What must be there before a block: the commands that bring it."""
    text = "\n".join(block)
    if "gapp.ko" in text:
        return [] if "make" in block else ["make"]
    if re.search(r"dkms-install|make install|openssl req", text):
        return []
    return dkms_way()[0] if re.search(r"dkms|modprobe|modinfo|src/gapp|man |uninstall", text) else []


def removes(block):
    return any(re.search(r"\b(remove|uninstall|rm)\b", call) for call in block)


def sequences():
    """Lists of commands, each for a machine of its own. Blocks that only look at what the DKMS way installs share one."""
    granted = dkms_way()[0]
    shared = list(granted)
    for block in blocks():
        given = takes_for_granted(block)
        if block in dkms_way():
            continue
        if given == granted and not removes(block):
            shared += block
        else:
            yield [*given, *block]
    yield shared


def run_in_machine(sequence):
    """Runs commands that must all succeed, and returns what each said. Skip where a program is missing."""
    for program in "dkms", "modprobe", "depmod", "openssl", "man":
        if re.search(rf"(?<![\w/-]){program} \w", "\n".join(sequence)) and not machine.has(program):
            raise Skip(f"no {program}")
    done = list(machine.run(sequence))
    call, status, said = done[-1]
    expect(status == 0 and len(done) == len(sequence), " && ".join(sequence[:len(done)]), f"status {status}:", said[-300:])
    return [said for _, _, said in done]


def why_not(sequence):
    try:
        run_in_machine(sequence)
    except AssertionError as why:
        return str(why)
    return None


@test
def commands_that_change_the_machine_run_in_a_copy_of_it():
    count("run", len(of_kind("run", "machine")))
    count("dry run", len(of_kind("dry run", "machine")))
    found = list(sequences())
    reached = {call.removeprefix("sudo ") for sequence in [*found, *dkms_way()] for call in sequence}
    equal({call.removeprefix("sudo ") for kind in ("run", "dry run") for call in of_kind(kind, "machine")}, reached)
    try_each(found, why_not)


@test
def the_commands_of_the_dkms_way_remove_what_they_install():
    install, remove = dkms_way()
    look = ("find /usr/local /usr/src /usr/lib/modules/*/updates /usr/lib/modules/*/extra /var/lib/dkms "
            "-name '*gapp*' 2>/dev/null | sort; true")
    said = run_in_machine([*install, look, *remove, look])
    for path in "/usr/local/bin/gapp-read", "/updates/dkms/gapp.ko", "/var/lib/dkms/gapp", "/usr/src/gapp-":
        expect(path in said[len(install)], path, "is not installed:", said[len(install)])
    equal(said[-1], "")


@test
def commands_in_the_documents_are_marked():
    """A line of an indented block that begins as a command does belongs into a block marked sh."""
    failures = []
    for page in {command.page for command in all_commands() if command.page.endswith(".md")}:
        text = read(page)
        for at, line in enumerate(blank_fences(text).split("\n"), 1):
            if re.match(rf"(    |\t){LEAD}(gapp-read|make|insmod|modprobe|dkms|apt-get|{PATH})\s", line):
                failures.append(f"{page}:{at}: {line.strip()}")
        for at, line in enumerate(text.split("\n"), 1):
            if FENCE.match(line) and not re.fullmatch(r"```(sh|console|)", line):
                failures.append(f"{page}:{at}: a block of another kind than sh and console: {line}")
    expect(not failures, *failures)


@test
def spans_that_look_like_commands_are_commands():
    found = [f"{page}:{at}: {words}" for page in pages() for at, words in all_spans(read(page))
             if looks_like_command(words, lambda first: first not in ACTIONS and shutil.which(first))]
    expect(not found, "extract.py does not know the program, or it is no command:", *found)


@test
def commands_of_each_form_are_found():
    for words in ("sudo dnf install -y openssl", "sudo sh -c 'cat /proc/gapp/x'", "LC_ALL=C make", "A=1 B='2 3' ./prog x",
                  "GAPP_SOURCES=FOLDER scripts/lab-kernel get linux-6.18", "tests/check docs", "build/x y", "git pull"):
        expect(is_command(words), words)
        equal([command.text for command in spans("x.md", f"Text `{words.replace(' ', chr(10), 1)}`, `more`.")], [words])
    for words in "make", "tests/docs/run", "p = p->next", "struct page", "modprobe: FATAL: no", "A=1", "top --x y":
        expect(not is_command(words), words)
    equal(list(commands_of("make  # it is; or: sudo make x")), ["make", "sudo make x"])
    equal(list(commands_of("echo a#b")), ["echo a#b"])
    expect(looks_like_command("mystery --option", lambda _: True), "an unknown program")
    equal(entry_of("mystery --option", *HOW), None)
    expect("make" in PROGRAMS, "no make")


def print_how():
    for command in all_commands():
        for call in calls(command.text):
            entry = entry_of(call, *HOW)
            how = "run" if runs_here(call) else "name" if is_name(call) else entry.kind if entry else "MISSING"
            who = "gapp-read" if runs_here(call) or is_name(call) else entry.reason if entry else ""
            print(f"{how}\t{who}\t{command.page}:{command.line}\t{call}")

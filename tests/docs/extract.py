# SPDX-License-Identifier: GPL-2.0
"""Finds the commands in the documents: in blocks marked sh, in `spans` that begin with a program of
this tree, behind `$ ` in output that is shown, and in the examples of the man pages."""

import collections
import re
import subprocess

from harness import TOP, read

MANUAL = ("docs/gapp-read.1", "docs/gapp.4", "docs/gapp.data.5")
# Parts of a man page in which the bold lines and the blocks are commands.
SPOKEN = "DESCRIPTION|OPTIONS|PARAMETERS|EXAMPLES|OVERHEAD|PERMISSIONS|LIMITS|COMING FROM GAPP"
# A span is a command if it is one of these with arguments, or a path in the tree with some.
PROGRAMS = re.compile(r"(?:sudo )?(?:(?:\./)?gapp-read|make|(?:tests|scripts)/\S+|modprobe|insmod|dkms|jcmd|modinfo)\s")

Command = collections.namedtuple("Command", "page line text")


def pages():
    """The documents in Markdown. (Others are templates of these, or what tests are made of.)"""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"], cwd=TOP,
                            check=True, capture_output=True, text=True).stdout.split()
    return [path for path in listed if path.startswith("docs/") or "/" not in path]


def without_comment(text):
    """A line of shell without a comment at its end."""
    return re.sub(r"(^|\s)#.*$", "", text).rstrip()


def joined(lines):
    """Lines with those joined that a backslash continues, each with the number of its first."""
    number = None
    text = ""
    for at, line in lines:
        number = number or at
        if line.endswith("\\"):
            text += line[:-1].rstrip() + " "
            continue
        yield number, text + line.strip()
        number, text = None, ""


def fenced(page, text):
    """Commands in blocks marked sh; of a block marked console those behind `$ `."""
    block, kind = [], None
    for at, line in enumerate(text.split("\n"), 1):
        if not line.startswith("```"):
            if kind is not None:
                block.append((at, line))
            continue
        if kind == "sh":
            yield from (Command(page, number, without_comment(each)) for number, each in joined(block))
        elif kind is not None:
            yield from (Command(page, number, each[2:]) for number, each in joined(block) if each.startswith("$ "))
        block, kind = [], (line[3:].strip() if kind is None else None)


def spans(page, text):
    prose = re.sub(r"^```.*?^```", lambda block: "\n" * block.group(0).count("\n"), text, flags=re.M | re.S)
    for found in re.finditer(r"(?<!`)`([^`]+)`(?!`)", prose):
        words = " ".join(found.group(1).split())
        if PROGRAMS.match(words + " ") and " " in words:
            yield Command(page, prose.count("\n", 0, found.start()) + 1, words)


def shown(page, text):
    """`$ command` before output, in an indented block."""
    for at, line in enumerate(text.split("\n"), 1):
        if line.startswith("    $ "):
            yield Command(page, at, line[6:])


def plain(text):
    """What a line of a man page's source says."""
    return re.sub(r"\\f[BIRP]", "", text).replace("\\-", "-").replace("\\(aq", "'").replace("\\e", "\\")


def unquoted(text):
    """The same of the argument of a macro: quotes go round words, and two are one."""
    return plain(text.replace('"""', "\0").replace('"', "").replace("\0", '"'))


def manual(page):
    section, block = "", None
    for at, line in enumerate(read(page).split("\n"), 1):
        if line.startswith(".SH"):
            section = line[4:].strip('"')
        elif line == ".nf":
            block = []
        elif line == ".fi":
            yield from (Command(page, number, each) for number, each in joined(block or []))
            block = None
        elif not re.fullmatch(SPOKEN, section):
            continue
        elif block is not None:
            text = unquoted(line[3:]) if line.startswith(".B ") else plain(line)
            block.append((at, text + (" \\" if text.endswith("|") else "")))
        elif line.startswith(".B ") and PROGRAMS.match(unquoted(line[3:])):
            yield Command(page, at, unquoted(line[3:]))


def all_commands():
    commands = []
    for page in pages():
        text = read(page)
        commands += [*fenced(page, text), *spans(page, text), *shown(page, text)]
    for page in MANUAL:
        commands += manual(page)
    return [command for command in commands if command.text]

# SPDX-License-Identifier: GPL-2.0
"""Finds the commands in the documents: in blocks marked sh, in `spans` that begin as a command does (is_command()),
behind `$ ` in output that is shown, and in the examples of the man pages."""

import collections
import functools
import re
import subprocess

from harness import TOP, read

MANUAL = ("docs/gapp-read.1", "docs/gapp.4", "docs/gapp.data.5")
# Parts of a man page in which the bold lines and the blocks are commands.
SPOKEN = "DESCRIPTION|OPTIONS|PARAMETERS|EXAMPLES|OVERHEAD|PERMISSIONS|LIMITS|COMING FROM GAPP"
# Programs by which a span begins that is a command, if words follow.
PROGRAMS = frozenset("""
    gapp-read make modprobe insmod rmmod lsmod modinfo depmod dkms mokutil kmodsign dmesg udevadm sysctl systemctl reboot
    apt apt-get apt-cache dpkg dnf yum zypper pacman rpm git gcc g++ cc clang gdb perf valgrind node python3 java jcmd
    sh bash env sudo su cat echo printf tee cp mv rm ln mkdir rmdir chmod chown grep sed awk tar curl wget diff time kill
    man openssl groupadd usermod useradd docker podman ulimit export mount unshare qemu-system-x86_64 lintian
    """.split())
# sudo, and variables of the environment.
LEAD = r"(?:(?:sudo|[A-Za-z_]\w*=(?:'[^']*'|\"[^\"]*\"|[^\s'\"]*))\s+)*"
# A program of this tree.
PATH = r"(?:\./|(?:tests|scripts|build)/)[\w./-]+"

# page and line; block: the line of the fence above it, or None
Command = collections.namedtuple("Command", "page line text block", defaults=(None,))


def pages():
    """The documents in Markdown. (Others are templates of these, or what tests are made of.)"""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"], cwd=TOP,
                            check=True, capture_output=True, text=True).stdout.split()
    return [path for path in listed if path.startswith("docs/") or "/" not in path]


def is_command(words):
    """
    Whether a span is a command: words follow sudo or a variable of the environment, or a program of PROGRAMS or of
    this tree. A name alone (`make`, `tests/docs/run`) is none: links.py looks for paths.
    """
    lead, rest = re.match(rf"({LEAD})(.*)", words).groups()
    if lead:
        return bool(rest)
    first, _, arguments = rest.partition(" ")
    return bool(arguments) and (first in PROGRAMS or bool(re.fullmatch(PATH, first)))


def looks_like_command(words, known):
    """Whether a span that is_command() does not know begins with a program of this machine, and has an option or a path."""
    first = words.split(" ")[0]
    return not is_command(words) and known(first) and bool(re.search(r" (-{1,2}\w|\.{0,2}/\w)", words))


def commands_of(line):
    """The command of a line of shell, and the one that its comment names: `# or: COMMAND`."""
    code, comment = re.match(r"((?:[^#]|(?<=\S)#)*)(.*)$", line).groups()
    yield code.rstrip()
    other = re.match(r"#.*?\bor: (.*)$", comment)
    if other:
        yield other.group(1).rstrip()


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


FENCE = re.compile(r" *(?:```|~~~)")


def fenced(page, text):
    """Commands in blocks marked sh; of a block marked console those behind `$ `."""
    block, kind, begin = [], None, None
    for at, line in enumerate(text.split("\n"), 1):
        if not FENCE.match(line):
            if kind is not None:
                block.append((at, line))
            continue
        if kind == "sh":
            yield from (Command(page, number, each, begin) for number, whole in joined(block) for each in commands_of(whole))
        elif kind is not None:
            yield from (Command(page, number, each[2:], begin) for number, each in joined(block) if each.startswith("$ "))
        block, kind, begin = [], (line.strip(" `~") if kind is None else None), at


def blank_fences(text):
    """Text with its blocks blanked, so that lines keep their numbers."""
    return re.sub(r"^ *(```|~~~).*?^ *\1", lambda block: "\n" * block.group(0).count("\n"), text, flags=re.M | re.S)


def all_spans(text):
    """What stands between backticks, each with its line."""
    prose = blank_fences(text)
    for found in re.finditer(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", prose, re.S):
        yield prose.count("\n", 0, found.start()) + 1, " ".join(found.group(2).split()).replace("\\|", "|")


def spans(page, text):
    yield from (Command(page, at, words) for at, words in all_spans(text) if is_command(words))


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


def bold(line):
    """What is bold in a line of a man page's source."""
    if line.startswith(".B "):
        return [unquoted(line[3:])]
    if line.startswith(".BR "):
        return [plain(words) for words in re.findall(r'^"([^"]+)"', line[4:])]
    return [plain(words) for words in re.findall(r"\\fB([^\\]+(?:\\[-e(][^\\]*)*)\\f[RP]", line)]


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
        else:
            for words in bold(line):
                if is_command(words):
                    yield Command(page, at, words)


@functools.cache
def all_commands():
    commands = []
    for page in pages():
        text = read(page)
        commands += [*fenced(page, text), *spans(page, text), *shown(page, text)]
    for page in MANUAL:
        commands += manual(page)
    return [command for command in commands if command.text]

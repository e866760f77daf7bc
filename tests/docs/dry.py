# SPDX-License-Identifier: GPL-2.0
"""Judges of commands that are not carried out: each returns what is wrong, or None, and raises Skip where what it needs is
not here."""

import functools
import glob
import os
import re
import shlex
import shutil
import subprocess

from harness import Skip, TOP, expect, read

PATIENCE = 120


def words_of(call):
    """The words of a command, without sudo and variables of the environment."""
    words = shlex.split(call)
    while words and (words[0] == "sudo" or re.fullmatch(r"\w+=.*", words[0])):
        words = words[1:]
    return words


def said_by(*words, **more):
    """Status, and what a program says."""
    done = subprocess.run(words, cwd=TOP, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", timeout=PATIENCE, check=False,
                          env={**os.environ, "LC_ALL": "C.UTF-8", "LANGUAGE": "", "COLUMNS": "200", **more})
    return done.returncode, done.stdout


def not_shell(call):
    status, said = said_by("bash", "-n", "-c", call)
    return f"not shell: {said[-200:]}" if status else None


@functools.cache
def helped_targets():
    """The targets that make help lists."""
    return frozenset(re.findall(r"^  ([a-z][\w.-]*) ", said_by("make", "-s", "help")[1], re.M))


# Targets without a line of make help: each kernel of the lab is one, and user-tests is a part of the tests.
NOT_HELPED = re.compile(r"lab-.*|user-tests")


# Commands of make that were fine together: to read the Makefile takes make a second.
MADE = []


def make_all(found):
    """make -n of all targets at once; where that fails, make() finds out whose it is."""
    plain = [words for words in map(words_of, found) if all(re.fullmatch(r"[\w.-]+", word) for word in words)]
    status, _ = said_by("make", "-n", *(word for words in plain for word in words[1:]), MAKEFLAGS="")
    if status == 0:
        MADE.extend(plain)


def make(call):
    """make -n: what make would do."""
    words = words_of(call)
    targets = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    unknown = [word for word in targets if word not in helped_targets() and not NOT_HELPED.fullmatch(word)]
    if unknown:
        return f"make help does not list {unknown}"
    if words in MADE:
        return None
    status, said = said_by("make", "-n", *words[1:], MAKEFLAGS="")
    return f"make -n: status {status}: {said.strip()[-200:]}" if status else None


@functools.cache
def parts():
    """The parts and the sizes of tests/check."""
    status, said = said_by("bash", "-c", '. tests/parts.sh; echo "${!command[@]}" quick check all')
    expect(status == 0, said)
    return frozenset(said.split())


@functools.cache
def help_of(path):
    """What a script says with --help, if it knows that; otherwise its text and that of its helpers."""
    text = read(path)
    if "argparse" in text or re.search(r"--help\b.*(\)|usage)", text):
        return said_by(path, "--help")[1]
    return "\n".join(read(os.path.relpath(name, TOP))
                     for name in [os.path.join(TOP, path), *glob.glob(os.path.join(TOP, os.path.dirname(path), "*.py"))])


def is_placeholder(word):
    return bool(re.fullmatch(r"[A-Z_]+(\.\w+|\.\.\.)?|\[.*\]?", word))


def is_known(word, text):
    return is_placeholder(word) or re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text)


def wrong_argument(path, before, word):
    """What is wrong with an argument of a script, or None; before: the word before it."""
    if re.match(r"(tests|scripts|docs)/", word) and not os.path.exists(os.path.join(TOP, word)):
        return f"{word} does not exist"
    if word.startswith("--") and not is_known(word.split("=")[0], help_of(path)):
        return f"{path} does not know {word}"
    if (path, before) == ("scripts/lab-kernel", "get") or before in ("--kernel", "scripts/lab-module"):
        return None if is_known(word, help_of("scripts/lab-kernel")) else f"there is no kernel {word}"
    return None


def words(call):
    """The program is there, and knows its parts and options; what comes behind -- is the command of somebody else."""
    all_words = words_of(call)
    path, arguments = all_words[0], all_words[1:]
    if not os.access(os.path.join(TOP, path), os.X_OK):
        return f"{path} is no program"
    if path == "tests/check":
        unknown = [word for word in arguments if word not in parts() and not is_placeholder(word)]
        return f"tests/parts.sh has no part {unknown}" if unknown or not arguments else None
    arguments = arguments[:arguments.index("--")] if "--" in arguments else arguments
    wrong = [wrong_argument(path, before, word) for before, word in zip([path, *arguments], arguments)]
    return next(filter(None, wrong), None)


@functools.cache
def headers():
    """The package of headers that Debian has for its own kernel, in place of linux-headers-$(uname -r)."""
    architecture = said_by("dpkg", "--print-architecture")[1].strip()
    found = re.findall(r"Depends: (linux-headers-\S+)", said_by("apt-cache", "depends", f"linux-headers-{architecture}")[1])
    if not found:
        raise Skip("apt's lists have no kernel: apt-get update")
    return found[0]


def apt_words(call):
    """
    Arguments for apt-get -s. The running kernel may be none of Debian's; the packages that `make deb` makes may not be
    built, and what scripts/packaging/debian has them depend on stands for them.
    """
    call = call.replace("$(uname -r)", headers().removeprefix("linux-headers-"))
    words = [word for word in words_of(call)[1:] if not word.startswith("./build/deb/")]
    if "./build/deb/gapp-dkms_*.deb" in call:
        words += re.search(r"^Depends: (dkms, openssl)", read("scripts/packaging/debian/control"), re.M).group(1).split(", ")
    return words


# Commands of apt-get that were fine together: to read its lists takes apt some seconds.
INSTALLED = []


def apt_all(found):
    """apt-get -s of all packages at once; where that fails, apt_get() finds out whose it is."""
    if not shutil.which("apt-get"):
        return
    plain = [words for words in map(apt_words, found) if words[:2] == ["install", "-y"]]
    if said_by("apt-get", "-s", "install", "-y", *(word for words in plain for word in words[2:]))[0] == 0:
        INSTALLED.extend(plain)


def apt_get(call):
    """What apt would do."""
    if not shutil.which("apt-get"):
        raise Skip("no apt-get")
    words = apt_words(call)
    if words in INSTALLED:
        return None
    option = "--print-uris" if words == ["update"] else "-s"
    status, said = said_by("apt-get", option, *words)
    return f"apt-get {option}: {said.strip()[-300:]}" if status else None


def udevadm(call):
    if not shutil.which("udevadm"):
        raise Skip("no udevadm")
    _, program, option = words_of(call)
    known = said_by("udevadm", program, "--help")[1]
    return None if is_known(option, known) else f"udevadm {program} does not know {option}"


JUDGES = {"make": make, "words": words, "apt-get": apt_get, "udevadm": udevadm}

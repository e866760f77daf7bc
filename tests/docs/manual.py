# SPDX-License-Identifier: GPL-2.0
"""The man pages: well formed, and as the sources have it."""

import glob
import os
import re
import shutil
import subprocess
import tempfile

from harness import READER, Skip, TOP, equal, expect, options, read, test

PAGES = ("docs/gapp-read.1", "docs/gapp.4", "docs/gapp.data.5")
# mandoc wants lines of the source below 80 bytes.
NO_MATTER = "input text line longer than 80 bytes"


def plain(page):
    """The text of a page without what only says how it looks."""
    return re.sub(r"\\f[BIR]", "", read(page)).replace("\\-", "-").replace('" "', "").replace("\\ ", " ")


def complaints(command, page):
    if not shutil.which(command[0]):
        raise Skip(f"no {command[0]}: scripts/setup docs")
    done = subprocess.run([*command, page], cwd=TOP, capture_output=True, text=True, check=False,
                          env={**os.environ, "LC_ALL": "C.UTF-8", "MANPAGER": "cat", "MANWIDTH": "80"})
    text = done.stderr + (done.stdout if command[0] == "mandoc" else "")
    return [line for line in text.splitlines() if NO_MATTER not in line]


@test
def man_has_no_warnings_about_the_pages():
    for page in PAGES:
        equal(complaints(["man", "--warnings", "-l"], page), [])


@test
def mandoc_has_nothing_to_say_about_the_pages():
    for page in PAGES:
        equal(complaints(["mandoc", "-T", "lint"], page), [])


@test
def every_option_is_in_the_manual_and_the_help():
    """That each is run by a test is seen at the end of tests/cli/run."""
    manual = plain("docs/gapp-read.1").split(".SH OPTIONS")[1].split(".SH REPORT")[0]
    helped = subprocess.run([READER, "--help"], check=True, capture_output=True, text=True).stdout
    for option in options():
        short = f'-{option.letter} ", " ' if option.letter else ""
        entry = rf"^\.BR? {short}--{option.name}\b"
        expect(re.search(entry, manual, re.M), f"--{option.name} has no entry in docs/gapp-read.1")
        line = rf"^  {f'-{option.letter},' if option.letter else '   '} --{option.name}\b"
        expect(re.search(line, helped, re.M), f"--{option.name} is not in --help")


@test
def words_of_options_are_in_the_manual():
    manual = plain("docs/gapp-read.1")
    for option in options():
        for word in option.words:
            expect(re.search(rf"(\.BR? .*|\|)\b{word}\b", manual), f"--{option.name} {word} is not in docs/gapp-read.1")


@test
def module_parameters_are_in_their_page():
    found = {}
    for path in glob.glob(os.path.join(TOP, "kmod", "**", "*.c"), recursive=True):
        if "/kmod/fault/" in path:
            continue  # not in a module that is installed
        found.update(re.findall(r'MODULE_PARM_DESC\((\w+), "[^"]*\((\d+)\)"\)', read(path)))
    expect(len(found) > 4, found)
    part = plain("docs/gapp.4").split(".SH PARAMETERS")[1].split(".SH INTERFACE")[0]
    equal(set(re.findall(r'^\.BR (\w+) " \((\d+)\)"', part, re.M)), set(found.items()))


@test
def commands_of_the_device_are_in_its_page():
    known = set(re.findall(r"#define (GAPP_IOC_(?!MAGIC)\w+)", read("include/uapi/gapp.h")))
    equal(set(re.findall(r"GAPP_IOC_\w+", plain("docs/gapp.4").replace('", "', " "))), known)


@test
def files_in_proc_are_in_their_page():
    made = set(re.findall(r'proc_create\w*\("(\w+)"', read("kmod/control/procfs.c")))
    expect(len(made) > 4, made)
    equal(set(re.findall(r"^\.IR? /proc/gapp/(?:session-N/)?(\w+)$",
                         plain("docs/gapp.4").replace(" N /", "N/"), re.M)), made)


@test
def the_format_has_the_marks_that_its_page_names():
    marks = set(re.findall(r'#define \w+_MAGIC "(\w+)"', read("user/data/block_head.h")))
    equal(set(re.findall(r"^\.BR (G[A-Z]+) ,$", plain("docs/gapp.data.5"), re.M)), marks)


@test
def what_is_installed_is_removed_again():
    with tempfile.TemporaryDirectory() as folder:
        make = ["make", "-s", "-C", TOP, f"DESTDIR={folder}", "PREFIX=/usr"]
        subprocess.run([*make, "install-user"], check=True, capture_output=True)
        files = {os.path.relpath(path, folder) for path in glob.glob(f"{folder}/**", recursive=True)
                 if os.path.isfile(path)}
        equal(files, {"usr/bin/gapp-read", "usr/share/man/man1/gapp-read.1", "usr/share/man/man4/gapp.4",
                      "usr/share/man/man5/gapp.data.5", "usr/share/zsh/site-functions/_gapp-read",
                      "usr/share/bash-completion/completions/gapp-read",
                      "usr/share/fish/vendor_completions.d/gapp-read.fish"})
        subprocess.run([*make, "uninstall"], check=True, capture_output=True)
        equal([path for path in glob.glob(f"{folder}/**", recursive=True) if os.path.isfile(path)], [])

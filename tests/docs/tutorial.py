# SPDX-License-Identifier: GPL-2.0
"""docs/tutorial.md: its programs do the same, and its output says what its text makes of it."""

import functools
import importlib.machinery
import importlib.util
import os
import pathlib
import shutil
import subprocess
import tempfile

from harness import TOP, equal, expect, read, test


@functools.cache
def script():
    """scripts/tutorial, which has no suffix."""
    loader = importlib.machinery.SourceFileLoader("tutorial_script", os.path.join(TOP, "scripts", "tutorial"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def shown():
    """The commands of the page, each with the output that stands there."""
    results = []
    for block in script().BLOCK.findall(read("docs/tutorial.md")):
        for line in block.splitlines(True):
            if line.startswith("$ "):
                results.append([line[2:].rstrip("\n"), ""])
            else:
                results[-1][1] += line
    return results


@test
def the_programs_of_the_tutorial_print_the_same():
    with tempfile.TemporaryDirectory() as folder:
        for source in pathlib.Path(TOP, "docs/examples/tutorial").glob("*.c"):
            shutil.copy(source, folder)
        made = []
        for command, _ in shown():
            if command.startswith("gcc "):
                subprocess.run(command + " -Wall -Wextra -Werror", shell=True, cwd=folder, check=True, capture_output=True)
                made.append(command.split()[command.split().index("-o") + 1])
        equal(made, ["wordcount", "wordcount-mended"])
        printed = [subprocess.run(["./" + name], cwd=folder, check=True, capture_output=True).stdout for name in made]
        equal(printed[0], printed[1])
        expect(len(printed[0].split()) == 6, printed)
        for command, output in shown():
            if command.startswith("diff "):
                equal(output, script().run_here(command, pathlib.Path(folder)))


@test
def the_output_in_the_tutorial_says_what_its_text_says():
    page = dict(shown())
    for begin, pattern, wanted in script().HOLDS:
        expect(any(command.startswith(begin) for command in page), "not on the page:", begin)
        equal(script().holds(shown(), begin, pattern), wanted, begin, pattern)

# SPDX-License-Identifier: GPL-2.0
"""Links between the documents, and paths that they name, lead somewhere."""

import glob
import os
import re

from exceptions import excuse
from extract import MANUAL, pages, plain
from harness import TOP, expect, read, test

# A span that is a path in the tree, perhaps with a pattern.
PATH = re.compile(r"(?:docs|include|kmod|user|scripts|tests|\.ci)/[\w./*{},-]+")


def without_code(text):
    """Text with code blocks blanked."""
    return re.sub(r"^```.*?^```", lambda block: "\n" * block.group(0).count("\n"), text, flags=re.M | re.S)


def anchors(page):
    """What # may name in a page."""
    titles = re.findall(r"^#+ (.*)$", without_code(read(page)), re.M)
    return {re.sub(r"[^\w\s-]", "", title.lower().replace("`", "")).strip().replace(" ", "-") for title in titles}


def line_of(text, at):
    return text.count("\n", 0, at) + 1


def exists(path):
    found = re.search(r"\{([^{}]*)\}", path)
    if found:
        return all(exists(path[:found.start()] + each + path[found.end():]) for each in found.group(1).split(","))
    return bool(glob.glob(os.path.join(TOP, path)))


@test
def links_lead_somewhere():
    failures = []
    for page in pages():
        text = without_code(read(page))
        for found in re.finditer(r"\[[^\]]*\]\(([^)\s]+)\)", text):
            target, _, anchor = found.group(1).partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            path = os.path.normpath(os.path.join(os.path.dirname(page), target)) if target else page
            fine = exists(path) and (not anchor or (path.endswith(".md") and anchor in anchors(path)))
            if not fine and not excuse("link", found.group(1)):
                failures.append(f"{page}:{line_of(text, found.start())}: {found.group(1)}")
    expect(not failures, *failures)


@test
def titles_that_are_quoted_beside_a_link_are_there():
    """[page](page.md), "Title": the title is that of a section, or begins a paragraph in bold."""
    failures = []
    for page in pages():
        text = without_code(read(page))
        for found in re.finditer(r'\[[^\]]*\]\(([^)\s#]+\.md)\),\s+"([^"]+)"', text):
            path = os.path.normpath(os.path.join(os.path.dirname(page), found.group(1)))
            title = " ".join(found.group(2).split())
            if exists(path) and not re.search(rf"^(#+ |- \*\*|\*\*){re.escape(title)}", read(path), re.M):
                failures.append(f"{page}:{line_of(text, found.start())}: {found.group(1)} has no {title!r}")
    expect(not failures, *failures)


@test
def paths_in_the_documents_exist():
    failures = []
    for page in [*pages(), *MANUAL]:
        text = read(page)
        if page in MANUAL:
            named = re.finditer(r"(?<![\w/])docs/[\w./-]+\w", plain(text))
        else:
            named = re.finditer(r"(?<=`)" + PATH.pattern + r"(?=[`\s])", without_code(text))
        for found in named:
            if not exists(found.group(0).rstrip("/")) and not excuse("link", found.group(0)):
                failures.append(f"{page}:{line_of(text, found.start())}: {found.group(0)}")
    expect(not failures, *failures)


@test
def man_pages_name_each_other():
    """A page of ours that another one names is there, in that section."""
    ours = {os.path.basename(page) for page in MANUAL}
    failures = []
    for page in MANUAL:
        for name, section in re.findall(r"^\.BR (gapp[\w.-]*) \((\d)\)", plain(read(page)), re.M):
            if f"{name}.{section}" not in ours:
                failures.append(f"{page}: {name}({section})")
    expect(not failures, *failures)

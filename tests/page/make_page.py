#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Makes a page without the reader: of a made-up run, or of a report's JSON.

usage: tests/page/make_page.py [--slices N] [--threads N] [--programs N] [--cpus N] [--hostile] -o FILE.html
       tests/page/make_page.py --report FILE.json [--text FILE.txt] -o FILE.html
"""
import argparse
import html
import json
import pathlib
import re
import sys

import made_report
import simulate

TOP = pathlib.Path(__file__).resolve().parents[2]
PAGE = TOP / "user" / "export" / "page"


def scripts():
    """The page's scripts in the order in which the build puts them together."""
    listed = re.search(r"^PAGE_SCRIPTS := ((?:.*\\\n)*.*)$", (TOP / "user" / "build.mk").read_text(), re.M)
    return [PAGE / name for name in listed[1].replace("\\\n", " ").split()]


def as_json(value):
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")


def fill(report, timeline, details, title):
    parts = {
        "TITLE": html.escape(title), "STYLE": (PAGE / "page.css").read_text().rstrip("\n"),
        "SCRIPT": "".join(path.read_text() for path in scripts()).rstrip("\n"),
        "NOSCRIPT": f"<pre>{html.escape(details.get('text', ''))}</pre>",
        "REPORT": as_json(report), "TIMELINE": as_json(timeline), "DETAILS": as_json(details),
    }
    lines = (PAGE / "page.html").read_text().split("\n")
    return "\n".join(parts.get(line[1:-1], line) if re.fullmatch("@[A-Z]+@", line) else line
                     for line in lines)


def made_up(slices=3000, threads=6, programs=1, cpus=4, hostile=False, seed=1, **options):
    """(report, timeline, details) of a made-up run."""
    run = simulate.Run(slices, threads, programs, cpus, seed, hostile)
    report = made_report.report(run)
    return report, simulate.timeline(run, **options), made_report.details(run, report)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    for name, value in (("slices", 3000), ("threads", 6), ("programs", 1), ("cpus", 4)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--hostile", action="store_true")
    parser.add_argument("--report", type=pathlib.Path)
    parser.add_argument("--text", type=pathlib.Path)
    parser.add_argument("-o", dest="out", type=pathlib.Path, required=True)
    options = parser.parse_args()
    if options.report:
        parts = (json.loads(options.report.read_text()), None,
                 {"text": options.text.read_text() if options.text else ""})
    else:
        parts = made_up(options.slices, options.threads, options.programs, options.cpus, options.hostile)
    options.out.write_text(fill(*parts, title=f"gapp: {options.out.stem}"))
    return 0


if __name__ == "__main__":
    sys.exit(main())

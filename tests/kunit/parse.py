#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Reads KTAP (a kernel's log will do), prints `ok - kunit: TEST` and the like, one line a test.

Only tests without tests of their own are printed. A plan that is not fulfilled is a failure.
"""
import re
import sys

RESULT = re.compile(r"( *)(not ok|ok) \d+ ?-? ?(.*)")
PLAN = re.compile(r"( *)1\.\.(\d+)$")


def lines(stream):
    for line in stream:
        yield re.sub(r"^(<\d+>)?\[ *\d+\.\d+\](\[[^]]*\])? ", "", line.rstrip("\n"))


def split_directive(text):
    name, _, directive = text.partition(" # ")
    return name.strip(), directive.strip()


class Parser:
    def __init__(self):
        self.plans = {}  # by indentation: results due, results seen
        self.children = {}  # by indentation: results that wait for the one they are part of
        self.why = ""
        self.counts = {"ok": 0, "not ok": 0, "skip": 0}

    def emit(self, verdict, name, why=""):
        self.counts[verdict] += 1
        print(f"{verdict} - kunit: {name}" + (f" ({why})" if why else ""))

    def result(self, indent, verdict, text):
        name, directive = split_directive(text)
        parts = []
        for deeper in sorted(k for k in self.children if k > indent):
            parts += self.children.pop(deeper)
        for deeper in [k for k in self.plans if k > indent]:
            due, seen = self.plans.pop(deeper)
            if seen != due:
                parts.append(("not ok", "the plan", f"{seen} of {due} results are there"))
        if indent in self.plans:
            self.plans[indent][1] += 1

        self.why = self.why.removeprefix(f"{name}: ")
        if directive.startswith("SKIP"):
            verdict, why = "skip", directive[4:].strip() or "no reason"
        else:
            why = (self.why or "no reason") if verdict == "not ok" else ""
        self.why = ""
        if not parts:
            parts = [(verdict, name, why)]
        elif indent > 0:
            parts = [(v, f"{name}: {part}", w) for v, part, w in parts]
            if verdict == "not ok" and all(v != "not ok" for v, _, _ in parts):
                parts.append((verdict, name, why))
        self.children.setdefault(indent, []).extend(parts)

    def line(self, line):
        plan = PLAN.match(line)
        result = RESULT.match(line)
        if plan:
            # Suites come one behind the other, each with a plan: what one lacks is not forgotten.
            due, seen = self.plans.get(len(plan[1]), (0, 0))
            self.plans[len(plan[1])] = [due + int(plan[2]), seen]
        elif result:
            self.result(len(result[1]), result[2], result[3])
        elif not self.why and re.search("(EXPECTATION|ASSERTION) FAILED", line):
            self.why = "\0"
        elif self.why == "\0":
            self.why = line.strip().lstrip("# ")

    def end(self):
        for indent in sorted(self.children):
            for verdict, name, why in self.children[indent]:
                self.emit(verdict, name, why)
        for due, seen in self.plans.values():
            if seen != due:
                self.emit("not ok", "the plan", f"{seen} of {due} results are there")
        if not sum(self.counts.values()):
            self.emit("not ok", "the run", "no results at all")
        return 1 if self.counts["not ok"] else 0


def main():
    parser = Parser()
    with open(sys.argv[1], errors="replace") if len(sys.argv) > 1 else sys.stdin as stream:
        for line in lines(stream):
            parser.line(line)
    return parser.end()


if __name__ == "__main__":
    sys.exit(main())

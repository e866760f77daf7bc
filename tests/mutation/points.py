# SPDX-License-Identifier: GPL-2.0
"""Where C sources can be mutated, and how: a tokeniser and as much of a parser as that takes."""

import bisect
import hashlib
import random
import re
from pathlib import Path

KINDS = ("constant", "operator", "condition", "arguments", "dropped", "return")

TOKEN = re.compile(r"""
    (?P<comment>/\*.*?\*/|//[^\n]*)
  | (?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
  | (?P<directive>^[ \t]*\#(?:\\\n|/\*.*?\*/|[^\n])*)
  | (?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<op><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[-+*/%&|^~!<>=?:;,.(){}[\]])
  | (?P<other>.)""", re.X | re.S | re.M)

OPERATORS = {
    "+": ("-",), "-": ("+",), "*": ("+", "/"), "/": ("*",), "%": ("/", "+"),
    "<": ("<=", ">"), "<=": ("<", ">"), ">": (">=", "<"), ">=": (">", "<"),
    "==": ("!=", "<="), "!=": ("==",), "&&": ("||",), "||": ("&&",),
    "&": ("|",), "|": ("&", "^"), "^": ("|",), "<<": (">>",), ">>": ("<<",),
    "+=": ("-=", "="), "-=": ("+=", "="), "|=": ("=", "&="), "&=": ("=", "|="), "*=": ("=",),
    "<<=": (">>=",), ">>=": ("<<=",), "++": ("--",), "--": ("++",),
}
KEYWORDS = {"if", "else", "while", "for", "do", "switch", "case", "default", "return", "goto",
            "break", "continue", "sizeof", "typeof", "asm"}
TYPES = {"int", "char", "long", "short", "void", "unsigned", "signed", "bool", "float", "double",
         "struct", "union", "enum", "const", "static", "extern", "volatile", "register", "typedef"}


def tokens_of(text):
    """(kind, text, start) of each token that is compiled always: neither comment nor in an #if."""
    tokens, directives, depth = [], [], 0
    for found in TOKEN.finditer(text):
        kind, word = found.lastgroup, found.group()
        if kind == "directive":
            words = re.findall(r"\w+", word) + ["", ""]
            directives.append(words)
            if words[0] in ("if", "ifdef", "ifndef"):
                depth += 1
            elif words[0] == "endif":
                depth -= 1
            elif len(directives) == 2 and words[:2] == ["define", directives[0][1]]:
                depth -= 1  # the header's guard: its #ifndef does not count
        elif kind not in ("comment", "other") and depth <= 0:
            tokens.append((kind, word, found.start()))
    return tokens


class Parser:
    """Fills @points with (kind, edits); an edit is (start, end, new text)."""

    def __init__(self, text):
        self.text, self.points = text, []
        tokens = tokens_of(text) + [("op", ";", len(text))] * 3
        self.kind, self.word, self.at = ([token[i] for token in tokens] for i in range(3))
        self.match, opened = {}, []
        for i, word in enumerate(self.word):
            if word in ("(", "[", "{"):
                opened.append(i)
            elif word in (")", "]", "}") and opened:
                self.match[opened.pop()] = i
        if not opened:
            self.file(len(tokens) - 3)

    def add(self, kind, *edits):
        self.points.append((kind, edits))

    def replace(self, kind, first, last, new):
        """Of whole tokens; the number of lines stays."""
        start, end = self.at[first], self.at[last] + len(self.word[last])
        self.add(kind, (start, end, new + "\n" * self.text.count("\n", start, end)))

    def until(self, i, end, words):
        while i < end and self.word[i] not in words:
            i = self.match.get(i, i) + 1
        return min(i, end)

    def file(self, end):
        i = 0
        while i < end:
            if self.word[i] == "=":
                stop = self.until(i, end, ";")
                self.expression(i + 1, stop)
                i = stop
            elif self.word[i] == "{" and self.word[i - 1] == ")":
                self.body(i + 1, self.match[i])
            i = self.match.get(i, i) + 1

    def body(self, i, end):
        while i < end:
            word, after = self.word[i], self.word[i + 1]
            close = self.match.get(i + 1, i + 1)
            if word in ("if", "while", "for", "switch"):
                self.condition(word, i + 2, close)
                i = close + 1
            elif word in ("{", "}", ";", "else", "do"):
                i += 1
            elif word in ("case", "default") or (after == ":" and self.kind[i] == "name"):
                i = self.until(i, end, ":") + 1
            elif after == "(" and self.kind[i] == "name" and (
                    self.word[close + 1] == "{" or self.kind[close + 1] == "name"):
                self.expression(i, close)  # a macro that makes a loop
                i = close + 1
            else:
                stop = self.until(i, end, ";")
                self.statement(i, stop)
                i = stop + 1

    def condition(self, word, first, close):
        start, stop = first, close
        if word == "for":
            start = self.until(first, close, ";") + 1
            stop = self.until(start, close, ";")
        if word != "switch" and start < stop:
            end = self.at[stop - 1] + len(self.word[stop - 1])
            self.add("condition", (self.at[start], self.at[start], "!("), (end, end, ")"))
        self.expression(first, close)

    def statement(self, i, stop):
        word = self.word[i]
        if word == "return":
            value = " ".join(self.word[i + 1:stop])
            if value and value != "NULL":
                new = {"0": "1", "true": "false", "false": "true"}.get(value, "0")
                self.replace("return", i + 1, stop - 1, new)
            self.expression(i + 1, stop, value in ("0", "true", "false"))
            return
        name = i + 1
        while self.word[name] == "*":
            name += 1
        if word in TYPES or (self.kind[i] == "name" and word != "goto" and
                             self.kind[name] == "name"):
            self.expression(self.until(i, stop, "=") + 1, stop)
            return
        self.replace("dropped", i, stop - 1, "(void)0")
        self.expression(i, stop)

    def expression(self, i, stop, no_constant=False):
        for k in range(i, stop):
            kind, word, before, after = self.kind[k], self.word[k], self.word[k - 1], self.word[k + 1]
            index = after == "]" and self.word[k + 2] == "="
            if word in OPERATORS:
                self.operator(k)
            elif kind == "number" and not index and not no_constant:
                self.number(k)
            elif word in ("true", "false") and not no_constant:
                self.replace("constant", k, k, "false" if word == "true" else "true")
            elif kind == "name" and after == "(" and word not in KEYWORDS:
                if word != "calloc":  # its two arguments are multiplied
                    self.call(k + 2, self.match[k + 1])
            elif re.fullmatch(r"[A-Z][A-Z0-9_]+", word) and word != "NULL" and not index and \
                    before not in (".", "->") and "string" not in self.kind[k - 1:k + 2:2]:
                self.replace("constant", k, k, f"({word} + 1)")

    def operator(self, k):
        before, after, word = self.word[k - 1], self.word[k + 1], self.word[k]
        operand = self.kind[k - 1] in ("name", "number", "string") and before not in KEYWORDS
        if word not in ("++", "--") and not operand and before not in (")", "]"):
            return
        if word == "*" and (after in (")", ",", "*") or before in TYPES):
            return
        for new in OPERATORS[word]:
            self.replace("operator", k, k, new)

    def number(self, k):
        digits, suffix = re.fullmatch(r"(0[xX][0-9a-fA-F]+|[\d.]+)(.*)", self.word[k]).groups()
        if "." in digits:
            self.replace("constant", k, k, f"({self.word[k]} + 1)")
            return
        value = int(digits, 0 if digits[:2] in ("0x", "0X") else 8 if digits[0] == "0" else 10)
        # any result below 0 is an error, whichever it is
        is_error = self.word[k - 2:k + 2] == ["return", "-", "1", ";"]
        for new in (value - 1,) if is_error else (value + 1, value - 1):
            if new >= 0:
                shown = hex(new) if "x" in digits else f"0{new:o}" if digits[0] == "0" and value else new
                self.replace("constant", k, k, f"{shown}{suffix}")

    def call(self, first, close):
        spans = []
        while first < close:
            stop = self.until(first, close, ",")
            spans.append((self.at[first], self.at[stop - 1] + len(self.word[stop - 1])))
            first = stop + 1
        for (a, b), (c, d) in zip(spans, spans[1:]):
            if self.text[a:b] != self.text[c:d]:
                self.add("arguments", (a, b, self.text[c:d]), (c, d, self.text[a:b]))


class Mutant:
    def __init__(self, file, text, kind, edits):
        self.file, self.kind, self.text = file, kind, text
        self.line = text.count("\n", 0, edits[0][0]) + 1
        for start, end, new in reversed(edits):
            text = text[:start] + new + text[end:]
        self.mutated = text
        pairs = zip(self.text.split("\n"), text.split("\n"))
        self.diff = [(old.strip(), new.strip()) for old, new in pairs if old != new]
        self.key = hashlib.sha256((file + self.text + text).encode()).hexdigest()[:24]

    def __str__(self):
        minus, plus = (" ".join(lines) for lines in zip(*self.diff))
        return f"{self.file}:{self.line} {self.kind}: -{minus} +{plus}"


def mutants_of_line(file, text):
    """{line number: its mutants}"""
    starts = [0] + [found.end() for found in re.finditer("\n", text)]
    lines = {}
    for kind, edits in Parser(text).points:
        lines.setdefault(bisect.bisect_right(starts, edits[0][0]), []).append((kind, edits))
    return lines


def drawn(seed, files, top):
    """
    Mutants of @files in the order of their drawing, one a line. A line's place in that order, and
    what becomes of it, follow from its text: they stay when other lines change or files move.
    """
    order = []
    for file in sorted(files):
        text, seen = (Path(top) / file).read_text(), {}
        source = text.split("\n")
        for line, points in sorted(mutants_of_line(file, text).items()):
            name = f"{seed} {Path(file).name} {source[line - 1].strip()}"
            seen[name] = seen.get(name, 0) + 1
            order.append((hashlib.sha256(f"{name} {seen[name]}".encode()).hexdigest(),
                          file, text, points))
    for digest, file, text, points in sorted(order, key=lambda line: line[:2]):
        choice = random.Random(digest)
        kind = choice.choice([kind for kind in KINDS if any(kind == point[0] for point in points)])
        yield Mutant(file, text, *choice.choice([point for point in points if point[0] == kind]))

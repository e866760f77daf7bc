# SPDX-License-Identifier: GPL-2.0
"""docs/performance.md from docs/performance.json and report_page.md, whose words with @ are filled in."""

import re
from pathlib import Path

TEMPLATE = Path(__file__).resolve().with_name("report_page.md")
ASKED = ["", "at most", "aim", "measured", "spread", "verdict", "command"]
ROWS = ["", "measured", "spread", "command"]
VERDICTS = {kind: kind for kind in ("reached", "within the limit", "not reached", "not decided", "not measured")}
VERDICTS["within the limit"] += " but not what is aimed at"


def said(figure):
    if figure is None or isinstance(figure, str):
        return figure or "-"
    if isinstance(figure, int):
        return f"{figure:,}"
    return f"{figure:,.1f}" if abs(figure) >= 1 else f"{figure:.3f}"


def value(row):
    """Bold: above its limit."""
    figure = said(row["value"]) if row["measurable"] else "not measurable"
    return f"**{figure}**" if verdict(row) == "not reached" else figure


def plain(words):
    return " ".join(words.split()).replace("|", "\\|")


def code(command):
    """Patterns are for the script, not for the shell."""
    words = (f"'{word}'" if "*" in word and "'" not in word else word for word in command.split())
    return f"`{' '.join(words)}`"


def verdict(row):
    return row.get("verdict", "").replace(";", ":").split(":")[0]


def table(head, lines, left=1):
    """The last @left columns and the first one to the left."""
    rule = "|---|" + "---:|" * (len(head) - 1 - left) + "---|" * left
    return "\n".join(["| " + " | ".join(head) + " |", rule, *("| " + " | ".join(line) + " |" for line in lines)])


class Page:
    def __init__(self, whole):
        self.parts, self.kinds = whole["parts"], []

    def rows(self, part):
        return {row["id"]: row for row in self.parts[part]["rows"]}

    def programs(self):
        return [row for row in self.parts["programs"]["rows"] if "without_unit" in row]

    def asked(self, part, name, words):
        rows = self.rows(part)
        if name == "worst":
            rows[name] = max(self.programs(), key=lambda row: row["value"] or 0, default={})
        row = rows.get(name, {})
        kind = verdict(row) or "not measured"
        self.kinds.append(kind)
        words = words.replace("@worst@", plain(row.get("title", "none")))
        if kind == "not measured":
            return [words, *"----", f"**{kind}**", code(self.parts[part]["command"])]
        return [words, said(row["limit"]), said(row.get("reach")), value(row), said(row["spread"]),
                f"**{kind}**" if kind.startswith("not") else kind, code(row["command"])]

    def row(self, part, name, words):
        row = self.rows(part).get(name) or self.parts[part]
        return [words, value(row) if "id" in row else "not measured", said(row.get("spread")), code(row["command"])]

    def sentence(self):
        told = [f"{self.kinds.count(kind)} are {words}" for kind, words in VERDICTS.items() if kind in self.kinds]
        return f"Of the {len(self.kinds)} numbers that are asked for, {', '.join(told)}."

    def commits(self, commit):
        """The commit of the figures, and the parts that have another one."""
        others = {}
        for name, part in self.parts.items():
            if part.get("commit", commit) != commit:
                others.setdefault(part["commit"], []).append(f"`tests/bench/{name}`")
        return ", ".join([f"`{commit}`", *(f"those of {' and '.join(names)} at `{other}`"
                                           for other, names in others.items())])

    def where(self):
        row = self.rows("profile").get("pipe/stats")
        if not row:
            return "Where the instructions of `stats` go was not measured."
        ours = [one for one in row["functions"] if one["object"] == "gapp"][:3]
        clock = sum(one["added"] for one in row["functions"] if one["function"].startswith("ktime_get"))
        names = ", ".join(f"`{one['function']}` {said(one['added'])}" for one in ours)
        return (f"Where the instructions of `stats` go: {said(row['objects'].get('gapp', 0))} of the "
                f"{said(row['value'])} that the profiler counts are in gapp\n({names}),\nand {said(clock)} read "
                f"the clock ({code(row['command'])}).")

    def peers(self):
        ours, tools = [], []
        for row in self.parts["peers"]["rows"]:
            like = (row.get("like") or ["-"])[0]
            cells = [plain(row["title"]), value(row), said(row["spread"]), f"`{row['id'].removeprefix('pipe/')}`"]
            if "times_gapp" in row:
                cells[3:3] = [str(row["times_gapp"].get(like, "-")), f"`{like.removeprefix('pipe/')}`"]
            (tools if "times_gapp" in row else ours).append(cells)
        return table(["gapp", "added", "spread", "NAME"], ours) + "\n\n" + table(
            ["tool", "added", "spread", "times", "gapp's set-up", "NAME"], tools, 2)

    def program_rows(self):
        head = ["program", "switches/s", "% added", "spread", "probe, %", "gapp-read, %", "at first, %", "NAME"]
        return table(head, [[plain(row["title"]), said(row.get("switches_per_s")), value(row), said(row["spread"]),
                             *(said(row.get(key)) for key in ("probe", "reader", "reader_at_first")),
                             f"`{row['id']}`"] for row in self.programs()])

    def missing(self):
        gone = [f"- `{part}`: {plain(one['id'])}: {plain(one['reason'])} ({code(one['command'])})"
                for part, each in self.parts.items() for one in each["missing"]]
        return "\n".join(gone) or "Nothing is missing."

    def lines(self, match):
        """Lines of @asked, or of @row, as a table."""
        rows = [line.split(" ", 2) for line in match.group().strip().split("\n")]
        asked = rows[0][0] == "@asked"
        cells = [(self.asked if asked else self.row)(*row.split(":"), words) for _, row, words in rows]
        return table(ASKED if asked else ROWS, cells, 2 if asked else 1) + "\n"


def page(whole):
    one, text = Page(whole), TEMPLATE.read_text(encoding="utf-8")
    text = re.sub(r"^(?:@asked .*\n)+|^(?:@row .*\n)+", one.lines, text, flags=re.M)
    events, boots = one.parts["events"], one.parts["peers"].get("boots", 1)
    words = {
        "sentence": one.sentence(), "commit": one.commits(whole["commit"]), "kernel": events.get("kernel", "-"),
        "without": said(next((row["without"] for row in events["rows"] if "without" in row), None)),
        "where": one.where(), "peers": one.peers(), "programs": one.program_rows(), "missing": one.missing(),
        "boots": "all in one boot" if boots < 2 else f"**in {boots} boots: not to be compared**"}
    return re.sub(r"@([a-z]+)@", lambda match: words[match.group(1)], text)

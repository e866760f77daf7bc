# SPDX-License-Identifier: GPL-2.0
"""The parts of the benchmark, as build/bench/*.json has them."""

import json

import report_origin

PARTS = ("events", "peers", "programs", "scale", "reader", "tables", "contention", "profile")
# What a row is that does not say so: measured once.
OTHERWISE = {"spread": None, "measurable": True, "pairs": 1}
NEEDED = ("id", "title", "command", "unit", "value")


class Part:
    """Rows by their names. @reason: why there are none; None: the part was measured."""

    def __init__(self, name, data=None, reason=None):
        data = data or {"rows": []}
        self.name, self.reason = name, reason
        self.command = data.get("command", f"tests/bench/{name}")
        self.kernel, self.machine = data.get("kernel", ""), data.get("machine", {})
        self.wall_machine = data.get("wall_machine", {})
        self.rows = {} if reason else {row["id"]: {**OTHERWISE, **row} for row in data["rows"]}
        self.missing = [] if reason else data.get("missing", [])

    def get(self, row_id):
        return self.rows.get(row_id)

    def under(self, beginning):
        return [row for row in self.rows.values() if row["id"].startswith(beginning)]

    def why_not(self, row_id):
        """There is no such row: the reason."""
        if self.reason:
            return self.reason
        for gone in self.missing:
            if row_id == gone["id"] or row_id.startswith(gone["id"] + "/"):
                return gone["reason"]
        return "the last run was not asked for it"


def fault(name, data):
    """What is wrong with the form of a file; None: nothing."""
    if not isinstance(data, dict) or data.get("part") != name:
        return f"the file is not of tests/bench/{name}"
    rows, missing = data.get("rows"), data.get("missing", [])
    if not isinstance(rows, list) or not isinstance(missing, list):
        return "the file has no rows"
    for row in rows:
        if not isinstance(row, dict) or any(key not in row for key in NEEDED):
            return "the file has a row without " + ", ".join(NEEDED[:-1]) + " or " + NEEDED[-1]
        if isinstance(row["value"], bool) or not isinstance(row["value"], (int, float)):
            return f"the value of {row['id']} is no number"
    if any(not isinstance(gone, dict) or not {"id", "reason"} <= gone.keys() for gone in missing):
        return "the file has something missing without id or reason"
    return None


def load(name, folder, any_sources=False):
    """@any_sources: for a look at figures of older sources, which the page does not show."""
    path = folder / f"{name}.json"
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Part(name, reason="it was not run")
    except (OSError, ValueError) as error:
        return Part(name, reason=f"{path.name} cannot be read: {error}")
    reason = fault(name, data)
    if reason:
        return Part(name, reason=reason)
    if not any_sources:
        reason = report_origin.difference(name, data.get("sources"))
    return Part(name, data, reason)


def load_all(folder, any_sources=False):
    return {name: load(name, folder, any_sources) for name in PARTS}

# SPDX-License-Identifier: GPL-2.0
"""docs/performance.json: every row of build/bench/*.json, rounded and judged."""

import json
from pathlib import Path

from figures import NOT_MEASURABLE, rounded, times, verdict
from report_origin import difference

PARTS = ("events", "peers", "programs", "scale", "reader", "tables", "contention", "profile")
NEEDED = ("id", "title", "command", "unit", "value")
MOST_FUNCTIONS = 10
FORM = Path(__file__).resolve().with_name("report_form.json")
# Keys of rows that stay as they are, and those that have another name here.
SAME = ("copied_bytes", "events", "lost", "probe", "reader", "without", "millions_a_second")
OTHER = {"switches_a_second": "switches_per_s", "first_reader": "reader_at_first"}


def times_gapp(row, rows):
    """Of a tool: beside each of gapp's rows of the same loop."""
    ours = [other for other in rows if other["id"].startswith(row["id"].split("/")[0] + "/gapp-")]
    return {other["id"]: json.loads(times(row["value"] / other["value"]).replace(",", ""))
            if row["measurable"] and other["measurable"] and other["value"] else NOT_MEASURABLE
            for other in ours}


def row_of(part, raw, rows):
    if "counted" in raw:
        raw = {**raw, "value": raw["counted"], "spread": None, "measurable": True}
    row = {key: raw[key] for key in ("id", "title", "unit", "command")}
    row |= {"value": rounded(raw["value"]) if raw["measurable"] else None, "spread": rounded(raw["spread"]),
            "measurable": raw["measurable"]}
    row |= {key: rounded(raw[key]) for key in SAME if raw.get(key) is not None}
    row |= {new: rounded(raw[old]) for old, new in OTHER.items() if raw.get(old) is not None}
    if "alone" in raw and "instructions" in raw["unit"]:
        row |= {"without": round(raw["alone"] / 1e9, 2), "without_unit": "10^9 instructions"}
    if part == "peers" and "/gapp-" not in raw["id"]:
        row |= {"times_gapp": times_gapp(raw, rows), "like": [raw["against"]] if raw.get("against") else []}
    if "limit" in raw:
        row |= {key: raw[key] for key in ("limit", "reach") if raw.get(key) is not None}
        row["verdict"] = verdict(raw)
    if "functions" in raw:
        most = sorted(raw["functions"], key=lambda one: -one["added"])[:MOST_FUNCTIONS]
        row |= {"objects": raw["objects"],
                "functions": [{key: one[key] for key in ("object", "function", "added")} for one in most]}
    return row


def load(name, folder):
    """The file's content; or why it does not count."""
    path = folder / f"{name}.json"
    if not path.exists():
        return None, "it was not run"
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["part"] != name or any(key not in row for row in data["rows"] for key in NEEDED):
            return None, f"{path.name} is not of tests/bench/{name}, or has a row without {', '.join(NEEDED)}"
        wrong = [row["id"] for row in data["rows"] if type(row["value"]) not in (int, float)]
    except (OSError, ValueError, KeyError, TypeError) as error:
        return None, f"{path.name} cannot be read: {error!r}"
    reason = f"the value of {wrong[0]} is no number" if wrong else difference(name, data.get("sources"))
    return (None, reason) if reason else (data, None)


def part_of(name, data, reason):
    command = f"tests/bench/{name}"
    if reason:
        return {"command": command, "rows": [], "missing": [{"id": "*", "reason": reason, "command": command}]}
    rows = [{"spread": None, "measurable": True, "pairs": 1, **row} for row in data["rows"]]
    part = {"command": command, "kernel": data.get("machine", {}).get("kernel", data["kernel"])}
    part |= {key: data[key] for key in ("machine", "wall_machine") if data.get(key)}
    if rows:
        pairs = [row["pairs"] for row in rows]
        part["repeated"] = " to ".join(map(str, dict.fromkeys((min(pairs), max(pairs))))) + " pairs or runs"
    part["notes"] = [", ".join(row["title"] for row in rows if row.get("note") == note) + f": {note}."
                     for note in dict.fromkeys(row["note"] for row in rows if row.get("note"))]
    if name == "peers":
        part["boots"] = len({row.get("boot", row["id"]) for row in rows})
    part["rows"] = [row_of(name, row, rows) for row in rows]
    part["missing"] = [{**gone, "command": f"{command} --only {gone['id']}"} for gone in data.get("missing", [])]
    return part


def document(folder, commit, former=None):
    """A part that was not measured with these sources stays as it is in the @former document, if it is there."""
    parts, old = {}, (former or {}).get("parts", {})
    for name in PARTS:
        data, reason = load(name, folder)
        if reason and old.get(name, {}).get("rows"):
            parts[name] = {"commit": former["commit"], **old[name]}
        else:
            parts[name] = {"commit": commit, **part_of(name, data, reason)}
    return {"form": json.loads(FORM.read_text(encoding="utf-8")), "commit": commit, "parts": parts}


def text(whole):
    """JSON, one row a line."""
    def lines(value, depth):
        if isinstance(value, dict) and value and depth < 3:
            inner = [f"{json.dumps(key)}: {lines(each, depth + 1)}" for key, each in value.items()]
            return "{\n" + ",\n".join(inner) + "\n}"
        if isinstance(value, list) and value and depth == 3:
            return "[\n" + ",\n".join(lines(each, depth + 1) for each in value) + "\n]"
        return json.dumps(value, ensure_ascii=False)

    return lines(whole, 0) + "\n"

# SPDX-License-Identifier: GPL-2.0
"""What a page must show of counters, as checks.py has it of all else."""
from checks import NS, check, same, holds, percent, texts, rows, colours, data, shown_places, tip


def short_count(value):
    """As shortCount() of the page."""
    if value < 9999.5:
        return f"{value:.1f}" if value < 9.95 and value % 1 else str(int(value + 0.5))
    unit = -1
    while value >= 999.5 and unit < 5:
        value, unit = value / 1000, unit + 1
    return f"{value:.{2 if value < 9.995 else 1 if value < 99.95 else 0}f}{'kMGTPE'[unit]}"


def lines_of(over):
    """What the page has a line for: its name, and its row of the JSON."""
    return [(f"node {row['node']}" if row["node"] is not None else "unknown node", row)
            for row in over["by_node"]] or [("all CPUs", over["in_all"])]


def counter_words(over, name, row, counter, step):
    """What the tip says of a line."""
    begin, end = (over["end_s"][step - 1] if step else 0), over["end_s"][step]
    if counter is None:
        part = row["local_percent"][step]
        return f"{name} no loads" if part is None else f"{name} {part:.1f} %"
    count, since = row["counts"][counter][step], row["incomplete_from_s"].get(counter)
    doubt = "" if since is None or since >= end else "about " if counter == "local-memory" else "at least "
    return f"{name} {doubt}{count:,} ({short_count(count / (end - begin))} a second)"


@check
def counters_in_all_and_by_node(browser, page):
    browser.open(page.path)
    report = page.report
    same(browser.run("document.getElementById('counters').hidden"), not report.get("counters"), "counters are hidden")
    counted = [row for row in report.get("counters", []) if row["count"] is not None]
    found = rows(browser, "Counters") if counted else []
    same(len(found), len(counted), "counters in the table")
    for cells, row in zip(found, counted):
        mark = "" if row["complete"] else "~" if row["name"] == "local-memory" else ">="
        same(cells[:2], [row["name"], f"{mark}{row['count']:,}"], "a counter in all")
        for cell, node in zip(cells[3:], report["counters_by_node"]):
            same(cell.lstrip(">=~"), f"{node['counts'][row['name']]:,}", f"{row['name']} of node {node['node']}")
            same(cell[0] in ">~", row["name"] in node["incomplete"], f"whether all is there of {row['name']}")
    notes = " ".join(texts(browser, "#counters .note"))
    for row in report.get("counters", []):
        if row["not_counted_why"]:
            holds(f"Not counted: {row['name']} ({row['not_counted_why']})." in notes, f"{row['name']} in {notes!r}")
    if counted and not report.get("counters_over_time"):
        holds("does not tell of counters over time" in notes, notes)


def counted_words(counters):
    """What an open place says was counted."""
    def rate(value):
        return f"{value:.3g}" if 0 < value < 100 else short_count(value)

    words = []
    for name, value in counters["per_critical_second"].items():
        doubt = "" if name not in counters["incomplete"] else "~" if name == "local-memory" else ">="
        words.append(f"{doubt}{rate(value)} {name}")
    local = counters["local_percent"]
    return words + ([] if local is None else [f"{percent(local)} of loads local"])


@check
def counters_beside_places(browser, page):
    browser.open(page.path)
    for place in shown_places(page)[:3]:
        browser.click_on(f'#places button[aria-label="Open place {place["rank"]}"]')
        same(texts(browser, "#places tr.detail .counted li"),
             counted_words(place["counters"]) if place.get("counters") else [], f"counters of place {place['rank']}")
        browser.click_on(f'#places button[aria-label="Open place {place["rank"]}"]')


@check
def counters_over_time(browser, page):
    browser.open(page.path)
    over = page.report.get("counters_over_time")
    if not over:
        return
    canvas = "#counters canvas"
    for dark in (False, True):
        browser.open(page.path, dark=dark)
        holds(colours(browser, canvas) >= 4, "counters over time are blank")
    lines = lines_of(over)
    strips = [row["name"] for row in page.report["counters"] if row["count"] is not None]
    strips += ["local memory %"] if over["in_all"].get("local_percent") else []
    same(data(browser, canvas)["strips"], ",".join(strips), "strips")
    same(data(browser, canvas)["drawn"], str(len(over["end_s"]) * len(lines)), "steps that are drawn")
    same(texts(browser, "#counters .legend span:not(.swatch)"), [name for name, _ in lines], "the legend")
    browser.run("document.querySelector('#counters').scrollIntoView()")
    length = page.timeline["length_ns"] / NS if page.timeline else page.report["wall_s"]
    shown_lines = [("in all", over["in_all"]), *lines] if len(lines) > 1 else lines
    for number, strip in enumerate(strips):
        for step in range(0, len(over["end_s"]), max(len(over["end_s"]) // 7, 1)):
            begin, end = (over["end_s"][step - 1] if step else 0), over["end_s"][step]
            box = browser.box(canvas)
            x = 150 + (begin + end) / 2 / length * (box["width"] - 150)
            if (end - begin) / length * (box["width"] - 150) < 3 or end > length:
                continue
            browser.mouse("mouseMoved", box["x"] + x, box["y"] + number * 68 + 20)
            for name, row in shown_lines:
                words = counter_words(over, name, row, None if strip == "local memory %" else strip, step)
                holds(words in tip(browser), f"{words!r} is not in {tip(browser)!r}")
    browser.run(f"document.querySelector('{canvas}').focus()")
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "ArrowDown"):
        browser.key(key)
    strip = min(1, len(strips) - 1)
    words = counter_words(over, *shown_lines[0], None if strips[strip] == "local memory %" else strips[strip],
                          min(1, len(over["end_s"]) - 1))
    holds(words in tip(browser), f"by keys: {words!r} is not in {tip(browser)!r}")
    if page.timeline:
        box = browser.box(canvas)
        browser.drag(box["x"] + 200, box["y"] + 30, box["x"] + 320, box["y"] + 30)
        holds(not browser.run("document.getElementById('selection-bar').hidden"), "a drag selects nothing")


@check
def faults_are_drawn_where_they_come(browser, page):
    """Of the made-up run: nothing in the first half, and in the second half lines above the ground."""
    browser.open(page.path)
    if not page.made or not page.report.get("counters_over_time"):
        return
    canvas = "#counters canvas"
    room = browser.box(canvas)["width"] - 150
    found = browser.run("(() => { const from = document.querySelector('%s'), r = devicePixelRatio;"
                        " const c = document.createElement('canvas'); c.width = from.width; c.height = 60 * r;"
                        " const pen = c.getContext('2d', { willReadFrequently: true }); pen.drawImage(from, 0, 0);"
                        " const at = (x, y, h) => [...pen.getImageData(Math.round(x * r), y, 1, Math.round(h * r)).data];"
                        " const back = at(2, 2, 0.5 / r + 0.5).slice(0, 4).join();"
                        " return [0.25, 0.75].map((part) => { const d = at(150 + %f * part, 0, 50); let n = 0;"
                        " for (let i = 0; i < d.length; i += 4) n += d.slice(i, i + 4).join() !== back;"
                        " return n; }); })()" % (canvas, room))
    same((found[0] > 0, found[1] > 0), (False, True), f"faults in the halves: {found}")

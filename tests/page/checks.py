# SPDX-License-Identifier: GPL-2.0
"""What a page must show and do; each check opens a page of its own in the browser."""
import json
import statistics

from chromium import SHIFT, Failed

NS = 1e9
CHECKS = []
HOLD_UP = ("lock", "barrier", "disk", "fault", "memory", "kernel-lock", "spin")
BOXES_A_PIXEL = 2  # of a row: one of stays that share a pixel, and one that begins in it and is wider


def check(function):
    CHECKS.append((function.__name__.replace("_", " "), function))
    return function


def same(found, wanted, what):
    if found != wanted:
        raise Failed(f"{what}: {str(found)[:200]!r}, not {str(wanted)[:200]!r}")


def near(found, wanted, what, by=0.0006):
    if abs(found - wanted) > by:
        raise Failed(f"{what}: {found}, not {wanted}")


def holds(value, what):
    if not value:
        raise Failed(what)


def unit(report):
    return next(((name, ns) for name, ns in (("s", 1e9), ("ms", 1e6)) if report["wall_s"] * NS >= ns), ("us", 1e3))


def in_table(seconds, report):
    return f"{seconds * NS / unit(report)[1]:.3f}"


def percent(part):
    return f"{part:.1f} %" if part < 1 else f"{int(part + 0.5)} %"


def texts(browser, selector):
    return browser.run(f"[...document.querySelectorAll({json.dumps(selector)})].map((e) => e.textContent)")


def rows(browser, label):
    """The cells of a table, all of its rows."""
    browser.run("(() => { const t = document.querySelector('table[aria-label=\"%s\"]');"
                " t.parentElement.querySelector('button.all')?.click(); })()" % label)
    return browser.run("[...document.querySelectorAll('table[aria-label=\"%s\"] tbody tr')].map("
                       "(r) => [...r.cells].map((c) => c.textContent))" % label)


def colours(browser, selector):
    """Number of distinct colours of a canvas."""
    return browser.run("(() => { const c = document.querySelector(%s);"
                       " const d = new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer);"
                       " return new Set(d).size; })()" % json.dumps(selector))


def data(browser, selector):
    return browser.run(f"({{...document.querySelector({json.dumps(selector)}).dataset}})")


def shown(browser, name="cores"):
    """The stretch of time that a timeline shows."""
    found = data(browser, f"#{name} canvas")
    return float(found["begin"]), float(found["end"])


def tip(browser):
    return browser.run("document.getElementById('tip').hidden ? '' : document.getElementById('tip').textContent")


@check
def first_screen(browser, page):
    browser.open(page.path)
    report = page.report
    same(texts(browser, "#sentence"), [report["verdict"]], "verdict")
    if page.details["text"].find("second sentence") >= 0:
        same(texts(browser, "#more-sentences"), ["And a second sentence."], "other sentences")
    tiles = " ".join(texts(browser, "#tiles dd"))
    name, ns = unit(report)
    for seconds in (report["wall_s"], report["critical_s"]):
        holds(f"{seconds * NS / ns:.2f} {name}" in tiles, f"{seconds} s is not in {tiles}")
    bottom = browser.run("document.querySelector('#places tbody tr').getBoundingClientRect().bottom")
    holds(bottom < 800, "the first place is not on the first screen")


@check
def the_recount_is_as_the_report_says(browser, page):
    browser.open(page.path)
    agrees = page.report["n_recount_ok"]
    same("recount" in texts(browser, "#warnings")[0], agrees is False, "a warning of the recount")
    facts = " ".join(texts(browser, "#facts"))
    holds({None: "not yet", True: "agrees", False: "differs"}[agrees] in facts, f"recount: {agrees} in {facts}")


@check
def parts_of_the_run_only_of_one_program(browser, page):
    browser.open(page.path)
    for text in texts(browser, "#places button.all"):
        same("%" in text, not page.report.get("targets"), f"a part of the run in {text!r}")


def shown_places(page):
    return [place for place in page.report["places"] if not page.report.get("targets") or
            place["kind"] == "ran" or place["wait"] in HOLD_UP]


@check
def places_are_those_of_the_report(browser, page):
    browser.open(page.path)
    found = rows(browser, "Places")
    places = shown_places(page)
    for row, place in zip(found, places):
        same(row[0].strip("▸▾"), str(place["rank"]), "rank")
        same(row[1], in_table(place["critical_s"], page.report), "critical time")
        same(row[2], f"{place['percent']:.1f}", "percent")
        holds(row[5].find(place["function"]) >= 0, f"{place['function']} is not in {row[5]}")
    same(len(found), len(places), "number of places")


@check
def a_place_opens_and_closes(browser, page):
    browser.open(page.path)
    browser.click_on('#places button[aria-label="Open place 1"]')
    same(len(texts(browser, "#places tr.detail")), 1, "open places after a click")
    text = texts(browser, "#places tr.detail")[0]
    for wanted in (page.report["places"][0]["path"][-1]["function"], "Mending it saves at most"):
        holds(wanted in text, f"{wanted} is not in {text[:300]}")
    if page.details["sources"]:
        source = page.details["sources"][0]
        lines = texts(browser, "#places .source div")
        for i, (line, critical) in enumerate(zip(source["lines"], source["critical_ns"])):
            holds(line in lines[i], f"{line!r} is not in {lines[i]!r}")
            heat = percent(critical * 100 / NS / page.report["places"][0]["critical_s"]) if critical else ""
            same(lines[i], f"{source['first'] + i}{heat}{line or ' '}", "line of source")
    browser.key("Enter")
    same(len(texts(browser, "#places tr.detail")), 0, "open places after Enter")
    browser.key("2")
    same(len(texts(browser, "#places tr.detail")), 1, "open places after 2")


@check
def figures_of_threads_objects_and_graph(browser, page):
    browser.open(page.path)
    report = page.report
    found = rows(browser, "Threads")
    same(len(found), len(report["threads"]), "number of threads")
    for row, thread in zip(found, report["threads"]):
        same(row[0], str(thread["tid"]), "thread")
        for cell, key in ((1, "cmetric_s"), (4, "critical_s"), (5, "run_s"), (6, "runq_s"), (7, "blocked_s")):
            same(row[cell], in_table(thread[key], report), f"{key} of {thread['tid']}")
        same(row[8], str(thread["slices"]), "slices")
    if report["wait_objects"]:
        for row, wait in zip(rows(browser, "Wait objects"), report["wait_objects"]):
            same(row[0], in_table(wait["critical_s"], report), "time of a wait object")
            same(row[2], str(wait["waits"]), "waits of a wait object")
    edges = report.get("graph", {}).get("edges", [])
    for row, edge in zip(rows(browser, "Edges of the wait-for graph") if edges else [], edges):
        same(row[0], in_table(edge["s"], report), "time of an edge")
    same(len(texts(browser, "#graph svg .edge")), min(len(edges), 40), "edges drawn")
    if report["parallelism"]:
        for row, part in zip(rows(browser, "Threads active"), report["parallelism"]):
            same(row[2], f"{part:.1f}", f"percent with {row[0]} active")


@check
def bottle_graph(browser, page):
    browser.open(page.path)
    found = browser.run("[...document.querySelectorAll('#bottle rect.box')].map((r) => "
                        "[Number(r.dataset.height), Number(r.dataset.width), r.getBoundingClientRect().height, "
                        "r.getBoundingClientRect().width])")
    wanted = sorted(((thread["cmetric_s"] / page.report["wall_s"], max(thread["run_s"] / thread["cmetric_s"], 1))
                     for thread in page.report["threads"] if thread["cmetric_s"]), key=lambda box: -box[1])
    same(len(found), len(wanted), "boxes")
    for box, (height, width) in zip(found, wanted):
        near(box[0], height, "height", 1e-9)
        near(box[1], width, "width", 1e-9)
        near(box[2] / found[0][2], box[0] / found[0][0], "drawn height", 0.05)
        near(box[3] / found[0][3], box[1] / found[0][1], "drawn width", 0.05)


@check
def charts_are_drawn(browser, page):
    if not page.timeline:
        return
    for dark in (False, True):
        browser.open(page.path, dark=dark)
        for name in ("parallelism", "cores", "threads-time"):
            holds(colours(browser, f"#{name} canvas") >= 4, f"{name} is blank")
    for name in ("graph", "bottle"):
        if name == "bottle" or page.report.get("graph", {}).get("edges"):
            holds(browser.box(f"#{name} svg")["height"] > 50, f"{name} is blank")
    holds(len(texts(browser, "#flame .flame div")) > 1, "the flame graph is blank")


@check
def flame_graph(browser, page):
    browser.open(page.path)
    flame, report = page.details["flame"], page.report
    name, ns = unit(report)
    total = sum(row[0] for row in flame["rows"] if row[2] == -1)  # the rest is time with no thread active
    holds(f"{total / ns:.2f} {name} of critical time" in texts(browser, "#flame-said")[0], "sum of the flame graph")
    word = flame["frames"][flame["rows"][0][-1]]
    browser.run("document.getElementById('brand').scrollIntoView()")
    browser.key("/")
    same(browser.run("document.activeElement.id"), "flame-search", "focus after /")
    browser.call("Input.insertText", text=word)
    browser.frame()
    found = sum(row[0] for row in flame["rows"] if any(word.lower() in flame["frames"][i].lower() for i in row[3:]))
    holds(f"{found / ns:.2f} {name}" in texts(browser, "#flame-said")[0],
          f"found {texts(browser, '#flame-said')[0]}, not {found / ns:.2f}")
    holds(len(texts(browser, "#flame .found")) > 0, "nothing is marked as found")
    browser.run("(() => { const s = document.getElementById('flame-search'); s.value = '';"
                " s.dispatchEvent(new Event('input')); })()")
    choices = browser.run("[...(document.querySelector('#flame .of-paths select') || { options: [] }).options].map((o) => o.value)")
    for choice in choices[1:3]:
        browser.run("(() => { const s = document.querySelector('#flame .of-paths select'); s.value = %s;"
                    " s.dispatchEvent(new Event('change')); })()" % json.dumps(choice))
        own = sum(row[0] for row in flame["rows"] if row[1] == int(choice) and row[2] == -1)
        holds(f"{own / ns:.2f} {name}" in texts(browser, "#flame-said")[0], "sum of a thread")
    boxes = len(texts(browser, "#flame .flame div"))
    browser.run("document.querySelector('#flame .flame').focus()")
    browser.key("ArrowDown")
    browser.key("ArrowDown")
    holds("of the time shown" in tip(browser), "the keyboard tells of no function")
    browser.key("Enter")
    holds(len(texts(browser, "#flame .passed")) >= 1, "Enter does not zoom")
    browser.key("0")
    same(len(texts(browser, "#flame .flame div")), boxes, "functions after 0")


@check
def zoom_and_move_by_keyboard(browser, page):
    if not page.timeline:
        return
    browser.open(page.path)
    length = page.timeline["length_ns"]
    for name in ("cores", "threads-time"):
        browser.run(f"document.querySelector('#{name} canvas').focus()")
        browser.key("0")
        same(shown(browser, name), (0, length), "whole run")
        browser.key("+")
        begin, end = shown(browser, name)
        near((end - begin) / length, 1 / 1.6, "zoom", 1e-6)
        browser.key("ArrowRight")
        near((shown(browser, name)[0] - begin) / (end - begin), 0.1, "move", 1e-6)
        for _ in range(40):
            browser.key("+")
        begin, end = shown(browser, name)
        holds(end - begin <= 1000, f"zooms to {end - begin} ns only")
        holds("ns" in texts(browser, f"#{name} .shown")[0], "the head does not say how far it is zoomed")
        browser.key("0")
        browser.key("ArrowDown")
        browser.key("]")
        holds("from" in tip(browser) or "nothing" in tip(browser), f"] tells of no stay: {tip(browser)}")
    browser.key("Enter")
    holds(not browser.run("document.getElementById('selection-bar').hidden"), "Enter selects no stay")
    browser.key("Escape")
    holds(browser.run("document.getElementById('selection-bar').hidden"), "Escape clears no selection")


@check
def zoom_and_move_by_pointer(browser, page):
    if not page.timeline:
        return
    browser.open(page.path)
    length = page.timeline["length_ns"]
    box = browser.box("#cores canvas")
    x, y = box["x"] + box["width"] * 0.6, box["y"] + 30
    browser.wheel(x, y, -120)
    same(shown(browser), (0, length), "the wheel over a chart without focus")
    box = browser.box("#cores canvas")
    y = box["y"] + 30
    browser.click(x, y)
    browser.wheel(x, y, -120)
    begin, end = shown(browser)
    near((end - begin) / length, 0.8, "the wheel's zoom", 1e-6)
    browser.drag(x, y, x - 100, y)
    holds(shown(browser)[0] > begin, "a drag does not move")
    browser.drag(x, y, x - 100, y, modifiers=SHIFT)
    holds(not browser.run("document.getElementById('selection-bar').hidden"), "Shift and drag select nothing")


@check
def hover_tells_of_a_stay(browser, page):
    if not page.timeline:
        return
    browser.open(page.path)
    timeline = page.timeline
    row, at = next(((i, flat) for i, flat in enumerate(timeline["cpu_rows"]) if len(flat) >= 10 and flat[5 + 3] >= 0),
                   (0, None))
    if not at:
        return
    begin = at[0] + at[1] + at[5]
    browser.run("document.querySelector('#cores canvas').focus()")
    browser.key("0")
    left = 150
    box = browser.box("#cores canvas")
    strips = min(len(timeline["programs"]), 6)
    for _ in range(60):  # until the stay is wide enough
        first, last = shown(browser)
        width = box["width"] - left
        x = box["x"] + left + (begin + at[6] / 2 - first) / (last - first) * width
        if at[6] / (last - first) * width > 4:
            break
        browser.wheel(x, box["y"] + 30, -120)
    browser.mouse("mouseMoved", x, box["y"] + strips * 9 + row * 20 + 10)
    text = tip(browser)
    thread = timeline["threads"][at[5 + 3]]
    holds(f"{thread['comm']} {thread['tid']}" in text, f"the thread is not in {text!r}")
    if at[5 + 4] >= 0:
        holds(timeline["places"][at[5 + 4]]["function"] in text, f"the place is not in {text!r}")


@check
def wakers_and_arrows(browser, page):
    if not page.timeline or not page.timeline["wakes"]:
        return
    browser.open(page.path)
    browser.run("document.querySelector('#threads-time canvas').focus()")
    arrows = 0
    for _ in range(30):
        arrows = int(data(browser, "#threads-time canvas")["arrows"])
        if arrows:
            break
        browser.key("+")
    holds(arrows, "zooming in shows no arrows of wake-ups")
    browser.key("ArrowDown")
    seen = ""
    for _ in range(40):
        browser.key("]")
        seen = tip(browser)
        if "woken by" in seen:
            break
    holds("woken by" in seen, f"no stay tells who woke its thread: {seen!r}")


def pixel(browser, selector, x, y):
    """The colour of a canvas, as #rrggbb."""
    return browser.run("(() => { const c = document.createElement('canvas'), r = devicePixelRatio;"
                       " c.width = c.height = 1;"
                       " const pen = c.getContext('2d', { willReadFrequently: true });"
                       " pen.drawImage(document.querySelector(%s), -Math.round(%f * r), -Math.round(%f * r));"
                       " const d = pen.getImageData(0, 0, 1, 1).data;"
                       " return '#' + [...d.slice(0, 3)].map((v) => v.toString(16).padStart(2, '0')).join(''); })()"
                       % (json.dumps(selector), x, y))


def sections_of(timeline):
    """Thread, depth, begin, end, name of each section."""
    for own in timeline["sections"]["threads"]:
        at, last = 0, 0
        for i in range(0, len(own["stays"]), 6):
            gap, length, name, depth = own["stays"][i:i + 4]
            begin = gap + (at if depth == last else 0)
            at, last = begin + length, depth
            yield own["thread"], depth, begin, at, name


COLOURS = ("#d55e00", "#0072b2", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#f0e442")


@check
def sections_over_time(browser, page):
    if not page.timeline or not page.timeline["sections"]:
        return
    browser.open(page.path)
    canvas, length = "#threads-time canvas", page.timeline["length_ns"]
    browser.run(f"document.querySelector('{canvas}').focus()")
    browser.key("0")
    box, high = browser.box(canvas), float(data(browser, canvas)["high"])
    room = box["width"] - 150
    names, looked = page.timeline["sections"]["names"], 0
    found = list(sections_of(page.timeline))
    for thread, depth, begin, end, name in found:
        x = 150 + (begin + end) / 2 / length * room
        if (end - begin) / length * room < 8 or name < 0 or depth > 1 or thread * high > 300:
            continue
        looked += 1
        y = thread * high + depth * 5
        if name < len(COLOURS):
            same(pixel(browser, canvas, x, y + 3), COLOURS[name], f"colour of {names[name]}")
        browser.mouse("mouseMoved", box["x"] + x, box["y"] + y + 2)
        holds(f"section {names[name]}" in tip(browser), f"{names[name]!r} is not in {tip(browser)!r}")
        if looked > 12:
            break
    if page.made:
        holds(looked, "no section is wide enough to be seen")
        holds("2 sections found no room" in " ".join(texts(browser, "#threads-time .note")), "the notes")
    holds(int(data(browser, canvas)["sections"]) >= looked, "boxes of sections")
    browser.click_on('#threads-time button[data-overlay="sections"]')
    same(float(data(browser, canvas)["high"]), 20, "height of a row without sections")
    same(data(browser, canvas)["sections"], "0", "boxes of sections that are not shown")


@check
def marks_over_time(browser, page):
    if not page.timeline or not page.timeline.get("marks"):
        return
    browser.open(page.path)
    canvas, length, marks = "#threads-time canvas", page.timeline["length_ns"], page.timeline["marks"]
    browser.run(f"document.querySelector('{canvas}').focus()")
    browser.key("0")
    box, high = browser.box(canvas), float(data(browser, canvas)["high"])
    room, at, looked = box["width"] - 150, 0, 0
    for i in range(0, len(marks["points"]), 3):
        gap, thread, text = marks["points"][i:i + 3]
        at += gap
        x = 150 + at / length * room
        if (thread + 1) * high > 300 or x + 6 > box["width"]:
            continue
        browser.mouse("mouseMoved", box["x"] + x + 2, box["y"] + (thread + 1) * high - 8)
        holds(f"mark {marks['texts'][text]}" in tip(browser), f"{marks['texts'][text]!r} is not in {tip(browser)!r}")
        looked += 1
        if looked > 12:
            break
    holds(0 < int(data(browser, canvas)["marks"]) <= len(marks["points"]) // 3, "flags that are drawn")
    if page.made:
        holds(looked, "no mark was looked at")
        holds("3 marks found no room" in " ".join(texts(browser, "#threads-time .note")), "the notes")
    browser.run("document.querySelector('#parallelism canvas').focus()")
    for _ in range(50):
        browser.key("ArrowRight", modifiers=SHIFT)
    found = {row[2]: int(row[0]) for row in rows(browser, "Marks in the selection")}
    if page.made:
        same(found, dict(zip(marks["texts"], marks["counts"])), "marks by text")
    browser.click_on('#threads-time button[data-overlay="marks"]')
    same(data(browser, canvas)["marks"], "0", "flags that are not shown")


@check
def critical_path_over_time(browser, page):
    if not page.timeline:
        return
    browser.open(page.path)
    path = page.timeline["critical_path"]
    if not path:
        holds("Critical path" not in texts(browser, "#threads-time button"), "a button for a path that is not known")
        return
    canvas, at = "#threads-time canvas", 0
    browser.run(f"document.querySelector('{canvas}').focus()")
    browser.key("0")
    holds(int(data(browser, canvas)["path"]) > 0 and int(data(browser, "#cores canvas")["path"]) > 0, "it is not drawn")
    for _ in range(7):
        browser.key("+")
    first, last = shown(browser, "threads-time")
    box, high = browser.box(canvas), float(data(browser, canvas)["high"])
    room, seen = box["width"] - 150, 0
    for i in range(0, len(path["parts"]), 4):
        gap, length, thread, what = path["parts"][i:i + 4]
        begin, at = at + gap, at + gap + length
        if begin < first or at > last or length / (last - first) * room < 6 or thread < 0 or (thread + 1) * high > 300:
            continue
        x = 150 + ((begin + at) / 2 - first) / (last - first) * room
        colour = pixel(browser, canvas, x, (thread + 1) * high - 20 + 2)
        holds(max(bytes.fromhex(colour[1:])) < 0x20, f"the path at {begin} is {colour}, not black")
        browser.mouse("mouseMoved", box["x"] + x, box["y"] + (thread + 1) * high - 10)
        word = ("ran", "ready", "waited", "", "several")[what]
        holds(f"on the critical path: {word}" in tip(browser), f"the path is not in {tip(browser)!r}")
        seen += 1
    holds(seen or not page.made, "no part is wide enough to be seen")
    browser.click_on('#threads-time button[data-overlay="path"]')
    same([data(browser, f"#{name} canvas")["path"] for name in ("cores", "threads-time")], ["0", "0"], "parts drawn")


@check
def colours_by_section(browser, page):
    if not page.timeline or not page.timeline["sections"]:
        return
    browser.open(page.path)
    browser.run("(() => { const s = document.querySelector('#cores select'); s.value = 'section';"
                " s.dispatchEvent(new Event('change')); })()")
    browser.frame()
    names = page.timeline["sections"]["names"]
    holds(names[0] in texts(browser, "#cores .legend span") or "<" in names[0], "legend")
    same(browser.run("document.querySelector('#threads-time select').value"), "section", "the other chart's colours")
    canvas, length, checked = "#cores canvas", page.timeline["length_ns"], 0
    browser.run(f"document.querySelector('{canvas}').focus()")
    browser.key("0")
    for _ in range(8):
        browser.key("+")
    first, last = shown(browser)
    box, found = browser.box(canvas), list(sections_of(page.timeline))
    room, top = box["width"] - 150, 9 * min(len(page.timeline["programs"]), 6)
    threads = page.timeline["threads"]
    for row, flat in enumerate(page.timeline["cpu_rows"]):
        at = 0
        for i in range(0, len(flat), 5):
            begin, end = at + flat[i], at + flat[i] + flat[i + 1]
            at = end
            middle, thread = (begin + end) / 2, flat[i + 3]
            wide = (end - begin) / (last - first) * room
            if flat[i + 2] != 0 or not 0 <= thread < len(threads) or wide < 12 or begin < first or end > last:
                continue
            open_now = [one for one in found if one[2] <= middle < one[3]]
            near_change = any(abs(middle - moment) < 3 * (last - first) / room for one in found for moment in one[2:4])
            own = [one for one in open_now if one[0] == thread]
            whole = [one for one in open_now if threads[one[0]]["program"] == threads[thread]["program"]]
            name = max(own or whole, key=lambda one: (one[2], one[1]))[4] if whole else -2
            if near_change or name >= len(COLOURS):
                continue
            x = 150 + (middle - first) / (last - first) * room
            # above the text
            same(pixel(browser, canvas, x, top + row * 20 + 3), COLOURS[name] if name >= 0 else "#8a8f96",
                 f"the colour at {middle:.0f} of CPU row {row}")
            checked += 1
    holds(checked or not page.made, f"no stay is wide enough to be seen in {length} ns")


@check
def sections_of_a_selection(browser, page):
    if not page.timeline or not page.timeline["sections"]:
        return
    browser.open(page.path)
    browser.run("document.querySelector('#parallelism canvas').focus()")
    for _ in range(50):
        browser.key("ArrowRight", modifiers=SHIFT)
    found = {row[3]: float(row[0]) for row in rows(browser, "Sections in the selection")}
    ns = unit(page.report)[1]
    wanted = page.timeline["sections"].get("_current")
    if wanted is None:
        wanted = {one["name"]: one["time_s"] * NS for one in page.report.get("sections", []) if one["time_s"]}
    for name, length in wanted.items():
        near(found.get(name, 0), length / ns, f"time of section {name}", 0.002)
    same(sorted(found), sorted(wanted), "sections")


def sums(timeline, begin, end):
    """Time of each thread by kind, and of all by wait reason, between begin and end."""
    threads, reasons = [], {}
    for flat in timeline["thread_rows"]:
        at, kinds = 0, {}
        for i in range(0, len(flat), 5):
            first, last = at + flat[i], at + flat[i] + flat[i + 1]
            at = last
            inside = min(last, end) - max(first, begin)
            if inside > 0:
                kinds[flat[i + 2]] = kinds.get(flat[i + 2], 0) + inside
                if flat[i + 2] == 3:
                    reasons[flat[i + 3]] = reasons.get(flat[i + 3], 0) + inside
        threads.append(kinds)
    return threads, reasons


def check_selection(browser, page, begin, end):
    threads, reasons = sums(page.timeline, begin, end)
    ns = unit(page.report)[1]
    found = {row[-1]: row for row in rows(browser, "Threads in the selection")}
    for thread, kinds in zip(page.timeline["threads"], threads):
        if kinds:
            row = found[f"{thread['comm'] or '?'} {thread['tid']}"]
            near(float(row[0]), (kinds.get(0, 0) + kinds.get(5, 0)) / ns, f"what {thread['tid']} ran", 0.002)
            near(float(row[1]), kinds.get(2, 0) / ns, f"what {thread['tid']} was ready", 0.002)
    if reasons:
        for row in rows(browser, "Waits in the selection"):
            reason = page.timeline["reasons"].index(row[3])
            near(float(row[0]), reasons[reason] / ns, f"waits for {row[3]}", 0.002)
    ran = sum(float(row[0]) for row in rows(browser, "Code that ran in the selection"))
    near(ran, sum(kinds.get(0, 0) + kinds.get(5, 0) for kinds in threads) / ns, "sum of the code that ran", 0.02)


@check
def a_selection_filters(browser, page):
    if not page.timeline:
        return
    browser.open(page.path)
    length, ns = page.timeline["length_ns"], unit(page.report)[1]
    holds(browser.run("document.getElementById('selected').hidden"), "a selection without one")
    box = browser.box("#parallelism canvas")
    left = box["x"] + 150
    browser.drag(left + (box["width"] - 150) * 0.25, box["y"] + 50, left + (box["width"] - 150) * 0.5, box["y"] + 50)
    begin, end = [float(value) * ns for value in
                  browser.run("[...document.querySelectorAll('#selection-bar input')].map((i) => i.value)")]
    near(begin / length, 0.25, "begin of the selection", 0.01)
    near(end / length, 0.5, "end of the selection", 0.01)
    check_selection(browser, page, begin, end)
    first, last = shown(browser)
    holds(first <= begin and last >= end and last - first < length / 2, "the timelines do not zoom to the selection")
    holds(browser.run("[...document.querySelectorAll('.whole-run')].every((e) => getComputedStyle(e).display !== 'none')"),
          "figures of the whole run do not say that they are")
    browser.click_on("#flame-selected")
    holds("in the selection" in texts(browser, "#flame-said")[0], "the flame graph does not follow")
    browser.key("Escape")
    holds("critical time" in texts(browser, "#flame-said")[0], "the flame graph stays with what is not selected")


@check
def the_whole_run_selected_is_the_run(browser, page):
    if not page.timeline or page.timeline["merged_stays"]:
        return
    browser.open(page.path)
    browser.run("document.querySelector('#parallelism canvas').focus()")
    for _ in range(50):
        browser.key("ArrowRight", modifiers=SHIFT)
    check_selection(browser, page, 0, page.timeline["length_ns"])
    if not page.made:
        return
    found = {row[-1]: float(row[0]) for row in rows(browser, "Threads in the selection")}
    for thread in page.report["threads"]:
        near(found[f"{thread['comm']} {thread['tid']}"], thread["run_s"] * NS / unit(page.report)[1],
             f"on-CPU time of {thread['tid']}", 0.002)
    if page.report["parallelism_average"] is None:
        return
    text = texts(browser, "#selected .sum")[0]
    holds(f"about {page.report['parallelism_average']:.1f} were active" in text, f"parallelism is not in {text}")


@check
def where_a_program_stood_still(browser, page):
    if not page.timeline or not page.made:
        return
    browser.open(page.path)
    notes = [text for text in texts(browser, "#cores .note") if "stopped at once" in text]
    same(len(notes), len(page.timeline["programs"]), "programs")
    if len(notes) == 1 and page.report["idle_s"] is not None and not page.timeline["merged_stays"]:
        name, ns = unit(page.report)
        holds(f"for {page.report['idle_s'] * NS / ns:.2f} {name}" in notes[0], f"idle time is not in {notes[0]}")
    if len(notes) > 1:
        same(browser.run("document.querySelector('#cores select').value"), "program", "what colours stand for")
        holds(page.timeline["programs"][1]["name"] in " ".join(texts(browser, "#cores .legend span")), "legend")


@check
def dark_mode(browser, page):
    back = "getComputedStyle(document.body).backgroundColor"
    browser.open(page.path)
    light = browser.run(back)
    browser.key("d")
    dark = browser.run(back)
    holds(light != dark, "d does not change the colours")
    browser.click_on("#theme")
    same(browser.run(back), light, "colours after the switch")
    browser.open(page.path, dark=True)
    same(browser.run(back), dark, "colours where the system is dark")


@check
def help_and_tab_order(browser, page):
    browser.open(page.path)
    browser.key("?")
    holds(browser.run("document.getElementById('help').open"), "? opens no help")
    browser.key("Escape")
    browser.wait("!document.getElementById('help').open")
    browser.run("document.activeElement.blur()")
    seen = []
    for _ in range(90):
        browser.key("Tab")
        seen.append(browser.run("(() => { const e = document.activeElement; const s = e.closest('section');"
                                " return `${s ? s.id : ''} ${e.tagName}`.trim(); })()"))
    wanted = ["A", "BUTTON", "places BUTTON", "flame INPUT", "flame DIV"]
    if page.timeline:
        wanted += ["parallelism CANVAS", "cores CANVAS", "threads-time CANVAS"]
    for one in wanted:
        holds(one in seen, f"Tab does not reach {one}: {sorted(set(seen))}")


@check
def prints(browser, page):
    browser.open(page.path, dark=True)
    pdf = browser.pdf()
    holds(pdf.startswith(b"%PDF") and len(pdf) > 20000, f"a PDF of {len(pdf)} bytes")
    same(browser.run("document.documentElement.dataset.theme"), "dark", "theme after printing")


@check
def narrow_screen(browser, page):
    browser.open(page.path, width=400, height=800)
    wide = browser.run("document.documentElement.scrollWidth")
    holds(wide <= 400, f"the page is {wide} pixels wide on a screen of 400")


@check
def without_scripts(browser, page):
    browser.open_without_scripts(page.path)
    text = browser.text_of("noscript")
    for wanted in (page.report["verdict"].split()[-1], page.report["places"][0]["function"]):
        holds(wanted in text or page.made, f"{wanted} is not in the page without scripts")
    holds(text.strip(), "the page without scripts is empty")


def measure(browser, page):
    """Median time to draw a frame of 20 zoom steps; what is drawn is bounded by the screen."""
    browser.open(page.path, timed=True)
    times, most = [], 0
    for name in ("cores", "threads-time"):
        browser.run(f"document.querySelector('#{name} canvas').focus()")
        browser.key("0")
        browser.run("window.frameTimes = []")
        for key in "++++++++++":
            browser.key(key)
            for other in ("cores", "threads-time"):
                found = {key: float(value) for key, value in data(browser, f"#{other} canvas").items()}
                limit = BOXES_A_PIXEL * found["pixels"] * found["rows"]
                holds(found["drawn"] <= limit, f"{found['drawn']} boxes on {limit / BOXES_A_PIXEL} pixels")
                most = max(most, found["drawn"])
        times += browser.run("window.frameTimes")
    holds(len(times) >= 20, f"{len(times)} frames of 20 zoom steps")
    return statistics.median(times), most

# SPDX-License-Identifier: GPL-2.0
"""Reads traces over time as other programs do, and compares them with cores.csv and with script.

perfetto.proto is the part of Perfetto's public schema that gapp-read writes. Where the whole schema
is, GAPP_PERFETTO names the folder: then what protoc says by both must be equal.
"""
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import xml.etree.ElementTree

from protoc_text import message

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]
READER = str(TOP / "gapp-read")
READER_WITH_SANITIZERS = str(TOP / "build/user/test/gapp-read-fake")
MADE = str(TOP / "build/user/test/made-timeline")
# tids of threads that have none in the pid namespace
MADE_UP_IDS = 1 << 30
NOT_KNOWN = 0x200
STATES = {"preempted": 0x100, "exited": 0x10, "on": NOT_KNOWN, "disk": 2, "fault": 2, "memory": 2, "kernel-lock": 2,
          "spin": NOT_KNOWN}
IN_INTERRUPT = 0x08
BEGIN, END, COUNTER = "1", "2", "4"
SLICES = 10_000_000
PAGE_SLICES = 400_000
SECONDS = 60
KIBIBYTES = 256 * 1024
PAGE_BYTES = 5_000_000


def expect(condition, *what):
    if not condition:
        raise AssertionError(" ".join(str(part) for part in what)[:300])


def equal(got, wanted, what):
    if got != wanted and isinstance(got, list) and isinstance(wanted, list):
        more, less = [x for x in got if x not in wanted][:3], [x for x in wanted if x not in got][:3]
        expect(False, f"{what}: {len(got)} instead of {len(wanted)}, too much: {more}, too little: {less}")
    expect(got == wanted, f"{what}: {got!r} instead of {wanted!r}")


def output(*command, **more):
    done = subprocess.run(command, capture_output=True, check=False, **more)
    expect(not done.returncode, command[0], done.stderr.decode(errors="replace"))
    return done.stdout.decode()


def made(folder, what):
    path = os.path.join(folder, what + ".data")
    with open(path, "wb") as file:
        subprocess.run([MADE, what], stdout=file, check=True)
    return path


def merged(intervals):
    """Stays of one thread on one CPU that follow at once are one."""
    whole = []
    for cpu, begin, end, tid in sorted(intervals):
        if whole and whole[-1][0] == cpu and whole[-1][2] == begin and whole[-1][3] == tid:
            whole[-1] = (cpu, whole[-1][1], end, tid)
        else:
            whole.append((cpu, begin, end, tid))
    return whole


def nanoseconds(text):
    whole, _, fraction = text.partition(".")
    return int(whole) * 10**9 + int(fraction.ljust(9, "0"))


def microseconds(number):
    """Nanoseconds of a number of JSON, which was read as text."""
    whole, _, fraction = number.partition(".")
    return int(whole) * 1000 + int(fraction.ljust(3, "0"))


def decode(path, folder, file):
    if not shutil.which("protoc"):
        raise AssertionError("no protoc: scripts/setup exports, package protobuf-compiler")
    with open(path, "rb") as trace:
        return output("protoc", f"-I{folder}", "--decode=perfetto.protos.Trace", file, stdin=trace)


def number(fields, name, default=0):
    return int(fields[name][0]) if name in fields else default


def text(fields, name):
    """A text of protoc's, as bytes are."""
    escaped = fields.get(name, ['""'])[0][1:-1]
    return escaped.encode().decode("unicode_escape").encode("latin-1").decode()


class Timeline:
    """The traces of a recording, and what script and cores.csv say of it."""

    def __init__(self, folder, data):
        base = os.path.join(folder, os.path.basename(data).removesuffix(".data"))
        self.paths = {kind: f"{base}.made.{kind}" for kind in ("pftrace", "trace.json", "cores.csv", "html", "cores.svg",
                                                                  "parallelism.svg")}
        output(READER, "export", data, *(word for path in self.paths.values() for word in ("-o", path)))
        self.counted = None
        if "counters_over_time" in output(READER, "report", "--format", "json", data):
            output(READER, "export", data, "-o", f"{base}.made.counters.csv")
            with open(f"{base}.made.counters.csv", encoding="utf-8") as file:
                self.counted = list(csv.DictReader(file))
        self.text = decode(self.paths["pftrace"], HERE, "perfetto.proto")
        self.packets = message(iter(self.text.splitlines()))["packet"]
        self.start = next(number(packet["clock_snapshot"][0]["clocks"][0], "timestamp")
                          for packet in self.packets if "clock_snapshot" in packet)
        self.records = [line for line in output(READER, "script", data).splitlines() if not line.startswith("\t")]
        with open(self.paths["cores.csv"], encoding="utf-8") as file:
            self.rows = rows = list(csv.DictReader(file))
        self.cores = merged((int(row["cpu"]), int(row["start_ns"]), int(row["stop_ns"]), int(row["tid"]))
                            for row in rows)
        self.events = [(number(bundle, "cpu"), event) for packet in self.packets
                       for bundle in packet.get("ftrace_events", []) for event in bundle["event"]]
        parts = parts_of_page(pathlib.Path(self.paths["html"]))
        self.page, self.report = parts["timeline"], parts["report"]
        self.json = json.loads(pathlib.Path(self.paths["trace.json"]).read_text(encoding="utf-8"), parse_float=str)

    def since(self, fields):
        return number(fields, "timestamp") - self.start

    def slices(self):
        """Of script: CPU, end, thread, what became of it."""
        for line in self.records:
            match = re.match(r"(\S+) \[(\d+)\] .* (-?\d+)/(-?\d+) slice .* then=(\w+)(?: wait=(\S+))?", line)
            if match and "rest" not in line:
                yield int(match[2]), nanoseconds(match[1]), int(match[3]), match[6] or match[5]


def id_of(tid):
    return 0 if tid >= MADE_UP_IDS else tid


def schema(files):
    expect(not re.search(r"^\s*\d+[:{ ]", files.text, re.M), "fields that the schema does not have")
    whole = os.environ.get("GAPP_PERFETTO")
    if whole:
        theirs = decode(files.paths["pftrace"], whole, "protos/perfetto/trace/trace.proto")
        theirs = re.sub(r"TYPE_SLICE_BEGIN", BEGIN, theirs)
        theirs = re.sub(r"TYPE_SLICE_END", END, theirs)
        theirs = theirs.replace("TYPE_INSTANT", "3").replace("TYPE_COUNTER", COUNTER)
        theirs = theirs.replace("UNIT_TIME_NS", "1").replace("UNIT_COUNT", "2").replace("BUILTIN_CLOCK_MONOTONIC", "3")
        equal(files.text, theirs, "what the public schema says")


def in_order(files):
    for packet in files.packets:
        for bundle in packet.get("ftrace_events", []):
            times = [number(event, "timestamp") for event in bundle["event"]]
            expect(times == sorted(times), "a bundle that is not in the order of time")


def scheduling(files):
    """As Perfetto makes its table of scheduling: each switch ends the thread before it on its CPU."""
    on, intervals, ends = {}, [], {}
    switches = [(files.since(event), cpu, event["sched_switch"][0]) for cpu, event in files.events
                if "sched_switch" in event]
    for at, cpu, switch in sorted(switches, key=lambda one: one[0]):
        before, after = (number(switch, name) for name in ("prev_pid", "next_pid"))
        if cpu in on:
            equal(before, on[cpu][0], "the thread that leaves the CPU")
        if before:
            intervals.append((cpu, on[cpu][1], at, id_of(before)))
            ends[cpu, at, id_of(before)] = number(switch, "prev_state")
        on[cpu] = after, at
    last = max(end for _, _, end, _ in files.cores)
    intervals += [(cpu, at, last, id_of(tid)) for cpu, (tid, at) in on.items() if tid]
    equal(sorted(intervals), files.cores, "stays on CPUs")
    files.ends = ends


def states(files):
    scheduling(files)
    known = {(cpu, end, tid): became for cpu, end, tid, became in files.slices()}
    for key, state in files.ends.items():
        # behind busy-waiting
        became = known.get(key, "preempted")
        equal(state, STATES.get(became, 1), f"the state behind {became} at {key}")


def wakers(files):
    wanted, spins = [], set()
    for line in files.records:
        match = re.match(r"(\S+) \[(\d+)\] .* (-?\d+)/(-?\d+) (slice|wake) ", line)
        if not match or "rest" in line:
            continue
        tid = int(match[3])
        if match[5] == "slice":
            spins = spins | {tid} if " wait=spin" in line else spins - {tid}
            continue
        if tid in spins or tid <= 0:
            spins -= {tid}
            continue
        waker = re.search(r"waker=(-?\d+)/-?\d+ waker_cpu=(\d+)", line)
        interrupt = re.search(r"flags=\S*irq", line)
        by = max(0, int(waker[1])) if waker and not interrupt else 0
        cpu = int(waker[2]) if waker else None if interrupt else int(match[2])
        wanted.append((nanoseconds(match[1]), tid, by, bool(interrupt), cpu))
    got = []
    for cpu, event in files.events:
        if "sched_waking" in event:
            interrupt = number(event, "common_flags") == IN_INTERRUPT
            got.append((files.since(event), number(event["sched_waking"][0], "pid"), number(event, "pid"), interrupt,
                        None if interrupt else cpu))
    equal(sorted(got, key=str), sorted(wanted, key=str), "wake-ups")


def track_slices(files):
    """By thread: (begin, end, name, call stack); and values of counters by name and track."""
    names, tracks, values, open_slices, threads = {}, {}, [], {}, {}
    for packet in files.packets:
        for interned in packet.get("interned_data", []):
            names.update((number(one, "iid"), text(one, "name")) for one in interned.get("event_names", []))
        for track in packet.get("track_descriptor", []):
            tracks[number(track, "uuid")] = track
        for event in packet.get("track_event", []):
            uuid, kind = number(event, "track_uuid"), event["type"][0]
            expect(uuid in tracks, "a track that is not described")
            if kind == COUNTER:
                values.append((text(tracks[uuid], "name"), uuid, number(event, "counter_value")))
            elif kind == BEGIN:
                expect(uuid not in open_slices, "two slices at once on a track")
                open_slices[uuid] = packet, event
            elif kind == END:
                began, one = open_slices.pop(uuid)
                begin, end = files.since(began), files.since(packet)
                expect(begin <= end, "a slice that ends before it begins")
                thread = tracks[uuid].get("thread")
                key = id_of(number(thread[0], "tid")) if thread else text(tracks[uuid], "name")
                threads.setdefault(key, []).append((begin, end, names[number(one, "name_iid")],
                                                    number(one, "callstack_iid")))
    expect(not open_slices, "slices without an end")
    return threads, values


def tracks_of_threads(files):
    threads, values = track_slices(files)
    for tid, slices in threads.items():
        for before, after in zip(slices, slices[1:]):
            expect(before[1] <= after[0], f"slices of {tid} overlap: {before}, {after}")
    ran = {}
    for _, begin, end, tid in files.cores:
        ran[tid] = ran.get(tid, 0) + end - begin
    for tid, ns in ran.items():
        mine = sum(end - begin for begin, end, name, _ in threads[tid]
                   if not name.startswith("waits: ") or name == "waits: spin")
        known = sum(end - begin for begin, end, name, _ in threads[tid] if name.startswith("not known"))
        equal(mine - known, ns, f"nanoseconds on CPUs of {tid}")
    shares = sum(float(share) for line in files.records for share in re.findall(r" slice .* share=([\d.]+)", line))
    # the last value of each target's
    critical = {uuid: value for name, uuid, value in values if name == "critical time so far"}
    expect(abs(sum(critical.values()) - shares) <= len(critical), f"critical time: {critical} instead of {shares}")
    wanted = [int(count) for line in files.records if "rest" not in line
              for count in re.findall(r" (?:slice|wake) .* n=(\d+)", line)]
    equal([value for name, _, value in values if name == "active threads"], wanted, "active threads")


def counted_rates(files):
    """Of .counters.csv: (begin, counter, "node 0" or "all CPUs", how many a second), and the local part."""
    rates, parts = [], []
    for row in files.counted or []:
        begin, end = int(row["start_ns"]), int(row["stop_ns"])
        of = {"all": "all CPUs", "": "of an unknown node"}.get(row["node"], f"node {row['node']}")
        names = [name for name in row if name not in ("start_ns", "stop_ns", "node", "local_percent", "incomplete")]
        rates += [(begin, name, of, int(row[name]) / (end - begin) * 1e9) for name in names]
        if row.get("local_percent"):
            parts.append((begin, of, float(row["local_percent"])))
    return rates, parts


def near(got, wanted, what, by):
    """Lists of rows whose last member is about the same."""
    equal([row[:-1] for row in sorted(got)], [row[:-1] for row in sorted(wanted)], what)
    for one, other in zip(sorted(got), sorted(wanted)):
        expect(abs(one[-1] - other[-1]) <= by * max(abs(other[-1]), 1), what, one, other)


def counters(files):
    """Perfetto's and Chrome's counters of --counters are those of .counters.csv."""
    rates, parts = counted_rates(files)
    names = {number(track, "uuid"): text(track, "name") for packet in files.packets
             for track in packet.get("track_descriptor", [])}
    got, local = [], []
    for packet in files.packets:
        for event in packet.get("track_event", []):
            name = names[number(event, "track_uuid")]
            if "double_counter_value" not in event:
                continue
            value, (what, of) = float(event["double_counter_value"][0]), name.split(", ")
            if what == "local memory %":
                local.append((files.since(packet), of, value))
            else:
                got.append((files.since(packet), what.removesuffix(" a second"), of, value))
    near(got, rates, "Perfetto's counters", 1e-9)
    near(local, parts, "Perfetto's local parts", 0.006)
    events = [event for event in files.json["traceEvents"] if event["ph"] == "C"]
    got = [(microseconds(event["ts"]), event["name"].removesuffix(" a second"), of, float(value))
           for event in events if event["name"].endswith(" a second") for of, value in event["args"].items()]
    nodes = [row for row in rates if row[2] != "all CPUs"]
    near(got, nodes or rates, "Chrome's counters", 1e-9)
    local = [(microseconds(event["ts"]), event["name"].split(", ")[1], float(event["args"]["%"]))
             for event in events if event["name"].startswith("local memory %")]
    near(local, parts, "Chrome's local parts", 0.006)


def few_counters(files):
    expect(files.counted, "no counters")
    equal(sum(int(row["faults"]) for row in files.counted if row["node"] == "all"), 100 + 30, "faults")
    equal([row["local_percent"] for row in files.counted if row["node"] == "1"], [""] * 3 + ["75.00"] * 7, "local parts")
    equal({row["incomplete"] for row in files.counted if row["node"] == "0"}, {"", "faults"}, "what is missing")
    expect("not counted: cycles" in files.text and "not counted: cycles" in files.json["otherData"], "what is refused")


def chrome(files):
    intervals, flows = [], {}
    expect(not re.search("[\0-\x09\x0b-\x1f\x7f-\x9f]", json.dumps(files.json, ensure_ascii=False)), "a control")
    for event in files.json["traceEvents"]:
        expect(event["ph"] in ("M", "X", "C", "s", "f", "i"), event)
        for kind in ("sf", "esf"):
            frame = event.get(kind)
            while frame is not None:
                frame = files.json["stackFrames"][frame].get("parent")
        if event["ph"] == "X" and event["pid"] == 0:
            begin = microseconds(event["ts"])
            intervals.append((event["tid"], begin, begin + microseconds(event["dur"]), id_of(event["args"]["tid"])))
        if event["ph"] in "sf":
            flows.setdefault(event["id"], []).append((event["ph"], microseconds(event["ts"])))
    equal(merged(intervals), files.cores, "stays on CPUs")
    for ends in flows.values():
        equal([end[0] for end in ends], ["s", "f"], "ends of an arrow")
        expect(ends[0][1] <= ends[1][1], "an arrow to what was before")


def marked(files):
    """Sections by thread as script's marks have them: (depth, begin, end, name)."""
    opened, found = {}, {}

    def close(thread, first, end):
        for depth, (begin, name) in enumerate(opened[thread]):
            if depth >= first and end > begin:
                found.setdefault(thread, []).append((depth, begin, end, name))
        del opened[thread][first:]

    for line in files.records:
        match = re.match(r"(\S+) \[\d+\] .*?(-?\d+)/(-?\d+) (mark .* kind=(\w+) text=(.*)|slice .*)$", line)
        if not match or "rest" in line:
            continue
        thread, at = (int(match[2]), int(match[3])), nanoseconds(match[1])
        own = opened.setdefault(thread, [])
        if " then=exited" in line:
            close(thread, 0, at)
        elif match[5] == "begin":
            own.append((at, match[6]))
        elif match[5] == "end":
            ends = [depth for depth, (_, name) in enumerate(own) if match[6] in ("", name)]
            close(thread, ends[-1] if ends else len(own), at)
    for thread in opened:
        close(thread, 0, files.page["length_ns"])
    return {thread: sorted(rows) for thread, rows in found.items()}


def sections(files):
    page = files.page["sections"]
    if not page:
        return equal(marked(files), {}, "sections")
    equal([page["merged"], page["left_out"]], [0, 0], "sections that are not as they were")
    found, threads = {}, files.page["threads"]
    for thread in page["threads"]:
        rows, at, last = [], 0, 0
        for i in range(0, len(thread["stays"]), 6):
            gap, length, name, depth, count, inside = thread["stays"][i:i + 6]
            begin = gap + (at if depth == last else 0)
            at, last = begin + length, depth
            equal((count, inside), (1, length), "sections of one that was not merged")
            rows.append((depth, begin, at, page["names"][name]))
        equal(threads[thread["thread"]]["program"], thread["program"], "the program of a thread")
        found[threads[thread["thread"]]["tid"], threads[thread["thread"]]["tgid"]] = sorted(rows)
    equal(found, marked(files), "sections")
    return None


def points(files):
    """Marks that begin and end no section, as script has them."""
    said = []
    for line in files.records:
        match = re.match(r"(\S+) \[\d+\] .*?(-?\d+)/(-?\d+) mark .* kind=mark text=(.*)$", line)
        if match:
            said.append((nanoseconds(match[1]), int(match[2]), int(match[3]), match[4]))
    page, found, at = files.page["marks"], [], 0
    if not page:
        return equal(said, [], "marks")
    for i in range(0, len(page["points"]), 3):
        at += page["points"][i]
        thread = files.page["threads"][page["points"][i + 1]]
        found.append((at, thread["tid"], thread["tgid"], page["texts"][page["points"][i + 2]]))
    equal([page["left_out"], sum(page["counts"])], [0, len(found)], "marks that are not there")
    equal(found, said, "marks")
    return None


SVG = "{http://www.w3.org/2000/svg}"


def picture(path):
    """An SVG that a strict parser of XML reads, and that asks for nothing."""
    root = xml.etree.ElementTree.parse(path).getroot()
    equal(root.tag, SVG + "svg", "the element of a picture")
    for element in root.iter():
        expect(element.tag in [SVG + name for name in ("svg", "title", "rect", "text", "g", "path")], element.tag)
        expect(not [name for name in element.attrib if name.startswith("on") or name.endswith("href")], element.attrib)
    expect(os.path.getsize(path) < 3_000_000, f"{os.path.getsize(path)} bytes")
    return root


def lines_of(root):
    """CPU, begin, end, process, state of each line of a picture."""
    for cpu in root.iter(SVG + "g"):
        for path in cpu.iter(SVG + "path") if cpu.get("class") == "cpu" else ():
            for begin, length in re.findall(r"M(\d+) [\d.]+h(\d+)", path.get("d")):
                yield (int(cpu.get("data-cpu")), int(begin), int(begin) + int(length),
                       int(path.get("data-tgid", "-1")), path.get("class"))


def cores_svg(files):
    """Lines of the picture are the rows of cores.csv; those of one process that follow at once are one."""
    root, wanted = picture(files.paths["cores.svg"]), []
    for row in sorted(files.rows, key=lambda row: (int(row["cpu"]), int(row["start_ns"]))):
        line = (int(row["cpu"]), int(row["start_ns"]), int(row["stop_ns"]), int(row["tgid"]), row["state"])
        if wanted and wanted[-1][0] == line[0] and wanted[-1][2:] == (line[1],) + line[3:]:
            line = (line[0], wanted.pop()[1]) + line[2:]
        wanted.append(line)
    equal(sorted(lines_of(root)), sorted(wanted), "lines of the picture")
    texts = [element.text or "" for element in root.iter(SVG + "text")]
    for row in files.rows:
        node = f", node {row['node']}" if row["node"] else ""
        expect(f"CPU {row['cpu']}{node}" in texts, f"CPU {row['cpu']} has no label")
    programs = {f"{row['program']} ({row['tgid']})" for row in files.rows}
    expect(len(programs) > 7 or programs <= set(texts), f"the legend has not {programs - set(texts)}")
    expect(any(text.startswith("time (") for text in texts), "the axis has no unit")
    expect(not [text for text in texts if "merged" in text], "it says that lines were merged")


def steps_of(root, name):
    """End and value of each step of an area."""
    path = next(path for path in root.iter(SVG + "path") if path.get("class") == name)
    return [(int(end), float(value)) for value, end in re.findall(r"V([\d.e+-]+)H(\d+)", path.get("d"))]


def parallelism_svg(files):
    """Averages of steps are those of n in script's records."""
    root, length = picture(files.paths["parallelism.svg"]), files.page["length_ns"]
    events, steps = [], steps_of(root, "active")
    for line in files.records:
        found = "rest" not in line and re.match(r"(\S+) .* (?:slice|wake) .* n=(\d+)", line)
        if found:
            left = 1 if re.search(r" then=(wait|exited)", line) else 0 if " slice " in line else -1
            events.append((nanoseconds(found[1]), int(found[2]), max(int(found[2]) + left, 0)))
    begin, at, n, i = 0, 0, events[0][2], 0
    for end, value in steps:
        expect(begin < end <= length, f"a step from {begin} to {end}")
        whole, at = 0, begin
        while i < len(events) and events[i][0] < end:
            whole += n * max(events[i][0] - at, 0)
            at, n, i = max(at, events[i][0]), events[i][1], i + 1
        whole += n * (end - at)
        expect(abs(value - whole / (end - begin)) < 1e-4 * max(value, 1),
               f"{value} instead of {whole / (end - begin)} up to {end}")
        begin = end
    equal(begin, length, "the end of the last step")
    few = steps_of(root, "few")
    equal([end for end, _ in few], [end for end, _ in steps], "steps of both areas")
    for (_, ours), theirs in zip(few, files.page["parallelism"]["critical"]):
        expect(abs(ours - theirs) < 1e-3, f"{ours} of a step with few active, the page has {theirs}")


def nodes(files):
    """Of the page and of cores.csv: the same, and unknown is said."""
    found = {cpu["cpu"]: cpu["node"] for cpu in files.page["cpus"]}
    equal({int(row["cpu"]): int(row["node"]) if row["node"] else None for row in files.rows}, found, "nodes of CPUs")


def few_nodes(files):
    equal([(cpu["cpu"], cpu["node"]) for cpu in files.page["cpus"]], [(0, 0), (1, 1), (2, 0), (3, None)],
          "nodes of CPUs")


def path_parts(page):
    """Begin, end, thread id, kind of each part of the critical path."""
    at = 0
    for i in range(0, len(page["critical_path"]["parts"]), 4):
        gap, length, thread, what = page["critical_path"]["parts"][i:i + 4]
        begin, at = at + gap, at + gap + length
        yield begin, at, page["threads"][thread]["tid"], what


def critical_path(files):
    """Its parts follow one another; where it says that a thread ran, the thread was on a CPU."""
    page, before = files.page, 0
    if page["critical_path"] is None:
        expect(files.report.get("targets") or files.report.get("merged"),
               "no critical path, though the recording is of one program")
        return
    equal(page["critical_path"]["merged"], 0, "parts that were merged")
    on = {}
    for _, begin, end, tid in files.cores:
        on.setdefault(tid, []).append((begin, end))
    for begin, end, tid, what in path_parts(page):
        expect(before <= begin < end <= page["length_ns"], f"a part from {begin} to {end} behind {before}")
        before = end
        inside = sum(min(end, last) - max(begin, first) for first, last in on.get(tid, [])
                     if first < end and last > begin)
        if what == 0:
            equal(inside, end - begin, f"nanoseconds on a CPU of {tid} from {begin}")
    views = files.report.get("critical_path")
    if views:
        for what, name in enumerate(("ran_s", "ready_s", "waited_s")):
            found = sum(end - begin for begin, end, _, kind in path_parts(page) if kind == what)
            expect(abs(found - views[name] * 1e9) < 1000, f"{name}: {found} ns instead of {views[name]} s")


def few_path(files):
    """Who woke whom: 11 by an interrupt, then by 12, which had gone; 10 by 11."""
    ms = 1_000_000
    equal([(begin // ms, end // ms, tid, what) for begin, end, tid, what in path_parts(files.page)],
          [(0, 10, 10, 0), (10, 15, 10, 1), (15, 30, 10, 0), (30, 31, 11, 2), (31, 33, 11, 1), (33, 40, 11, 0),
           (40, 50, 12, 1), (50, 52, 11, 0), (52, 53, 10, 1), (53, 60, 10, 0), (62, 70, 10, 0), (70, 74, 10, 1),
           (74, 100, 10, 0)], "parts of the critical path")


def few_sections(files):
    equal(sorted(name for rows in marked(files).values() for _, _, _, name in rows),
          ["inner", "inner", "open", 'solve "1" </b>', "until its end"], "names of sections")


def few_lost(files):
    threads, _ = track_slices(files)
    equal(threads["of CPU 1"], [(60_000_000, 62_000_000, "records are lost", 0)], "lost records")
    bundles = [bundle for packet in files.packets for bundle in packet.get("ftrace_events", [])]
    equal([number(bundle, "cpu") for bundle in bundles if "lost_events" in bundle], [1], "CPUs that lost records")


def few_paths(files):
    """The outermost frame first: the program's, then the kernel's."""
    functions, frames, stacks = {}, {}, {}
    for packet in files.packets:
        for interned in packet.get("interned_data", []):
            functions.update((number(one, "iid"), text(one, "str")) for one in interned.get("function_names", []))
            frames.update((number(one, "iid"), functions[number(one, "function_name_id")])
                          for one in interned.get("frames", []))
            stacks.update((number(one, "iid"), [frames[int(frame)] for frame in one["frame_ids"]])
                          for one in interned.get("callstacks", []))
    threads, _ = track_slices(files)
    odd = 'f<"\\x1b\ufffd>'
    equal([(name, stacks[stack]) for _, _, name, stack in threads[12]],
          [(odd, [odd, "schedule"]), ("waits: lock", [odd, "schedule"]), ("wait_for_others", ["wait_for_others"]),
           ("waits: barrier", ["wait_for_others"]), ("wait_for_others", ["wait_for_others"])], "slices of 12")
    equal(threads[0], [(30_000_000, 41_000_000, "ran", 0), (41_000_000, 100_000_000, "not known", 0)],
          "slices of a thread without an id")


def refused(folder):
    data = made(folder, "150000")
    path = os.path.join(folder, "refused.trace.json")
    done = subprocess.run([READER, "export", data, "-o", path], capture_output=True, check=False, text=True)
    equal(done.returncode, 125, "the status")
    expect(".pftrace" in done.stderr and done.stderr.count("\n") == 1, done.stderr)
    expect(not os.path.exists(path), "a file")


def parts_of_page(path):
    """The JSON in a page of -o FILE.html."""
    text = path.read_text(encoding="utf-8")
    return {name: json.loads(re.search(rf'id="gapp-{name}">\n(.*?)\n</script>', text, re.S)[1])
            for name in ("report", "timeline", "details")}


def large_page(folder):
    """More stays than a page has room for are merged, and the file stays small."""
    data, page = made(folder, str(PAGE_SLICES)), pathlib.Path(folder, "large.html")
    output(READER, "export", data, "-o", str(page))
    timeline = parts_of_page(page)["timeline"]
    expect(page.stat().st_size < 5_000_000, f"{page.stat().st_size} bytes")
    expect(timeline["merged_stays"] > 0 and timeline["merged_below_ns"] > 0, "nothing was merged")
    picture_path = os.path.join(folder, "large.cores.svg")
    output(READER, "export", data, "-o", picture_path)
    root = picture(picture_path)
    lines = sorted(lines_of(root))
    for before, after in zip(lines, lines[1:]):
        expect(before[0] != after[0] or before[2] <= after[1], f"lines overlap: {before}, {after}")
    expect(1000 < len(lines) <= 60000, f"{len(lines)} lines")
    equal({line[3] for line in lines}, {100}, "processes of lines")
    texts = [element.text or "" for element in root.iter(SVG + "text")]
    expect([text for text in texts if "merged" in text], "it does not say that lines were merged")
    kept = sum(len(row) // 5 for row in timeline["cpu_rows"])
    expect(kept > 1000, f"{kept} stays of CPUs are left")


def unlikely(folder):
    """Records that no module writes: what is made of them can be read."""
    for seed in range(8):
        data, base = os.path.join(folder, "unlikely.data"), os.path.join(folder, "unlikely")
        with open(data, "wb") as file:
            subprocess.run([MADE, "random", str(seed)], stdout=file, check=True)
        for reader in (READER, READER_WITH_SANITIZERS):
            output(reader, "export", data, "-o", base + ".pftrace", "-o", base + ".trace.json",
                   "-o", base + ".cores.csv", "-o", base + ".html", "-o", base + ".cores.svg")
            done = subprocess.run([reader, "export", data, "-o", base + ".parallelism.svg"], capture_output=True,
                                  check=False)
            expect(done.returncode in (0, 125), done.stderr.decode(errors="replace"))
        decode(base + ".pftrace", HERE, "perfetto.proto")
        json.loads(pathlib.Path(base + ".trace.json").read_text(encoding="utf-8"))
        parts_of_page(pathlib.Path(base + ".html"))
        picture(base + ".cores.svg")


def bounded(folder):
    """Each format of times, of a recording with so many slices: time of a CPU, memory, bytes."""
    data = made(folder, str(SLICES))
    for suffix, most_bytes in (("pftrace", 0), ("cores.csv", 0), ("cores.svg", 0), ("html", PAGE_BYTES)):
        path = os.path.join(folder, "many." + suffix)
        reader = os.posix_spawn(READER, [READER, "export", data, "-o", path], os.environ)
        _, status, usage = os.wait4(reader, 0)
        equal(status, 0, f"{suffix}: the status")
        # other programs on this machine do not count
        took, size = usage.ru_utime + usage.ru_stime, os.path.getsize(path)
        os.unlink(path)
        print(f"# {SLICES} slices, {suffix}: {took:.1f} s of a CPU, {usage.ru_maxrss // 1024} MiB of memory, "
              f"{size} bytes, {size / SLICES:.1f} a slice")
        expect(took <= SECONDS, f"{suffix}: {took:.1f} s")
        expect(usage.ru_maxrss <= KIBIBYTES, f"{suffix}: {usage.ru_maxrss} KiB")
        expect(not most_bytes or size < most_bytes, f"{suffix}: {size} bytes")
    os.unlink(data)


CHECKS = [("Perfetto by tests/exports/perfetto.proto", schema), ("Perfetto's bundles in the order of time", in_order),
          ("Perfetto's scheduling", scheduling), ("Perfetto's states of threads", states), ("Perfetto's wakers", wakers),
          ("Perfetto's slices and counters", tracks_of_threads), ("counters over time", counters), ("Chrome's JSON", chrome),
          ("the page's sections", sections), ("the page's marks", points), ("the page's critical path", critical_path),
          ("NUMA nodes", nodes), ("the picture of CPUs", cores_svg),
          ("the picture of active threads", parallelism_svg)]
CHECKS_OF_FEW = [("marks", few_sections), ("what was counted", few_counters), ("nodes", few_nodes), ("critical path", few_path), ("lost records", few_lost), ("call paths", few_paths)]

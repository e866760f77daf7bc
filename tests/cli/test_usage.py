# SPDX-License-Identifier: GPL-2.0
"""The command line, the help, and the manual."""

import os
import re
import shutil
import subprocess
import tempfile

from harness import Skip, TOP, environment, equal, expect, has, read, reader, test


@test
def servers_are_asked_or_not():
    env = environment(DEBUGINFOD_URLS="http://127.0.0.1:9")
    reader("-p", "1", "--debuginfod", "--no-debuginfod", env=env).is_refusal(
        2, "--debuginfod and --no-debuginfod exclude each other")
    for option in "--debuginfod", "--no-debuginfod":
        with tempfile.TemporaryDirectory() as folder:
            result = reader(option, "-q", "--", "true", env=env, cwd=folder)
            equal((result.status, result.err), (0, ""), option)


@test
def wrong_command_lines_are_refused():
    for words, part in (
        ((), "nothing to record"),
        (("record",), "nothing to record"),
        (("./prog",), "goes after --: `gapp-read -- ./prog`"),
        (("mend",), "unknown command 'mend'"),
        (("-p", "1", "ls"), "unexpected 'ls'"),
        (("record", "record"), "unexpected 'record'"),
        (("-",), "unknown command '-'"),
        (("--",), "no command after --"),
        (("-p", "1", "--"), "no command after --"),
        (("-p", "1", "--", "ls"), "exclude each other"),
        (("-a", "--", "ls"), "exclude each other"),
        (("-a", "-p", "1"), "exclude each other"),
        (("-x", "/bin/ls", "-p", "1"), "exclude each other"),
        (("-x", "/bin/ls", "--exe", "/bin/cat"), "--exe can be given once"),
        (("-p", "1", "--keep", "10"), "'10' is not a time from 1s to 3600s"),
        (("-p", "1", "--keep", "0.5s"), "is not a time from 1s"),
        (("-p", "1", "--keep", "10s,"), "is not a time from 1s"),
        (("-p", "1", "--keep", "10s,100K"), "with a size from 1M to 64G"),
        (("-p", "1", "--keep", "10s,65G"), "with a size from 1M to 64G"),
        (("-p", "1", "--keep", "10s", "--records"), "--keep and --records exclude each other"),
        (("-p", "1", "--keep", "10s", "--waits"), "--keep and --waits exclude each other"),
        (("-p", "1", "--keep", "10s", "--level", "stats"), "--keep has no meaning with --level stats"),
        (("-p", "1", "--keep", "10s", "--level", "trace", "--view", "graph"), "--view graph and --keep exclude"),
        (("-p", "1", "--keep", "10s", "--view", "handover"), "--view handover and --keep exclude each other"),
        (("-p", "1", "--keep", "10s", "--criterion", "average"), "--criterion average and --keep exclude"),
        (("-p", "1", "--keep", "10s", "--call-graph", "verify"), "--call-graph verify and --keep exclude"),
        (("-p", "1", "--when", "parallelism < 2"), "give --keep, too"),
        (("-a", "--keep", "10s", "--when", "parallelism < 2"), "give --as-one, too"),
        (("-p", "1", "--keep", "10s", "--when", "speed < 2"), "'speed < 2' is not a figure (parallelism"),
        (("-p", "1", "--keep", "10s", "--when", "idle > 1%", "--when", "idle > 2%"), "--when can be given once"),
        (("top", "-p", "1", "--keep", "10s"), "--keep has no meaning with top"),
        (("ctl",), "give dump, status, start or stop"),
        (("ctl", "dmup"), "give dump, status, start or stop"),
        (("ctl", "dump", "x"), "'x' is not the id of a process"),
        (("ctl", "dump", "0"), "'0' is not the id of a process"),
        (("ctl", "dump", "1", "2"), "ctl takes one request and one process id"),
        (("ctl", "dump", "1", "-s", "x"), "a process id and -s exclude each other"),
        (("ctl", "dump", "--keep", "10s"), "--keep has no meaning with ctl"),
        (("ctl", "dump", "--", "ls"), "ctl runs no command"),
        (("--as-one", "-p", "1"), "joins the processes of -a"),
        (("-a", "--no-inherit"), "--no-inherit and --all exclude each other"),
        (("-p", "1", "-k", "--no-kernel"), "--kernel and --no-kernel exclude each other"),
        (("-p", "1", "--threads-only", "--process-only"), "exclude each other"),
        (("-p", "1", "--symfs", ""), "is not the path of a folder"),
        (("-p", "1", "--symfs", "/a", "--symfs", "/b"), "--symfs can be given once"),
        (("-p", "1", "--source-path", ""), "is not the path of a folder"),
        (("-p", "1", "--debuginfod"), "DEBUGINFOD_URLS names no servers"),
        (("script", "-p", "1", "--source-path", "/a"), "--source-path has no meaning with script"),
        (("script", "-p", "1", "--no-debuginfod"), "--no-debuginfod has no meaning with script"),
        (("-p", "1", "--level", "stats", "--symfs", "/a"), "--symfs has no meaning with --level"),
        (("-p", "1", "-k", "--no-libs"), "--kernel and --no-libs exclude each other"),
        (("--kthreads", "k*", "--no-kernel"), "--kthreads and --no-kernel exclude each other"),
        (("--kthreads", "k*", "--no-libs"), "--kthreads and --no-libs exclude each other"),
        (("-p", "1", "--view", "waits", "--by", "line"), "--view and --by exclude each other"),
        (("report", "x.data", "--view", "waits", "--by", "line"), "--view and --by exclude each other"),
        (("script", "-p", "1", "--view", "waits"), "--view has no meaning with script"),
        (("-p", "1", "--view", "critical-path"), "--view critical-path is made of every slice and wake-up"),
        (("-p", "1", "--view", "graph"), "which only --level trace records"),
        (("-p", "1", "-o", "x.dot"), "-o FILE.dot is made of every slice and wake-up"),
        (("-p", "1", "-o", "x.pftrace"), "x.pftrace is made of every slice and wake-up"),
        (("-p", "1", "-o", "x.trace.json"), "x.trace.json is made of every slice and wake-up"),
        (("--kthreads", "a", "--kthreads", "b"), "--kthreads can be given once"),
        (("--kthreads", ""), "is not a name of kernel threads"),
        (("--comm", "a", "--comm", "b"), "--comm can be given once"),
        (("--comm", ""), "is not a name of processes"),
        (("--comm", "a", "-p", "1"), "exclude each other"),
        (("--cgroup", "a", "--", "ls"), "exclude each other"),
        (("--cgroup", ""), "is not the path of a control group"),
        (("script",), "nothing to record"),
        (("script", "-p", "1", "--level", "stats"), "has none"),
        (("script", "-p", "1", "--by", "line"), "--by has no meaning with script"),
        (("script", "-p", "1", "--format", "json"), "--format has no meaning with script"),
        (("script", "-p", "1", "-o", "x.txt"), "--output has no meaning with script"),
        (("script", "-p", "1", "--tree"), "--tree has no meaning with script"),
        (("-p", "1", "--tree", "--format", "json"), "--tree is a part of the text: --format json has all paths"),
        (("--format", "json", "--", "true"), "standard output is the command's, too: give -o FILE.json"),
        (("--format", "json", "-o", "r.txt", "--", "true"), "standard output is the command's, too: give -o FILE.json"),
        (("-p", "1", "-o", "x.xml"), "-o x.xml: its suffix must say what to write: .txt, .json, .csv, .folded, .pb.gz, "
                                   ".speedscope.json, .dot, .html, .cores.csv, .counters.csv, .cores.svg, .parallelism.svg, .pftrace or "
                                   ".trace.json"),
        (("-p", "1", "-o", "x"), "-o x: its suffix must say"),
        (("-p", "1", "-o", ".json"), "-o .json: its suffix must say"),
        (("-p", "1", "-o", "x.txt", "-o", "x.txt"), "--output x.txt: it can be written once"),
        (("--frobnicate",), "unknown option '--frobnicate'"),
        (("--frobnicate=3",), "unknown option '--frobnicate'"),
        (("--=3",), "unknown option '--'"),
        (("-qZ",), "unknown option '-Z'"),
        (("--dur", "1"), "unknown option '--dur'"),
        (("-p",), "-p needs a value"),
        (("--pid",), "--pid needs a value"),
        (("--quiet=1",), "--quiet takes no value"),
        (("-p", "1", "-m", "16K", "--call-graph", "copy"), "copies of 8192 bytes need a larger buffer: give -m 64K"),
        (("-p", "1", "-m", "64K", "--call-graph", "verify"), "give -m 256K or more"),
    ):
        result = reader(*words)
        result.is_refusal(2, part)


@test
def level_stats_has_no_paths():
    for words in (
        ("-F", "100"), ("-m", "1M"), ("--max-stack", "9"), ("-k",), ("--min-critical", "0"),
        ("--criterion", "share"), ("--by", "path"), ("--top", "3"), ("--no-libs",),
        ("--threads-only",), ("--process-only",), ("--call-graph", "fp"), ("--tree",),
        ("--view", "waits"),
    ):
        reader("-p", "1", *words, "--level", "stats").is_refusal(2, "with --level stats: ")


@test
def script_has_no_report():
    for words in (
        ("--by", "path"), ("--tree",), ("--top", "3"), ("--no-libs",), ("--threads-only",),
        ("--process-only",), ("--format", "text"), ("-o", "x.txt"), ("--color", "never"), ("-v",),
    ):
        refused = reader("script", "-p", "1", *words)
        refused.is_refusal(2, "has no meaning with script: it prints records, no report")


@test
def wrong_values_are_refused():
    for option, values in (
        ("-p", ("", "x", "0", "-1", "1,", ",1", "1,,2", "1 2", "2147483648", "0x1", "1;2")),
        ("-d", ("", "0", "-1", "x", "1x", "nan", "inf", "1e300", "5000000", "1e-12", " 1", "0x1p3", "+1")),
        ("--delay", ("", "-1", "x", "nan", "infinity", "5000000")),
        ("-n", ("", "0", "-1", "x", "half1", "65537", "1.5", "99999999999999999999")),
        ("--max-threads", ("", "0", "-1", "x", "65537", "1.5")),
        ("--format", ("", "xml", "JSON")),
        ("--color", ("", "yes", "ALWAYS")),
        ("-o", ("",)),
        ("-F", ("", "-1", "x", "20001", "1.5", "333 ")),
        ("--max-stack", ("", "0", "-1", "x", "128")),
        ("-m", ("", "0", "-1", "x", "1T", "1MB", "65M", "1G", "0x10", "4294967297", "1.5M")),
        ("--level", ("", "all", "2")),
        ("--criterion", ("", "mean")),
        ("--min-critical", ("", "10", "10ns", "10 us", "-1us", "x", "2e9s", "3601s", "0x1us", "nan")),
        ("--by", ("", "paths", "slice_end")),
        ("--view", ("", "wait", "WAITS")),
        ("--top", ("", "0", "-1", "x", "1000001")),
        ("-x", ("",)),
        ("--spin", ("", "on", "Off", "sampled,off")),
        ("--call-graph", ("", "dwarf", "AUTO", "copy,", "copy,0", "copy,56", "copy,65", "copy,32776",
                          "copy,0x40", "copy,4K", "copy 64", "copy,64,64", "table,64", "lbr")),
    ):
        for value in values:
            for words in ((option, value), (option + "=" + value,)):
                if words[0][1] == "-" or len(words) == 2:
                    reader("-p", "1", *words).is_refusal(2, option + ": '%s' is not" % value)


@test
def refusals_show_no_escape_sequences():
    result = reader("--\033[2J\n")
    result.is_refusal(2, r"\x1b[2J\x0a")
    expect("\033" not in result.err)


@test
def help_fits_and_goes_to_stdout():
    for words in (("-h",), ("--help",), ("-p", "1", "-qh"), ("record", "--help")):
        result = reader(*words)
        equal((result.status, result.err), (0, ""))
        has(result.out, "usage: gapp-read")
        has(result.out, "exit status:")
        for line in result.out.splitlines():
            expect(len(line) <= 80, "too wide:", line)


@test
def help_begins_with_four_examples():
    begin = reader("-h").out.split("\nusage:")[0]
    examples = re.findall(r"^  gapp-read (.*?)  +\S", begin, re.M)
    equal(len(examples), 4, begin)
    for example in examples:
        # without a module a command line that is right fails later, and differently
        result = reader(*example.split(), fake="open=2")
        expect(result.status in (0, 125), example, result.err)


@test
def help_has_a_line_for_each_command():
    help_text = reader("-h").out
    usage = re.search(r"^usage:.*?\n\n", help_text, re.M | re.S).group(0)
    commands = set(re.findall(r"\b(record|script|report|export|diff|merge|top|spins|doctor|ctl)\b", usage))
    equal(set(re.findall(r"^  ([a-z]+)  +", help_text, re.M)), commands)
    for command in commands:
        expect("unknown" not in reader(command, "-h").err, command)


@test
def help_has_its_descriptions_in_one_column():
    lines = reader("-h").out.splitlines()
    beside = [re.match(r" +-[^ ].*?  +(?=\S)", line) for line in lines]
    below = [re.match(r" {8,}(?=\S)", line) for line in lines]
    expect(sum(map(bool, beside)) > 15 and sum(map(bool, below)) > 10, lines)
    equal({found.end() for found in beside + below if found}, {26})


@test
def manual_has_the_options_of_the_help():
    pattern = r"^(?:\.BR?) (?:\\-([a-zA-Z]) \", \" )?\\-\\-([a-z\\-]+)"
    manual = read(os.path.join(TOP, "docs", "gapp-read.1"))
    documented = {
        (letter, name.replace("\\-", "-")) for letter, name in re.findall(pattern, manual, re.M)
    }
    helped = set(re.findall(r"^  (?:-(\w), |    )--([a-z-]+)", reader("-h").out, re.M))
    expect(len(helped) > 25, helped)
    equal(documented, helped)


@test
def manual_is_well_formed():
    if not shutil.which("groff"):
        raise Skip("no groff")
    path = os.path.join(TOP, "docs", "gapp-read.1")
    done = subprocess.run(["groff", "-T", "utf8", "-t", "-man", "-ww", "-z", path], capture_output=True, check=True)
    equal(done.stderr, b"")
    for section in ("COMING FROM GAPP", "EXAMPLES", "EXIT STATUS", "LIMITS", "OVERHEAD",
                    "PERMISSIONS"):
        has(read(path), "\n.SH %s\n" % section)


@test
def version_names_reader_and_module():
    version = read(os.path.join(TOP, "VERSION")).strip()
    result = reader("-V")
    equal((result.status, result.err), (0, ""))
    header = read(os.path.join(TOP, "include", "uapi", "gapp.h"))
    abi = ".".join(re.findall(r"GAPP_ABI_(?:MAJOR|MINOR) (\d+)", header))
    equal(result.out, "gapp-read %s (ABI %s)\nmodule 9.8.7 (ABI %s)\n" % (version, abi, abi))
    # even if they do not fit together
    has(reader("--version", fake="major=2").out, "module 9.8.7 (ABI 2.%s)\n" % abi.split(".")[1])
    has(reader("-V", fake="open=2").out, "module: not loaded\n")
    has(reader("-V", fake="open=13").out, "module: /dev/gapp: Permission denied\n")


@test
def call_graph_is_passed_on():
    """To CONFIGURE: the way, the bytes of a copy, the buffer, and whether to compare (flag 16)."""
    mega = 1 << 20
    for words, calls, tail, ring, verify in (
        ((), 1, 2048, mega, False),
        (("--call-graph", "auto"), 1, 2048, mega, False),
        (("--call-graph", "fp"), 0, 0, mega, False),
        (("--call-graph", "table"), 2, 0, mega, False),
        (("--call-graph", "copy"), 3, 8192, 8 * mega, False),
        (("--call-graph=copy,64", "-m", "16K"), 3, 64, 16 << 10, False),
        (("--call-graph=copy,32768",), 3, 32768, 8 * mega, False),
        (("--call-graph", "none"), 4, 0, mega, False),
        (("--call-graph", "verify"), 2, 32768, 8 * mega, True),
        (("--call-graph", "verify", "--call-graph", "fp"), 0, 0, mega, False),
        (("--level", "stats"), 0, 0, 0, False),
    ):
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "log")
            reader("-q", *words, "--", "true", log=log)
            lines = [line for line in read(log).splitlines() if re.match(r"with (abi|calls)=", line)]
        said = dict(re.findall(r"(\w+)=(-?\d+)", " ".join(lines)))
        equal([int(said[name]) for name in ("calls", "tail", "ring")], [calls, tail, ring])
        equal(bool(int(said["flags"]) & 16), verify)

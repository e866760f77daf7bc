# SPDX-License-Identifier: GPL-2.0
"""
Programs of other languages and runtimes, each with a bottleneck by construction, and what the report on
each must say.
"""

from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
BUILT = TOP / "build/runtimes"
OUT = BUILT / "out"
COMPILE = BUILT / "compile"
# Functions that each file has which `make -j4` compiles.
FILES = {"long_table": 60, "short_a": 5, "short_b": 5, "short_c": 5, "short_d": 5}


ANY = "any"


class Case:
    """
    A command and what is true of it. @verdict: regular expressions that must be found in the first sentence;
    @unsaid: one that must not; @place: what the first place must be, by key of the report, each a regular
    expression; @waits: what the others waited for while it ran; None: nothing is asked; @called: what these waits
    are called by their rules, ANY: it may have any name, or none; @by_call: another wait reason for @waits that is
    allowed if level critical recorded few such waits; @object: what the bottleneck holds, if every wait is
    recorded: a regular expression for the name of the first wait object of @held, a wait reason and what it is called,
    None: that of the others; @most: critical time is at most this part of the run; @doing: what it called mostly;
    @advice: what the text must say at its end, None: no advice on names of generated or interpreted code; @few: this
    machine's own programs do for it; @whole: per cent of the time that has a path, at least, on whole ones; None:
    any; @environment: variables and their values; @beside: a wait reason of threads that wait for nothing that the program does;
    @section: a name that the program gives to what it does, and a regular expression for its function with most critical time.
    """

    def __init__(self, name, command, verdict, place, waits, called=None, object=None, doing=None, advice=None,
                 few=False, unsaid=None, whole=None, environment=None, by_call=None, most=1, held=None, beside=None,
                 section=None):
        self.name, self.program = name, Path(command[0]).name
        set_variables = [f"{name}={value}" for name, value in (environment or {}).items()]
        self.command = [*set_variables, *(str(word) for word in command)]
        self.verdict, self.place, self.waits, self.called = verdict, place, waits, called
        self.held = held or (waits, called)
        self.by_call, self.object, self.doing, self.advice, self.most = by_call, object, doing, advice, most
        self.few, self.unsaid, self.whole, self.beside, self.section = few, unsaid, whole, beside, section


def java(*options, arguments=()):
    return ["java", "-cp", OUT, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", *options, "Journal", "8000", *arguments]


# Of C++ and Rust: all their code has unwind tables, and little but the start of the program may be cut. Of Go: its
# compiler writes frame pointers and no tables, and its assembler writes neither; a program had 75 when it was tried.
TABLES_WHOLE = 95
GO_WHOLE = 70

# Python 3.11 cannot name what it interprets.
INTERPRETER = {"function": "_PyEval_EvalFrameDefault", "object": r"python3\.\d+"}

MAPS_OF_JAVA = ("-XX:+PreserveFramePointer", "-XX:+UnlockDiagnosticVMOptions", "-XX:+DumpPerfMapAtExit")

# So that threads of a team wait and do not spin: how long they do depends on how many CPUs there are.
GOMP = {"GOMP_SPINCOUNT": "0"}
KMP = {"KMP_BLOCKTIME": "0"}
# The lock of libomp by default is one for which threads spin and yield.
KMP_FUTEX = {**KMP, "KMP_LOCK_KIND": "futex"}
# libgomp and libomp have a variable for each name of a section.
CRITICAL_SECTION = r"\.gomp_critical_user_journal.*"


def place_in(function, file):
    return {"verdict": [function], "place": {"function": function, "file": file}}


# Of a monitor: with a map the method is known that waits, else it is generated code.
MONITOR = ("lock", "monitor")

CASES = [
    Case("make-j4", ["make", "-B", "-s", "-j4", "-C", COMPILE, "CC=gcc", "OUT=/tmp"],
         verdict=["process", r"long_table\.c"], place={"object": "cc1"}, waits="join", called="process", few=True),
    Case("rust_mutex", [OUT / "rust_mutex"], **place_in("compact_journal", "rust_mutex.rs"),
         waits="lock", called="mutex", object="mutex in rust_mutex::worker", whole=TABLES_WHOLE),
    Case("rust_channel", [OUT / "rust_channel"], **place_in("parse_entry", "rust_channel.rs"),
         waits="queue", called="channel", object="channel in rust_channel::store_entries", whole=TABLES_WHOLE),
    Case("rust_crossbeam", [OUT / "rust_crossbeam"], **place_in("parse_entry", "rust_crossbeam.rs"),
         waits="queue", called="channel", object="channel in rust_crossbeam::store_entries", whole=TABLES_WHOLE),
    # Idle threads of a pool begin one wait when they are made, of which level critical seldom has a record.
    Case("rust_rayon", [OUT / "rust_rayon"], **place_in("index_archive", "rust_rayon.rs"),
         waits="queue", called="work for rayon", by_call="other", object="work for rayon",
         whole=TABLES_WHOLE),
    Case("rust_tokio", [OUT / "rust_tokio"], **place_in("index_archive", "rust_tokio.rs"),
         waits="queue", called="work for tokio", by_call="other", object="work for tokio",
         whole=TABLES_WHOLE),
    Case("go_mutex", [OUT / "go_mutex"], **place_in("compactJournal", "go_mutex.go"),
         waits="queue", called="work for Go", object="work for Go", whole=GO_WHOLE),
    Case("go_channel", [OUT / "go_channel"], **place_in("parseEntry", "go_channel.go"),
         waits="queue", called="work for Go", object="work for Go", whole=GO_WHOLE),
    Case("gomp_serial", [OUT / "gomp_serial"], **place_in("merge_results", "omp_serial.cpp"),
         waits="barrier", called="barrier of OpenMP", object="barrier of OpenMP.*",
         whole=TABLES_WHOLE, environment=GOMP),
    Case("gomp_barrier", [OUT / "gomp_barrier"], **place_in("sort_largest", "omp_barrier.cpp"),
         waits="barrier", called="barrier of OpenMP", object="barrier of OpenMP in sort_in_rounds.*",
         whole=TABLES_WHOLE, environment=GOMP),
    Case("gomp_critical", [OUT / "gomp_critical"], **place_in("compact_journal", "omp_critical.cpp"),
         waits="lock", called="lock of OpenMP", object=CRITICAL_SECTION, whole=TABLES_WHOLE, environment=GOMP),
    # There are more threads than CPUs, so those of libgomp hardly spin.
    Case("gomp_default", [OUT / "gomp_serial"], **place_in("merge_results", "omp_serial.cpp"),
         waits="barrier", called="barrier of OpenMP", object="barrier of OpenMP.*", whole=TABLES_WHOLE),
    Case("kmp_serial", [OUT / "kmp_serial"], **place_in("merge_results", "omp_serial.cpp"),
         waits="barrier", called="barrier of OpenMP", object="barrier of OpenMP.*",
         whole=TABLES_WHOLE, environment=KMP),
    # Its threads compute before they wait at the barrier, so level critical may have no record of a wait there.
    Case("kmp_barrier", [OUT / "kmp_barrier"], **place_in("sort_largest", "omp_barrier.cpp"),
         waits="barrier", called="barrier of OpenMP", by_call="queue", object="barrier of OpenMP.*",
         whole=TABLES_WHOLE, environment=KMP),
    Case("kmp_critical", [OUT / "kmp_critical"], **place_in("compact_journal", "omp_critical.cpp"),
         waits="lock", called="critical section of OpenMP", object=CRITICAL_SECTION, whole=TABLES_WHOLE,
         environment=KMP_FUTEX),
    # Who waits for the section by default spins and yields. This guest has no libcapstone, so nobody knows the loops,
    # and few threads are hardly ever active.
    Case("kmp_spun", [OUT / "kmp_critical"], verdict=[], place={}, waits=None, most=0.25),
    Case("tbb_rounds", [OUT / "tbb_rounds"], **place_in("merge_results", "tbb_rounds.cpp"),
         waits="queue", called="work for TBB", object="work for TBB", whole=TABLES_WHOLE),
    Case("async_futures", [OUT / "async_futures"], **place_in("index_archive", "async_futures.cpp"),
         waits="join", called="future", object="future in main", whole=TABLES_WHOLE),
    Case("cond_producer", [OUT / "cond_producer"], **place_in("parse_entry", "cond_producer.cpp"),
         waits="queue", called="condition", object=r"entry_parsed\+0x.*", whole=TABLES_WHOLE),
    # main() waits for a thread to end, by another lock of Python.
    Case("python_gil", ["python3", OUT / "python_gil.py"],
         verdict=["_PyEval_EvalFrameDefault of started threads"], place=INTERPRETER,
         waits="lock", called="interpreter lock", object=r"_PyRuntime\+0x.*", advice="-X perf"),
    # Waits for the interpreter's lock are short, and many: level critical knows how many it recorded, not how long.
    Case("python_threads", ["python3", OUT / "python_threads.py"],
         verdict=["_PyEval_EvalFrameDefault of started threads"], place=INTERPRETER,
         waits="lock", called=ANY, held=("lock", "lock of Python"), doing="deflate", advice="-X perf"),
    # Two of three workers wait for the lock of the queue and the third reads from it; so do threads of the parent.
    Case("python_pool", ["python3", OUT / "python_pool.py"],
         verdict=["_PyEval_EvalFrameDefault", "process"], place=INTERPRETER,
         waits="lock", called=ANY, doing="deflate", advice="-X perf"),
    Case("node_maps", ["node", "--perf-basic-prof", OUT / "node_workers.js"],
         **place_in("compactJournal", "node_workers.js"), waits="queue", called="condition"),
    # V8 tells of the lines, too, of code that it did not optimize.
    Case("node_dump", ["node", "--perf-prof", OUT / "node_workers.js"],
         **place_in("compactJournal", "node_workers.js"), waits="queue", called="condition"),
    Case("node_no_maps", ["node", OUT / "node_workers.js"],
         verdict=["JIT code of node"], place={"function": "JIT code of node"}, waits="queue", called="condition",
         advice=r"--perf-basic-prof"),
    # Two threads wait for the monitor, and a dozen of the JVM's own for work.
    Case("java_maps", java(*MAPS_OF_JAVA),
         verdict=["compactJournal"], place={"function": "Journal.*compactJournal"}, waits="queue", called=ANY,
         by_call="other", held=MONITOR, object="monitor in .*Journal.*", unsaid="Interpreter|StubRoutines"),
    Case("java_marks", java(*MAPS_OF_JAVA, arguments=["/dev/gapp_mark"]),
         verdict=["compactJournal"], place={"function": "Journal.*compactJournal"}, waits="queue", called=ANY,
         by_call="other", held=MONITOR, object="monitor in .*Journal.*", unsaid="Interpreter|StubRoutines",
         section=("compact", "Journal.*compactJournal")),
    Case("java_no_maps", java(),
         verdict=["JIT code of java"], place={"function": "JIT code of java"}, waits="queue", called=ANY,
         by_call="other", held=MONITOR, object="monitor in JIT code of java", advice=r"-XX:\+PreserveFramePointer"),
]

# The ranks of MPI as users run them: they wait in loops in which they call functions all the time, with and without
# letting others run. The report must be that on the twin whose ranks sleep instead, which has the name without more.
def mpi(program, yields=0):
    return ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", 4, "--mca", "mpi_yield_when_idle", yields,
            OUT / program]


def mpi_cases(name, function, asleep, called):
    # each rank has threads of Open MPI's that sleep for events of its launcher
    where = {**place_in(function, f"{name}.c"), "beside": "event"}
    # of a rank's spins those while it starts and ends are a part
    spins = {**where, "waits": "spin", "called": f"{called} of MPI", "held": ("spin", ANY)}
    return [Case(f"mpi_{name}", mpi(f"mpi_{name}_sleeps"), **where, waits=asleep, called=ANY, by_call="other"),
            Case(f"mpi_{name}_default", mpi(f"mpi_{name}"), **spins),
            Case(f"mpi_{name}_yields", mpi(f"mpi_{name}", 1), **spins)]


# Ranks that spin slow others down where there are fewer real CPUs than the guest has: so nearly all of a round is the
# bottleneck's.
MPI = [*mpi_cases("barrier", "sort_largest", "barrier", "barrier"),
       *mpi_cases("sum", "integrate_pole", "barrier", "collective operation"),
       *mpi_cases("master", "prepare_part", "queue", "message")]
# With every wait recorded the names of these waits are known.
NAMED = [case for case in MPI if case.name.endswith("_default")]

# As users run programs of OpenMP: threads of a team spin before they sleep, or for as long as they wait. The report
# must be that on the program whose threads sleep at once, which has the name without "_default".
SPUN = [Case(f"{name}_default", [OUT / name], verdict=like.verdict, place=like.place, waits=None)
        for name in ("gomp_serial", "gomp_barrier", "gomp_critical", "kmp_serial", "kmp_barrier", "kmp_critical")
        for like in CASES if like.name == name]

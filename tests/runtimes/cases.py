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


class Case:
    """
    A command and what is true of it. @verdict: regular expressions that must be found in the first sentence;
    @unsaid: one that must not; @place: what the first place must be, by key of the report, each a regular
    expression; @waits: what the others waited for while it ran, or a tuple if symbols decide; @doing: what it called mostly; @advice: what the
    text must say at its end, None: no advice on names of generated or interpreted code; @few: this machine's own
    programs do for it; @whole: per cent of the time that has a path, at least, on whole ones; None: any.
    """

    def __init__(self, name, command, verdict, place, waits, doing=None, advice=None, few=False,
                 unsaid=None, whole=None):
        self.name, self.command = name, [str(word) for word in command]
        self.verdict, self.place, self.waits = verdict, place, waits
        self.doing, self.advice, self.few, self.unsaid = doing, advice, few, unsaid
        self.whole = whole


def java(*options):
    return ["java", "-cp", OUT, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", *options, "Journal", "8000"]


# Of C++ and Rust: all their code has unwind tables, and little but the start of the program may be cut. Of Go: its
# compiler writes frame pointers and no tables, and its assembler writes neither; a program had 75 when it was tried.
TABLES_WHOLE = 95
GO_WHOLE = 70

# A monitor, which only the symbols of the JVM can tell from what else it waits for by conditions; where most of the
# waits that were recorded are those of the JVM's own threads for work, all conditions count as such.
MONITOR = ("lock", "other", "queue")
# Workers wait for a semaphore, threads of the pool for locks: by the recorded waits one of them, or neither.
POOL = ("lock", "queue", "other")

# Python 3.11 cannot name what it interprets.
INTERPRETER = {"function": "_PyEval_EvalFrameDefault", "object": r"python3\.\d+"}

MAPS_OF_JAVA = ("-XX:+PreserveFramePointer", "-XX:+UnlockDiagnosticVMOptions", "-XX:+DumpPerfMapAtExit")

CASES = [
    Case("make-j4", ["make", "-s", "-j4", "-C", COMPILE, "CC=gcc", "OUT=/tmp"],
         verdict=["process", r"long_table\.c"], place={"object": "cc1"}, waits="join", few=True),
    Case("rust_mutex", [OUT / "rust_mutex"],
         verdict=["compact_journal"], place={"function": "compact_journal", "file": "rust_mutex.rs"},
         waits="lock", whole=TABLES_WHOLE),
    Case("go_mutex", [OUT / "go_mutex"],
         verdict=["compactJournal"], place={"function": "compactJournal", "file": "go_mutex.go"},
         waits="queue", whole=GO_WHOLE),
    Case("tbb_rounds", [OUT / "tbb_rounds"],
         verdict=["merge_results"], place={"function": "merge_results", "file": "tbb_rounds.cpp"},
         waits="queue", whole=TABLES_WHOLE),
    Case("async_futures", [OUT / "async_futures"],
         verdict=["index_archive"], place={"function": "index_archive", "file": "async_futures.cpp"},
         waits="join", whole=TABLES_WHOLE),
    Case("python_gil", ["python3", OUT / "python_gil.py"],
         verdict=["_PyEval_EvalFrameDefault of started threads"], place=INTERPRETER, waits="lock",
         advice="-X perf"),
    Case("python_threads", ["python3", OUT / "python_threads.py"],
         verdict=["_PyEval_EvalFrameDefault of started threads"], place=INTERPRETER, waits="lock",
         doing="deflate",
         advice="-X perf"),
    Case("python_pool", ["python3", OUT / "python_pool.py"],
         verdict=["_PyEval_EvalFrameDefault", "process"], place=INTERPRETER, waits=POOL, doing="deflate",
         advice="-X perf"),
    Case("node_maps", ["node", "--perf-basic-prof", OUT / "node_workers.js"],
         verdict=["compactJournal"], place={"function": "compactJournal", "file": "node_workers.js"},
         waits="queue"),
    Case("node_no_maps", ["node", OUT / "node_workers.js"],
         verdict=["JIT code of node"], place={"function": "JIT code of node"}, waits="queue",
         advice=r"--perf-basic-prof"),
    Case("java_maps", java(*MAPS_OF_JAVA),
         verdict=["compactJournal"], place={"function": "Journal.*compactJournal"}, waits=MONITOR,
         unsaid="Interpreter|StubRoutines"),
    Case("java_no_maps", java(),
         verdict=["JIT code of java"], place={"function": "JIT code of java"}, waits=MONITOR,
         advice=r"-XX:\+PreserveFramePointer"),
]

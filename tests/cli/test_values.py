# SPDX-License-Identifier: GPL-2.0
"""Every figure of the reports that made_report.c makes up: there no two are alike."""

import json
import os
import re
import subprocess

from harness import BUILT, TOP, equal, has, read, test

WAITS = ("other lock queue join barrier disk network pipe sleep fault memory event signal"
         " futex").split() + ["kernel-lock"]
THENS = dict(preempted=401, exited=402, stopped=403, on=404)
CUTS = ("max_stack no_frame unreadable no_rule loop unmapped late copy_ended "
        "no_frame_pointer").split()


def report(what):
    program = os.path.join(BUILT, "made-report")
    return subprocess.run([program, what], capture_output=True, check=True).stdout.decode()


def frame(function, module, file, line, inlined=False):
    return dict(function=function, module=module, file=file, line=line, inlined=inlined)


def code(function, where, file, line):
    return dict(function=function, object=where, file=file, line=line)


def total(frame_of, critical_s, samples):
    row = dict(frame(*frame_of), critical_s=critical_s, percent=critical_s, samples=samples)
    del row["inlined"]
    return row


def source(function, file, line):
    return dict(function=function, file=file, line=line)


def memory(faults, local, remote):
    return {"faults": faults, "local-memory": local, "remote-memory": remote}


# Beside places, rows and paths of code that ran.
THERE = dict(counted_s=0.5, per_critical_second=memory(2000, 1200, 400), incomplete=["faults"], local_percent=75)

LIFE = dict(
    life_s=66.25, ready_s=5.5, unknown_s=0.125, blocked_by=dict(lock=16, disk=1.375), runq_stays=1100,
    runq_average_s=0.005, runq_max_s=0.606, runq_max_at_s=0.607, preempted=605, preempted_runq_s=2.6,
    preempted_by=[dict(tid=608, comm="rival", times=401, runq_s=1.609), dict(tid=610, comm="other", times=201, runq_s=0.611),
                  dict(tid=None, comm=None, times=3, runq_s=0.38)])

WAIT_VIEWS = dict(
    every_wait=True,
    wait_objects=[dict(reason="lock", called="mutex", name="table_lock", tgid=624, critical_s=6.721, inferred=True,
                       nobody_ran_s=0.621, waited_s=7.22, waits=623,
                       sites=[dict(source("hash", "f/1.c", 501), waits=625, waited_s=6.26)],
                       enders=[dict(source("get", "f/5.c", 505), thread="giver", interrupt=False, interrupt_kind=None,
                                    waits=627, waited_s=6.28)],
                       holders=[dict(source("put", "f/4.c", 504), critical=True, holds=801, hold_s=8.02, hold_critical_s=0.803,
                                     waits=804, waited_s=8.05, critical_s=0.806),
                                dict(source(None, None, None), critical=False, holds=807, hold_s=8.08, hold_critical_s=0,
                                     waits=809, waited_s=8.1, critical_s=0.811)],
                       spins=dict(count=849, spun_s=8.48, in_vain=843, in_vain_s=8.44, then_slept_s=8.45, end_seen_s=8.47,
                                  ender_without_cpu_s=8.46, ended_on_its_node=dict(ends=91, delay_s=0.092),
                                  ended_on_another_node=dict(ends=94, delay_s=0.95)),
                       diagnoses=[dict(diagnosis="spin_budget",
                                       says="843 of 849 times that threads spun for it, the time to spin ran out: at least 8.44 s in "
                                       "vain, and then 8.45 s asleep; let them sleep sooner"),
                                  dict(diagnosis="ender_without_cpu",
                                       says="for 8.46 s of 8.47 s of spinning whose end was seen, the thread that ended it had no "
                                       "CPU: more threads want to run than there are CPUs for them; let them sleep sooner, or run "
                                       "fewer")])],
    wakers=[dict(source("sync", "f/3.c", 503), thread=None, interrupt=True, interrupt_kind="disk", waits=631, waited_s=6.32,
                 median_s=0.633, woke="taker", reason="lock", object="table_lock",
                 woken_from=source(None, None, None)),
            dict(source("sync", "f/3.c", 503), thread="giver", interrupt=False, interrupt_kind=None, waits=638, waited_s=5.39,
                 median_s=0.639, woke="taker", reason="lock", object="table_lock",
                 woken_from=source("get", "f/5.c", 505))],
    waits_missing=dict(without_room=634, not_looked_up=635, cut=636, waker_paths=637),
    critical_path=dict(
        # its rows: 6.41 + 0.644, the four ways of a wait that ended, and what has no row
        run_s=98, sum_s=39.589, ran_s=68.1, not_sampled_s=6.85, ready_s=6.82, waited_s=6.83, no_thread_s=6.84, unknown_s=9.41,
        known_from_s=0.687, dropped_slices=688, hops=689,
        by_function=[dict(function="put", module="/m/4", s=6.41, inferred_s=0.642),
                     dict(function=None, module="/m/2", offset=643, s=0.644, inferred_s=0)],
        by_reason=[dict(reason="lock", name="mutex", through_s=6.51, s=2.615, ended_outside_s=0.652, ended_by_interrupt_s=0.653,
                        ended_by_unknown_s=0.654, not_ended_s=0.656)],
        by_object=[dict(reason="lock", called="mutex", name="table_lock", tgid=812, through_s=8.13, s=3.266,
                        ended_outside_s=0.814, ended_by_interrupt_s=0.815, ended_by_unknown_s=0.817, not_ended_s=0.82)],
        by_thread=[dict(tid=661, tgid=662, comm="walker", s=7.96, ran_s=6.63, ready_s=0.664, waited_s=0.666)]),
    graph=dict(nodes=[dict(id=0, name="team (671)", kind="team", threads=671), dict(id=1, name="disk", kind="other", threads=0)],
               edges=[{"from": 0, "to": 1, "s": 6.74, "own_s": 0.673, "waits": 672}], knots=[[1]], unknown_s=0.691,
               cut_chains=692),
    handovers=[{"from": dict(tid=821, tgid=822, comm="asker", function="syscall", module="/m/libc", file="f/s.c", line=823,
                             own=dict(function="ask", module="/m/1", file="f/a.c", line=824)),
                "to": dict(tid=825, tgid=826, comm="answerer", function="answer", module="/m/2", file="f/b.c", line=827,
                           own=dict(function=None, module="/m/4", offset=836, file=None, line=None)), "count": 828, "last_s": 8.29},
               {"from": dict(tid=831, tgid=832, comm=None, function=None, module="/m/2", offset=838, file=None, line=None,
                             own=dict(function=None, module="/m/5", offset=839, file=None, line=None)),
                "to": dict(tid=833, tgid=834, comm="other", function=None, module="/m/3", offset=835, file=None, line=None,
                           own=None), "count": 36, "last_s": 0.837}],
    handovers_total=900, handovers_lost=36,
    sections=[dict(name='solve "it"', begins=841, time_s=8.42, active_average=1.25, critical_s=7.44, divided_s=0.845,
                   functions=[dict(function="solve", module="/m/1", critical_s=6.86),
                              dict(function=None, module="/m/2", offset=847, critical_s=0.48),
                              dict(function=None, module=None, critical_s=0.1)]),
              dict(name="wait", begins=851, time_s=8.52, active_average=None, critical_s=0, divided_s=0, functions=[])],
    outside_sections=dict(time_s=86.1, active_average=2.5, critical_s=8.62), sections_unpaired=863, sections_without_room=864,
    sections_ended_unseen=865, marks_left_out=0,
    parallel_regions=[dict(function="relax", outlined="relax._omp_fn.0", module="/m/1", file="f/8.c", line=863, critical_s=8.64,
                           running=1.75, idle_s=0.866, functions=[dict(function="burn", module="/m/3", critical_s=8.07),
                                                                  dict(function=None, module="/m/4", offset=862, critical_s=0.57)]),
                      dict(function=None, outlined=None, module="/m/2", offset=861, file=None, line=None, critical_s=0,
                           running=None, idle_s=0.867, functions=[])],
    # of 25 seconds
    outside_parallel_regions=dict(
        sequential=dict(
            critical_s=8.68, running=1.25, idle_s=0.869,
            functions=[dict(function="burn", module="/m/3", critical_s=8.18),
                       dict(function=None, module="/m/4", offset=862, critical_s=0.5)]),
        runtime=dict(
            critical_s=0.871, running=None, idle_s=0.872,
            functions=[dict(function="burn", module="/m/3", critical_s=0.821),
                       dict(function=None, module="/m/4", offset=862, critical_s=0.05)]),
        other_processes=dict(
            critical_s=1.519, running=None, idle_s=0.874,
            functions=[dict(function="burn", module="/m/3", critical_s=1.419),
                       dict(function=None, module="/m/4", offset=862, critical_s=0.1)]),
        runq_s=4, unknown=dict(critical_s=1.29, idle_s=0.875)),
    exact_loops=[dict(source("await", "f/7.c", 851), module="/m/7", tgid=852, timed_s=85.3, given_up=False),
                 dict(source(None, None, None), module="/m/8", offset=0x854, tgid=855, timed_s=8.56, given_up=True),
                 dict(source("stand", None, None), module="/m/9", tgid=857, timed_s=0.858, given_up=False)],
    exact_loops_total=859, exact_passes_per_s=860,
    # threads were on CPUs for 43.25 + 1.75 + 33 s, and spun for 84.3 s
    counters=[dict(name="faults", count=3246, per_second_on_cpus=20, complete=False, not_counted_why=None),
              dict(name="cycles", count=None, per_second_on_cpus=None, complete=False,
                   not_counted_why="the processor has no counter left: give fewer --counters"),
              dict(name="local-memory", count=4869, per_second_on_cpus=30, complete=True, not_counted_why=None),
              dict(name="remote-memory", count=1623, per_second_on_cpus=10, complete=True, not_counted_why=None)],
    counters_by_thread=[
        dict(tid=51, tgid=52, comm="work-1", counts=memory(2500, 1500, 1500), incomplete=["faults"], local_percent=50),
        # what the two CPUs have beyond that: 3369 of 3492 loads
        dict(tid=None, tgid=None, comm=None, counts=memory(746, 3369, 123), incomplete=[], local_percent=96.477663)],
    # 869 of 1492
    counters_by_node=[dict(node=881, counts=memory(2000, 4000, 1000), incomplete=[], local_percent=80),
                      dict(node=882, counts=memory(1246, 869, 623), incomplete=[], local_percent=58.243968)],
    # up to 40 s and 100 s, of which faults lack something since
    counters_over_time=dict(
        end_s=[40, 100],
        in_all=dict(counts=memory([746, 2500], [1169, 3700], [323, 1300]), local_percent=[78.35, 74],
                    incomplete_from_s=dict(faults=40)),
        by_node=[dict(node=881, counts=memory([500, 1500], [800, 3200], [200, 800]), local_percent=[80, 80],
                      incomplete_from_s={}),
                 dict(node=882, counts=memory([246, 1000], [369, 500], [123, 500]), local_percent=[75, 50],
                      incomplete_from_s=dict(faults=40))]),
)


def places(*offsets):
    return [dict(module=module, offset=offset) for module, offset in offsets]


# of 100 seconds: as many per cent
EXPECTED = dict(
    version=read(os.path.join(TOP, "VERSION")).strip(), command=["./prog", "-x"],
    wall_s=100, cpus=5, active_s=92.875, idle_s=7.125, spun_s=84.3, starved_s=0,
    # shares of 40.5 + 3.75, 1 + 0.25 and 30.125 + 8.625, and the idle time
    accounted_percent=91.375,
    # 4 and 3 of 50 seconds are elsewhere
    kernel_agrees_percent=86, n_recount_ok=False, not_followed=31, not_followed_denied=8,
    not_followed_late=9, kernel_threads_not_followed=41, unexpected=32,
    parallelism=[7.125, 30.375, 22.5, 40], parallelism_average=(30.375 + 2 * 22.5 + 3 * 40) / 100,
    n_min=2, n_min_most=3, n_min_least=1, n_min_most_s=60.125, start_ns=42, stop_ns=100000000042, threads_total=23,
    recount=dict(n=33, tracked_n=34, threads=35, tracked_threads=36, differ=37),
    level="trace", rate_hz=333, critical_s=21 + 4, slices=800, critical_slices=200,
    unsampled_slices=6, switches=1601, samples=444, distinct_paths=666, code_of_32_bits=True,
    lost=dict(ring=71, paths=72, unreadable=73, samples=74, threads=75, stack_copies=76,
              paths_over_budget=77, records_over_budget=78),
    # of 20 seconds that paths have
    complete_path_percent=45, complete_by_percent=dict(frame_pointer=7, table=20, copy=18),
    cut_percent=dict(zip(CUTS, (10, 3, 11, 4, 12, 2, 1.5, 5, 6.5))),
    call_graph="verify", kernel_frames=True, stack_copies=dict(copies=81, longer=83, whole=84, unknown=85),
    tables=dict(tables=91, bytes=1572864, without=93, refused=94, compile_s=0.095, load_s=0.012,
                processes=97, sends=98, outdated=99, mapping_requests=101, send_s=0.013),
    verify=dict(
        equal=111, differ=112 + 113, shorter=113, beyond_copy=114, gave_up=115, unchecked=116,
        cases=[dict(verdict="shorter", tgid=121, times=122, equal=1, end="no_rule",
                    libdwfl_end="unmapped", frames=places(("one.so", 601), ("two.so", 602)),
                    libdwfl_frames=places(("one.so", 601), ("one.so", 603), ("two.so", 604)))]),
    unattributed_s=dict(run_queue=4, lost=2, table_full=1.5, no_user_path=0.75),
    reader=dict(cpu_s=1.5, rss_kib=2560, report_s=0.75),
    # 90000 calls of 5 us, on five CPUs
    overhead=dict(probe_percent=0.09, probe_s=0.45, probe_calls=90000, longest_switch_s=0.0000384,
                  posts=79, post_waits=80),
    verdict="For 25.00 s of 100.00 s (25 %) no more than N_min = 3 threads (down to 1 while "
            "fewer than 6 lived) were active, more in fill (7.c:541) called from main (8.c:508) "
            "than anywhere else, and for most of it no other thread was there to wait.",
    places=[
        dict(rank=1, kind="ran", critical_s=6.6, percent=6.6, function="fill", object="/m/7",
             file="f/7.c", line=541, wait=None, wait_name=None, gain_bound_s=7.7, slices=246, median_s=0.019, running=1.75, tgid=248,
             complete=True, path=[code("fill", "/m/7", "f/7.c", 507), code("main", "/m/8", "f/8.c", 508)],
             doing=[dict(function="read", object="/m/10.so.1", own=False, critical_s=3.1),
                    dict(function="fill", object="/m/7", own=True, critical_s=2.15),
                    dict(function="[/m/11.so.1+0x510]", object="/m/11.so.1", own=False,
                         critical_s=1.35)],
             lines=[dict(file="f/7.c", line=541, samples=542, critical_s=4.26, stack_top=False)],
             waiting=[dict(wait=name, name="interpreter lock" if name == "lock" else None,
                           critical_s=12 * (i + 1) / 1000)
                      for i, name in enumerate(WAITS)],
             counters=THERE, kernel_known_s=4.95, kernel_s=1.98, system_calls=dict(openat=1.3, page_faults=0.65),
             thread_count=249, threads=[dict(tid=242, tgid=243, comm="m1", critical_s=3.3),
                                        dict(tid=244, tgid=245, comm="m2", critical_s=2.1)]),
        dict(rank=2, kind="waited", critical_s=5.3, percent=5.3, function="take", object="/m/9",
             file="f/9.c", line=509, wait="disk", wait_name="log file", gain_bound_s=None, slices=251, median_s=None, running=None,
             tgid=252, complete=False, path=[code("take", "/m/9", "f/9.c", 509)], doing=[],
             lines=[], waiting=[], kernel_known_s=0, kernel_s=None, system_calls={}, thread_count=253, threads=[])],
    paths=[
        dict(rank=1, kind="ran", critical_s=6.5, percent=6.5, slices=201, samples=202,
             inferred_s=1.625, wait=None, wait_name=None, complete=True, threads=205, running=1.625,
             waiting_on={name: 11 * (i + 1) / 1000 for i, name in enumerate(WAITS)},
             then={**{name: 301 + i for i, name in enumerate(WAITS)}, **THENS},
             median_s=0.017, tid=203, tgid=204, comm="r1", counters=THERE, kernel_known_s=4.875, kernel_s=1.95,
             system_calls=dict(openat=1.3, page_faults=0.65),
             frames=[frame("hash", "/m/1", "f/1.c", 501, True),
                     frame("[/m/2+0x502]", "/m/2", None, None)],
             lines=[dict(file="f/1.c", line=501, samples=511, critical_s=4.16, stack_top=False),
                    dict(file="f/2.c", line=521, samples=522, critical_s=0.65, stack_top=True)]),
        dict(rank=2, kind="waited", critical_s=5.2, percent=5.2, slices=211, samples=212,
             inferred_s=0.3, wait="disk", wait_name=None, waiting_on=dict(pipe=0.7), then=dict(on=351),
             complete=False, threads=215, running=2.5, median_s=0.018, tid=213, tgid=214,
             kernel_known_s=5.2, kernel_s=5.2, system_calls=dict(fdatasync=5.2), comm="r2", frames=[frame("sync", "/m/3", "f/3.c", 503)], lines=[])],
    functions=[total(("put", "/m/4", "f/4.c", 504), 3.6, 231)],
    lines=[total(("get", "/m/5", "f/5.c", 505), 3.7, 232)],
    by="slice-end",
    rows=[dict(rank=1, kind="ran", critical_s=4.1, percent=4.1, slices=221, samples=222,
               inferred_s=0.4, wait=None, wait_name=None, waiting_on={}, then={}, complete=False, threads=225,
               running=None, median_s=None, tid=223, tgid=224, comm="r3", counters=THERE, kernel_known_s=0,
               kernel_s=None, system_calls={},
               frames=[frame("end", "/m/6", "f/6.c", 506)],
               lines=[dict(file="f/6.c", line=531, samples=532, critical_s=2.95,
                           stack_top=False)])],
    threads=[
        dict(tid=51, tgid=52, comm="work-1", cmetric_s=40.5, critical_s=12.25, runq_share_s=3.75,
             run_s=43.25, runq_s=5.5, blocked_s=17.375, slices=53, wakeups=54, blocks=55,
             kernel_run_s=40, kernel_runq_s=10, joined_s=1.125, left_s=88.875, **LIFE),
        dict(tid=56, tgid=57, comm="work-2", cmetric_s=1, critical_s=0.125, runq_share_s=0.25,
             run_s=1.75, runq_s=0.625, blocked_s=0.75, slices=58, wakeups=59, blocks=60,
             kernel_run_s=None, kernel_runq_s=None, joined_s=2.25, left_s=None)],
    exited=[
        dict(tgid=61, comm="beta", threads=62, cmetric_s=30.125, critical_s=2.625,
             runq_share_s=8.625, run_s=33, runq_s=9.5, blocked_s=14, slices=63, wakeups=64,
             blocks=65, kernel_run_s=34.5, kernel_runq_s=10.75)],
    **WAIT_VIEWS,
)

TARGETS = dict(
    EXPECTED, command=None, level="critical", rate_hz=0, call_graph="fp", kernel_frames=False,
    by="place",
    # no place is of that target
    verdict="Of 1 processes gamma (132) was held up most: for 14.50 s of 100.00 s (14 %) few of its "
            "threads were active, and of that no call path is known.",
    active_s=None, idle_s=None, spun_s=8.42, parallelism=None, parallelism_average=None,
    targets=[dict(id=131, tgid=132, comm="gamma", wall_s=94.5, critical_s=14.5, idle_s=15.5, spun_s=8.42,
                  n_min=133)],
    functions=[dict(EXPECTED["functions"][0], tgid=233)],
    lines=[dict(EXPECTED["lines"][0], tgid=234)],
    window=dict(begin_s=134, end_s=234, dump=135, cause="wish", full=False),
)
del TARGETS["rows"], TARGETS["verify"]
for member in WAIT_VIEWS:
    del TARGETS[member]
TARGETS["threads"] = [{name: value for name, value in row.items() if name not in LIFE} for row in EXPECTED["threads"]]
for list_of in "places", "paths", "rows":
    if list_of in TARGETS:
        TARGETS[list_of] = [{name: value for name, value in row.items() if name != "counters"} for row in TARGETS[list_of]]
MERGED = dict(
    TARGETS,
    # of its own time: between the recordings nothing was recorded
    verdict=TARGETS["verdict"].replace("processes", "targets").replace("100.00 s (14 %)", "94.50 s (15 %)"),
    merged=[dict(file="a.data", start_ns=143, stop_ns=144, records=True, targets=[141, 142]),
            dict(file="b.data", start_ns=145, stop_ns=146, records=False, targets=[])],
)
del MERGED["window"]


def compare(what, expected):
    got = json.loads(report(what))
    equal(sorted(got), sorted(expected))
    for name, value in expected.items():
        equal(got[name], value, name)


@test
def every_figure_of_json():
    has(report("json"), '"wall_s": 100.000000000,\n\t"cpus": 5,\n\t"active_s": 92.875000000,\n')
    compare("json", EXPECTED)
    compare("targets", TARGETS)
    compare("merged", MERGED)


def members(schema, prefix=""):
    """Of the schema and all objects in it: "paths.frames.line"."""
    found = set()
    schema = {**schema, **DEFS.get(schema.get("$ref", "").replace("#/$defs/", ""), {})}
    for name, one in schema.get("properties", {}).items():
        found |= {prefix + name} | members(one, prefix + name + ".")
    return found | (members(schema["items"], prefix) if "items" in schema else set())


def names_in(value, prefix=""):
    if isinstance(value, list):
        return set().union(*(names_in(one, prefix) for one in value))
    if not isinstance(value, dict):
        return set()
    return set().union(*({prefix + name} | names_in(one, prefix + name + ".")
                         for name, one in value.items()))


DEFS = json.loads(read(os.path.join(TOP, "docs", "schema", "report.schema.json")))
DEFS, SCHEMA = DEFS["$defs"], DEFS


@test
def every_member_of_the_schema_has_a_figure():
    got = names_in(EXPECTED) | names_in(TARGETS) | names_in(MERGED)
    wanted = members(SCHEMA)
    equal(sorted(wanted - got), [])
    equal(sorted(name for name in got - wanted if not re.match(r".*\.(waiting_on|then|system_calls|blocked_by|counts|incomplete_from_s|per_critical_second)\.", name)),
          [])


LOST = """\
Warning: code of 32 bits has no call paths: build it for 64 bits to see its places
Warning: 149 records lost, with 8.0 % of the critical time: use -m; for 78 raise max_switch_us
Warning: no time for 77 call paths: raise max_switch_us, max_cpu_percent; 80 events held up
Warning: no room for 72 call paths: use --max-stack or --min-critical
"""

DOUBTS = LOST + """\
Warning: checks fail: 32 impossible state changes (missed events), sum of shares 91.4 %, recount
"""

SHORT_DOUBTS = LOST + """\
Warning: checks fail: 32 impossible state changes (missed events), sum of shares 91.4 %, recount; -v
         says more
"""

NOT_FOLLOWED = """\
Warning: 8 threads with other rights (set-id) not followed: use sudo
Warning: 14 threads not followed: use --max-threads
Warning: 9 threads not followed for lack of memory: free some, or use --delay
Warning: 41 kernel threads not followed, beyond 1024: give --kthreads a narrower name
"""

SENTENCE = """\
For 25.00 s of 100.00 s (25 %) no more than N_min = 3 threads (down to 1 while fewer than 6 lived)
were active, more in fill (7.c:541) called from main (8.c:508) than anywhere else, and for most of
it no other thread was there to wait.
"""

OVERVIEW = """\
Recorded     ./prog -x: 100.000 s, 23 threads, 5 CPUs
Parallelism  2.0 of 5 |#####.......| none 7 %, one 30 %, 1-3 93 %, >3 0 %
Spinning     0.84 threads on average waited in busy-wait loops, not counted above
Exact        859 busy-wait loops timed by breakpoints: await in 7 (7.c:851) for 85.30 s; 8+0x854 for
             8.56 s, given up: more than 860 passes a second; stand in 9 for 0.86 s
Why low      25.0 %: not shown 13.5, no others 5.2, cpu-wait 4.0, unknown 1.0, rest 1.3
Why none     7.1 %: disk 5.2, unknown 1.2, not shown 0.7
"""

TABLE = """\
   #  critical s      %  while others wait  code that held everyone up
   1       6.600    6.6  no others          fill  7.c:541
"""

SECOND_ROW = "   2       5.300    5.3  waited: log file   take  9.c:509\n"

FIRST = """\
#1  main > fill
    6.600 s in 246 slices, median 19 ms, 1.8 running, 249 threads: m1 50 %, m2 32 %
    mending it saves at most 7.700 s of 100.000, as far as few threads ran
    doing read 47 %, own code 33 %, 11 20 %
    lines (75 % sampled) 7.c:541 65 %
    kernel 30 %: openat 20 %, page faults 10 %
"""

SECOND = """\
    then other 321, lock 322, queue 323, join 324, barrier 325, disk 326, network 327, pipe 328,
    sleep 329, fault 330, memory 331, event 332, signal 333, futex 334, kernel-lock 335 (with slices
    without critical time)

#2  ? > take
    5.300 s in 251 stretches, 253 threads
    then on 352
"""

IMBALANCE = "Imbalance    2 work-*: 1.75..43.25 s on CPUs, most/average 1.9\n"

FACTS = """\
Command      ./prog -x
Run time     100.000 s on 5 CPUs
Threads      23, at most 19 at a time
Session      43
Parallelism  1.95 threads active on average
      active          s      %
           0      7.125    7.1  ###
           1     30.375   30.4  ############
           2     22.500   22.5  #########
           3     40.000   40.0  ################

Threads by CMetric: their share of the run time, of each moment among those
active in it. Times in s.
    tid  CMetric     %   on-CPU run-queue  blocked  slices  name
     51   40.500  40.5   43.250     5.500   17.375      53  work-1
     61   30.125  30.1   33.000     9.500   14.000      63  beta (62)
     56    1.000   1.0    1.750     0.625    0.750      58  work-2
    (n)  n threads of this process that exited, in one sum

"""

VOLUME = """\
Slices       800, 200 of them critical (CR 25.0 %)
             6 critical slices (3.0 %) have no sample; 444 samples, 74 late
             1601 switches; 555 records; 666 distinct paths
Overhead     probe of switches: 90000 calls, 0.450 s, 0.09 % of the CPUs' time
             a switch or a sample took at most 38 us, of those that were timed
             79 events came while another CPU was changing n: applied later
             gapp-read: 1.50 s of CPU time, 2.5 MiB; report after 0.75 s
"""

QUALITY = """\
Data         45.0 % of paths' time is on whole paths; overhead 0.09 %
             by frame pointers 7.0 %, tables 20.0 %, copies 18.0 %
             33.0 % of critical time has no path (cpu-wait 16.0, lost 8.0, table full 6.0, no user
             path 3.0)
Verify       111 paths equal, 225 differ, 114 beyond the copy, 115 without a rule, 116 unchecked
"""

WALKS = """\
Cut paths    at --max-stack 10.0 %, frame pointer leads nowhere 3.0 %, stack not in memory 11.0 %,
             no rule 4.0 %, loop 12.0 %, code not known 2.0 %, no time in a switch 1.5 %, copy ended
             5.0 %, code without frame pointer 6.5 %
Tables       91 of 1.5 MiB, made in 95 ms, loaded in 12 ms; 93 objects without, 94 of them refused;
             mappings of 97 processes sent 98 times in 13 ms, 101 asked for
Copies       81 of stacks, 76 more were lost; 83 made a path longer, 84 whole; 85 not known (any
             more)
               process 121, 122 times: after 1 equal frame
                 both:    one.so+0x259 (1 frames, the last of them)
                 module:  two.so+0x25a (2 frames, no_rule)
                 libdwfl: one.so+0x25b two.so+0x25c (3 frames, code not known)
"""

CHECKS = """\
Checks       shares + idle = 91.375 % of the run time
               not 100: time is missing or counted twice; trust no figure above
             recount at stop: differs for 37 threads
               the kernel's tasks: n = 33, 35 threads
               followed by gapp:   n = 34, 36 threads
               events or threads were missed: CMetric and parallelism may be off
             kernel's own accounting: 86.00 % agrees
               differs most: 51 work-1, by 7.000 s
               by the kernel: on-CPU 40.000 s, run-queue 10.000 s
               by gapp:       on-CPU 36.000 s, run-queue 13.000 s
"""

MORE = "More         gapp-read -v says what found no room here\n"
SHORT_CHECKS = "Checks       shares + idle = 91.375 %; recount differs; kernel's own: 86.00 %\n"
STATS = "Warning: 80 events found no room while another CPU stood still: gapp delayed threads\n" \
        "Warning: 32 impossible state changes: events were missed\n" \
        "Warning: the figures do not pass every check: see the last lines\n"
ALONE = "For 30.38 s of 100.00 s (30 %) one thread ran alone, for 7.12 s none.\n"


def compare_lines(what, *parts):
    for got, expected in zip(report(what).split("\n"), "".join(parts).split("\n"), strict=True):
        equal(got, expected, what)


@test
def every_figure_of_the_text():
    compare_lines("text", NOT_FOLLOWED, SENTENCE, DOUBTS, "\n", OVERVIEW, "\n", TABLE, SECOND_ROW,
                  "\n", FIRST, SECOND, "\n", IMBALANCE, FACTS, VOLUME, QUALITY, WALKS, CHECKS)
    # 24 lines have no room for the first place at length, nor for how paths were found, nor for the second place
    quality = QUALITY.splitlines(True)
    compare_lines("short", NOT_FOLLOWED, SENTENCE, SHORT_DOUBTS, re.sub("Spinning.*\nExact.*\n.*\n", "", OVERVIEW), TABLE,
                  "     5.300 s (5.3 %) in 1 more place\n", quality[0], quality[-1],
                  SHORT_CHECKS, MORE)
    # what the lines above had no room for, or did not say
    has(report("full"), "\n             7.1 % of critical time has no path (table full 7.1)\n")
    has(report("none"), "\n             3.6 % of critical time has no path (no user path 3.6)\n")
    has(report("none"), "Overhead     probe of switches: 90000 calls, too few to time one\n")
    compare_lines("stats", NOT_FOLLOWED, STATS, ALONE,
                  "\n", FACTS, CHECKS)

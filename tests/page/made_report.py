# SPDX-License-Identifier: GPL-2.0
"""The report and the details of a made-up run, as gapp-read's JSON has them."""
from simulate import NS, REASONS


def threads_of(run):
    rows = [{"tid": thread["tid"], "tgid": thread["tgid"], "comm": thread["comm"], "cmetric_s": 0.0,
             "critical_s": 0.0, "runq_share_s": 0.0, "run_s": 0.0, "runq_s": 0.0, "blocked_s": 0.0,
             "slices": 0, "wakeups": 0, "blocks": 0, "kernel_run_s": None, "kernel_runq_s": None,
             "joined_s": 0.0, "left_s": None} for thread in run.threads]
    for (begin, end, thread, _, _), (share, critical) in zip(run.slices, run.shares[0]):
        row = rows[thread]
        row["run_s"] += (end - begin) / NS
        row["cmetric_s"] += share / NS
        row["critical_s"] += critical / NS
        row["slices"] += 1
    for (begin, end, thread), (share, _) in zip(run.ready, run.shares[1]):
        rows[thread]["runq_s"] += (end - begin) / NS
        rows[thread]["runq_share_s"] += share / NS
    for begin, end, thread, _ in run.waited:
        rows[thread]["blocked_s"] += (end - begin) / NS
        rows[thread]["blocks"] += 1
    return sorted(rows, key=lambda row: -row["cmetric_s"])


def place_rows(run):
    sums = {}
    for (_, _, thread, _, place), (_, critical) in zip(run.slices, run.shares[0]):
        row = sums.setdefault(place, {"ns": 0.0, "slices": 0, "threads": {}})
        row["ns"] += critical
        row["slices"] += 1
        row["threads"][thread] = row["threads"].get(thread, 0) + critical
    found = []
    for rank, (place, row) in enumerate(sorted(sums.items(), key=lambda item: -item[1]["ns"]), 1):
        at, seconds = run.places[place], row["ns"] / NS
        found.append({
            "rank": rank, "kind": "ran", "critical_s": seconds, "percent": row["ns"] * 100 / run.length,
            "gain_bound_s": seconds * 1.1, "slices": row["slices"], "median_s": seconds / row["slices"],
            "running": 1.4, "tgid": 0, "wait": None, "wait_name": None, "complete": True, **at,
            "path": [at, {**run.places[-1], "line": 99}],
            "doing": [{"function": run.places[1]["function"], "object": "libc.so.6", "own": False,
                       "critical_s": seconds * 0.8}],
            "lines": [{"file": at["file"], "line": at["line"], "samples": 30, "critical_s": seconds * 0.7,
                       "stack_top": False},
                      {"file": at["file"], "line": at["line"] + 2, "samples": 5,
                       "critical_s": seconds * 0.1, "stack_top": False}],
            "waiting": [{"wait": "lock", "name": "mutex", "critical_s": seconds * 0.6},
                        {"wait": "queue", "name": None, "critical_s": seconds * 0.3}],
            "kernel_known_s": seconds, "kernel_s": seconds * 0.05, "system_calls": {"futex": seconds * 0.05},
            "thread_count": len(row["threads"]),
            "threads": [{"tid": run.threads[i]["tid"], "tgid": run.threads[i]["tgid"],
                         "comm": run.threads[i]["comm"], "critical_s": critical / NS}
                        for i, critical in sorted(row["threads"].items(), key=lambda item: -item[1])]})
    return found


def graph(run):
    nodes = [{"id": i, "name": thread["comm"], "kind": "team", "threads": 1}
             for i, thread in enumerate(run.threads[:6])]
    nodes.append({"id": len(nodes), "name": "disk", "kind": "other", "threads": 0})
    edges = {}
    for begin, end, thread, reason in run.waited:
        to = 0 if reason == 1 else (thread + 1) % len(run.threads)
        if thread < 6 and to < 6:
            edge = edges.setdefault((thread, to), [0, 0])
            edge[0] += end - begin
            edge[1] += 1
    rows = [{"from": a, "to": b, "s": ns / NS, "own_s": ns / NS / 2, "waits": waits}
            for (a, b), (ns, waits) in edges.items()]
    return {"nodes": nodes, "edges": sorted(rows, key=lambda row: -row["s"]), "knots": [[0, 1]],
            "unknown_s": 0.001, "cut_chains": 0}


def wait_objects(run):
    rows = []
    for reason in sorted({reason for *_, reason in run.waited}):
        waited = [end - begin for begin, end, _, own in run.waited if own == reason]
        rows.append({"reason": REASONS[reason], "called": None, "name": f"{run.places[1]['function']}+0x40",
                     "tgid": 101, "critical_s": sum(waited) / NS / 10, "inferred": False, "nobody_ran_s": 0.0,
                     "waited_s": sum(waited) / NS, "waits": len(waited),
                     "sites": [{"function": run.places[2]["function"], "file": run.places[2]["file"],
                                "line": 24, "waits": len(waited), "waited_s": sum(waited) / NS}],
                     "enders": [{"function": run.places[0]["function"], "file": run.places[0]["file"],
                                 "line": 10, "thread": run.threads[1]["comm"], "interrupt": False,
                                 "interrupt_kind": None, "waits": len(waited),
                                 "waited_s": sum(waited) / NS}],
                     "holders": [], "spins": None, "diagnoses": []})
    return sorted(rows, key=lambda row: -row["critical_s"])


COUNTED = ("faults", "local-memory", "remote-memory")
STEPS = 40
NO_COUNTER = "this processor has no such counter"


def local_of(counts):
    loads = counts["local-memory"] + counts["remote-memory"]
    return counts["local-memory"] * 100 / loads if loads else None


def series_of(rows):
    """Counts by name, step by step, and the local part, of counts of each step."""
    return {"counts": {name: [row[name] for row in rows] for name in COUNTED},
            "local_percent": [None if local_of(row) is None else round(local_of(row), 2) for row in rows]}


def counters(run):
    """Members of the report with --counters: faults come in the second half, and node 1's memory is far away."""
    ends = [run.length / NS * (i + 1) / STEPS for i in range(STEPS)]
    nodes = [[{"faults": 100 * (node + 1) + step if step >= STEPS // 2 else 0,
               "local-memory": 30 * step if node else 90 * step, "remote-memory": 30 * step if node else 10 * step}
              for step in range(STEPS)] for node in range(2)]
    whole = [{name: rows[0][name] + rows[1][name] for name in COUNTED} for rows in zip(*nodes)]
    sums = [{name: sum(row[name] for row in rows) for name in COUNTED} for rows in (*nodes, whole)]
    missing = {"faults": round(ends[9], 9)}
    rows = [{"name": name, "count": sums[2][name], "per_second_on_cpus": sums[2][name] / ends[-1],
             "complete": name != "faults", "not_counted_why": None} for name in COUNTED]
    rows.insert(1, {"name": "cycles", "count": None, "per_second_on_cpus": None, "complete": False,
                    "not_counted_why": NO_COUNTER})
    return {
        "counters": rows, "counters_by_thread": [],
        "counters_by_node": [{"node": node, "counts": sums[node], "incomplete": ["faults"] if node else [],
                              "local_percent": local_of(sums[node])} for node in range(2)],
        "counters_over_time": {
            "end_s": [round(end, 9) for end in ends],
            "in_all": {**series_of(whole), "incomplete_from_s": missing},
            "by_node": [{"node": node, **series_of(nodes[node]), "incomplete_from_s": missing if node else {}}
                        for node in range(2)]},
    }


def place_counters(rank):
    """What was counted beside a place: many, few, and none."""
    return {"counted_s": 0.5, "incomplete": ["faults", "local-memory"] if rank == 1 else [],
            "per_critical_second": {"faults": 36812.4 / rank, "local-memory": 9.63, "remote-memory": 0},
            "local_percent": 100.0 if rank < 3 else None}


def report(run):
    wall = run.length / NS
    places = place_rows(run)
    on_paths = sum(place["critical_s"] for place in places)
    average = sum(n * length for n, length in run.by_n.items()) / run.length
    first = places[0]
    verdict = (f"For {run.critical / 1e6:.2f} ms of {run.length / 1e6:.2f} ms few threads were active, "
               f"mostly in {first['function']}, while most others waited for a lock.")
    return {
        "version": "0.0.0", "command": ["prog", "--fast"], "wall_s": wall, "cpus": run.cpus,
        "active_s": wall - run.by_n.get(0, 0) / NS, "idle_s": run.by_n.get(0, 0) / NS, "spun_s": 0.0,
        "starved_s": 0.0, "accounted_percent": 100.0, "kernel_agrees_percent": 99.5, "n_recount_ok": True,
        "not_followed": 0, "not_followed_denied": 0, "not_followed_late": 0,
        "kernel_threads_not_followed": 0, "unexpected": 0, "parallelism_average": average,
        "parallelism": [run.by_n.get(n, 0) * 100 / run.length for n in range(max(run.by_n) + 1)],
        "n_min": run.n_min, "n_min_most": run.n_min, "n_min_least": run.n_min, "n_min_most_s": wall,
        "start_ns": 1000, "stop_ns": 1000 + run.length,
        "recount": {"n": 0, "tracked_n": 0, "threads": 0, "tracked_threads": 0, "differ": 0},
        "threads_total": len(run.threads), "verdict": " ".join(verdict.split()), "level": "trace",
        "rate_hz": 333, "critical_s": run.critical / NS, "slices": len(run.slices),
        "critical_slices": sum(1 for _, critical in run.shares[0] if critical > 0),
        "unsampled_slices": 0, "switches": 2 * len(run.slices), "samples": 250, "distinct_paths": 9,
        "lost": {"ring": 12, "paths": 0, "unreadable": 3, "samples": 2, "threads": 0, "stack_copies": 0,
                 "paths_over_budget": 0, "records_over_budget": 0},
        "complete_path_percent": 98.5, "call_graph": "auto", "kernel_frames": False,
        "unattributed_s": {"run_queue": run.critical / NS - on_paths, "lost": 0.0, "table_full": 0.0,
                           "no_user_path": 0.0},
        "reader": {"cpu_s": 0.5, "rss_kib": 20000, "report_s": 0.1},
        "overhead": {"probe_percent": 0.2, "probe_s": 0.001, "probe_calls": 5000,
                     "longest_switch_s": 0.0001, "posts": 0, "post_waits": 0},
        "places": places, "paths": [], "functions": [], "lines": [], "by": "place", "every_wait": True,
        "wait_objects": wait_objects(run), "wakers": [], "graph": graph(run), "threads": threads_of(run),
        "exited": [],
    }


def details(run, made):
    """Text, call paths by critical time, and source lines; one call path for each place and thread."""
    sums = {}
    for (_, _, thread, _, place), (_, critical) in zip(run.slices, run.shares[0]):
        sums[thread, place] = sums.get((thread, place), 0) + critical
    frames = ["start_thread"] + [place["function"] for place in run.places]
    rows = [[round(critical), thread, -1, 0, len(run.places), place + 1]
            for (thread, place), critical in sums.items() if critical >= 1]
    rows.append([5000, -1, 1, 0, 1])
    first = made["places"][0]
    return {
        "text": f"{made['verdict']}\nAnd a second sentence.\n\nRecorded     prog: <made up>\n",
        "flame": {"frames": frames, "modules": ["libc.so.6"] + ["prog"] * len(run.places), "rows": rows,
                  "threads_of_rows": run.threads},
        "sources": [{"place": 1, "file": first["file"], "first": first["line"] - 2,
                     "lines": ["int work(const char *x)", "{", "\tfor (;;) /* </script><b>hot</b> */",
                               "\t\tstep();", "\tx++;", "}"],
                     "critical_ns": [0, 0, first["critical_s"] * 0.7 * NS, 0, first["critical_s"] * 0.1 * NS,
                                     0]}],
    }

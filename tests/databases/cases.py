# SPDX-License-Identifier: GPL-2.0
"""
What the reports on the servers must say: their load is made so that one thing is what they wait for.
"""

import dataclasses

SERVERS = ["upstream", "postgresql", "mariadb"]
# How the first sentence begins.
NOBODY = "nobody ran(:|, mostly while|, the longest part of it while)"


@dataclasses.dataclass
class Object:
    """A row of wait_objects[]: patterns of its name, of a function that waits, and of who ends the waits."""

    name: str
    reasons: tuple
    waiter: str = ""
    ender: str = ""
    # no other object has more critical time
    first: bool = False


@dataclasses.dataclass
class Case:
    """One report: what the first sentence and the text say, what the first place waited for, and the objects."""

    name: str
    server: str
    verdict: tuple
    objects: tuple
    text: tuple = ()
    wait: str = ""
    view: bool = False


def both(name, server, **case):
    """The report as it is without options, and the same server with every wait recorded."""
    every = case.pop("every")
    return [Case(name, server, **case),
            Case(f"{name}-wait-objects", server, **dict(case, objects=case["objects"] + every, view=True))]


# Whatever time is told apart, most of a commit is the wait for the write-ahead log.
WAL = Object(r"/disk/pg_wal/[0-9A-F]{24}", ("disk",), waiter="XLogFlush", first=True)
LOG = Object("/disk/mysql/ib_logfile0", ("disk",), waiter="ha_commit_trans", first=True)
PEER = Object(r"tcp to 127\.0\.0\.1:9001", ("network",), first=True)

CASES = [
    *both("python", "upstream", wait="network",
          verdict=(rf"{NOBODY} .* waited for the network",),
          objects=(PEER, Object(r"tcp 127\.0\.0\.1:8001 to .*", ("network",))),
          text=(r"Why none +[0-9.]+ %: network [0-9.]+ \(\d+ % for tcp to 127\.0\.0\.1:9001\)",),
          every=(Object(PEER.name, PEER.reasons, ender="network"),)),
    *both("nginx", "upstream", wait="event",
          verdict=(rf"{NOBODY} ngx_process_events_and_timers .* waited for an event",),
          objects=(Object(r"epoll \d+ of nginx", ("event",), first=True),),
          every=(Object(r"epoll \d+ of nginx", ("event",), ender="network"),)),
    # who waits for the log is ended by the process that has written it
    *both("postgresql", "postgresql", wait="disk",
          verdict=(rf"{NOBODY} XLogFlush .* waited for the disk",),
          objects=(WAL,),
          text=(r"\((\d+ % )?for /disk/pg_wal/[0-9A-F]{24}\)",),
          every=(Object(WAL.name, WAL.reasons, ender="disk"),
                 Object("LWLock in XLogFlush", ("lock",), waiter="XLogFlush", ender="PGSemaphoreUnlock"))),
    *both("mariadb", "mariadb", wait="disk",
          verdict=(rf"{NOBODY} ha_commit_trans .* waited for the disk",),
          objects=(LOG,),
          text=(r"\((\d+ % )?for /disk/mysql/ib_logfile0\)",),
          every=(Object(LOG.name, LOG.reasons, ender="disk"),
                 Object("condition in net_real_write", ("queue",), waiter="net_real_write",
                        ender="thd_decrement_pending_ops"))),
    Case("mariadb-log-flushed-each-second", "mariadb", wait="disk",
         verdict=(rf"{NOBODY} ha_commit_trans .* waited for the disk",),
         objects=(LOG,), text=(r"doing pwrite 9\d|doing pwrite 100",)),
]

# SPDX-License-Identifier: GPL-2.0
"""
Threads: each computes without Python's own lock, and now and then compresses with a lock of the program held,
which takes longer: compact_journal(). Work is by the clock.
"""

import hashlib
import threading
import time
import zlib

THREADS = 4
ROUNDS = 20
BLOCK = bytes(range(256)) * 256

lock = threading.Lock()
journal = []


def for_ms(milliseconds, work):
    end = time.monotonic() + milliseconds / 1000
    while time.monotonic() < end:
        work(BLOCK)


def read_entry():
    for_ms(20, hashlib.sha256)


def compact_journal():
    for_ms(60, zlib.compress)
    journal.append(1)


def worker():
    for _ in range(ROUNDS):
        read_entry()
        with lock:
            compact_journal()


threads = [threading.Thread(target=worker) for _ in range(THREADS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(journal) == THREADS * ROUNDS

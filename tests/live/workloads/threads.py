# SPDX-License-Identifier: GPL-2.0
"""Threads of an interpreter: they wait for its lock, a queue, a timer, and compute in C without it."""

import queue
import threading
import time
import zlib

jobs = queue.Queue(8)
done = queue.Queue()


def worker():
    while True:
        done.put(zlib.crc32(zlib.compress(jobs.get() * 50)))


def sleeper():
    while True:
        time.sleep(0.0005)
        sum(i * i for i in range(200))


for _ in range(3):
    threading.Thread(target=worker, daemon=True).start()
threading.Thread(target=sleeper, daemon=True).start()
number = 0
while True:
    jobs.put(b"some text %d" % number)
    done.get()
    number += 1

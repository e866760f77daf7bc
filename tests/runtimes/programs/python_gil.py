# SPDX-License-Identifier: GPL-2.0
"""
Threads that compute in Python alone: one at a time, for each needs the interpreter's lock. Work is by the clock.
"""

import threading
import time

THREADS = 4
SECONDS = 3


def add_up(end):
    total = 0
    while time.monotonic() < end:
        for number in range(5000):
            total = (total * 31 + number) & 0xffffffff
    return total


end_of_all = time.monotonic() + SECONDS
threads = [threading.Thread(target=add_up, args=(end_of_all,)) for _ in range(THREADS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()

# SPDX-License-Identifier: GPL-2.0
"""
multiprocessing: rounds in which a pool of three processes computes, and after each the parent process
compresses alone for longer while they wait: merge_results(). Work is by the clock.
"""

import hashlib
import multiprocessing
import time
import zlib

WORKERS = 3
ROUNDS = 10
BLOCK = bytes(range(256)) * 256


def for_ms(milliseconds, work):
    end = time.monotonic() + milliseconds / 1000
    while time.monotonic() < end:
        work(BLOCK)
    return 1


def score(_number):
    return for_ms(20, hashlib.sha256)


def merge_results(results):
    for_ms(400, zlib.compress)
    return sum(results)


if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(WORKERS) as pool:
        for _ in range(ROUNDS):
            assert merge_results(pool.map(score, range(WORKERS))) == WORKERS

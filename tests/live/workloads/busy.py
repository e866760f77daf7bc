# SPDX-License-Identifier: GPL-2.0
"""An interpreter and the C code it calls: expressions, sorting, hashing, compressing, big numbers."""

import hashlib
import json
import re
import zlib


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


while True:
    data = [{"n": i, "text": "word %d" % (i * 7919 % 1009)} for i in range(2000)]
    text = json.dumps(sorted(data, key=lambda entry: entry["text"]))
    re.findall(r"(\w+) (\d+)(?=\")", text)
    hashlib.sha256(zlib.compress(text.encode())).hexdigest()
    pow(3, 70001, 2 ** 521 - 1)
    str(7 ** 4000)
    fib(17)

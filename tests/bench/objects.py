#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Writes the source of a library of many functions that call each other as a plan says.

usage: objects.py NUMBER FUNCTIONS >FILE"""

import random
import sys

number, functions = int(sys.argv[1]), int(sys.argv[2])
draw = random.Random(number)

print('#include "plan.h"')
for i in range(functions):
    # as frames are: most small, few large; some registers to save, some early returns
    room = draw.choice([8, 16, 24, 24, 40, 40, 72, 104, 200, 400])
    kept = draw.randrange(4)
    print("static __attribute__((noinline)) long f%d(const struct step *next, long a, long b)\n{" % i)
    print("\tvolatile char room[%d];" % room)
    if draw.random() < 0.3:
        print("\tif (a == %d)\n\t\treturn b;" % draw.randrange(1 << 30, 1 << 31))
    print("\troom[b %% %d] = a;" % room)
    for k in range(kept):
        print("\tlong k%d = a * %d + b;" % (k, draw.randrange(3, 99)))
    print("\tlong c = next->call(next + 1, a + room[0], b + 1);")
    for k in range(kept):
        print("\tc += next->call == 0 ? k%d : k%d >> 3;" % (k, k))
    print("\treturn c + room[c & 7];\n}")
print("plan_call *const functions_%d[] = {" % number)
for i in range(functions):
    print("\tf%d," % i)
print("};")

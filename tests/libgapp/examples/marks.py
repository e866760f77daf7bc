# SPDX-License-Identifier: MIT
"""Marks of a program in Python. Without gapp's module there is no node, and nothing to do."""
import os
import sys

try:
    NODE = os.open(sys.argv[1] if len(sys.argv) > 1 else "/dev/gapp_mark", os.O_WRONLY | os.O_APPEND)
except OSError:
    NODE = None


def tell(line):
    """One write is one mark, of the thread that makes it."""
    if NODE is not None:
        os.write(NODE, line.encode() + b"\n")


tell("begin from Python")
tell("mark half way")
tell("end from Python")

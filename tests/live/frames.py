# SPDX-License-Identifier: GPL-2.0
"""For gdb: the frames of the thread, innermost first, and why there are no more."""

import os

import gdb

known = {os.path.realpath(objfile.filename) for objfile in gdb.objfiles() if objfile.filename}
with open(os.environ["LIVE_OBJECTS"], encoding="utf-8") as objects:
    for line in objects:
        bias, name = line.rstrip("\n").split(" ", 1)
        if os.path.realpath(name) not in known and os.path.exists(name):
            known.add(os.path.realpath(name))
            gdb.execute("add-symbol-file %s -o 0x%s" % (name, bias), to_string=True)

frame = gdb.newest_frame()
while frame is not None:
    # a function that was inlined has no frame of its own on the stack
    if frame.type() != gdb.INLINE_FRAME:
        print("frame %#x" % frame.pc())
    last = frame
    frame = frame.older()
print("end " + gdb.frame_stop_reason_string(last.unwind_stop_reason()))

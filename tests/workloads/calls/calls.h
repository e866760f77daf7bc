/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the programs whose call paths are looked at share. They are built as
 * distributions build: -O2, without frame pointers, against the system's libc.
 */
#ifndef GAPP_WORKLOADS_CALLS_H
#define GAPP_WORKLOADS_CALLS_H

#include "../work.h"

/* A frame of its own on every path through it, called as it stands. */
#define in_frame __attribute__((noipa))

/* Behind a call: it is not the function's last, so the frame stays. */
#define STAY() ({ __asm__ volatile("" : : : "memory"); })

#define PAGE 4096UL

#endif /* GAPP_WORKLOADS_CALLS_H */

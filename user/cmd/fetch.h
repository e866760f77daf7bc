/* SPDX-License-Identifier: GPL-2.0 */
/* The figures that a recording ends with. */
#ifndef GAPP_READ_FETCH_H
#define GAPP_READ_FETCH_H

#include "input/device.h"
#include "report/report.h"

/* Reads all figures of a session. Returns 0, or -1 with a complaint made. */
int fetch_results(struct device *dev, struct results *results);

/*
 * Sets what was added up in a session with GAPP_CONFIG_TALLIES; @asked: what device_add_tallies()
 * has asked for. Returns 0, or -1 with a complaint made.
 */
int fetch_counted(struct device *dev, const struct tallies *asked, struct counted *counted);

/* Adds what each CPU has counted so far to an array. Returns 0, or -1 with a complaint made. */
int fetch_cpu_tallies(struct device *dev, struct gapp_cpu_tallies **cpus, size_t *count);

/* Adds all handovers so far to an array. Returns 0, or -1 with a complaint made. */
int fetch_handovers(struct device *dev, struct gapp_handover **rows, size_t *count);

/* Sets what gapp-read itself has used so far: CPU time, memory, and time since @ended_ns. */
void take_own(struct own *own, u64 ended_ns);

#endif /* GAPP_READ_FETCH_H */

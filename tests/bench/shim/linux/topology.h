/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GAPP_BENCH_SHIM_TOPOLOGY_H
#define GAPP_BENCH_SHIM_TOPOLOGY_H

#define cpu_to_node(cpu) ((void)(cpu), 0)

#endif /* GAPP_BENCH_SHIM_TOPOLOGY_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GAPP_BENCH_SHIM_CPUMASK_H
#define GAPP_BENCH_SHIM_CPUMASK_H

#define nr_cpu_ids 256
#define num_possible_cpus() nr_cpu_ids
#define for_each_possible_cpu(cpu) for ((cpu) = 0; (cpu) < nr_cpu_ids; (cpu)++)

#endif /* GAPP_BENCH_SHIM_CPUMASK_H */

# SPDX-License-Identifier: GPL-2.0
# Workloads: small programs of a known behaviour, static so that they run in any guest.
# Included by the top Makefile; works alone too: make -f tests/workloads/build.mk workloads

WORKLOAD_SOURCES := $(wildcard tests/workloads/*.c)
WORKLOADS := $(patsubst tests/workloads/%.c,build/workloads/%,$(WORKLOAD_SOURCES))
WORKLOAD_CFLAGS := -std=gnu11 -O2 -g -fno-omit-frame-pointer -pthread -Wall -Wextra -D_GNU_SOURCE

$(addprefix build/workloads/,lu bt cg wavefront ssor): WORKLOAD_CFLAGS += -fopenmp

.PHONY: workloads
workloads: $(WORKLOADS)

build/workloads/%: tests/workloads/%.c tests/workloads/work.h tests/workloads/sweep.h tests/workloads/build.mk
	@mkdir -p $(@D)
	$(CC) $(WORKLOAD_CFLAGS) $(CPPFLAGS) -static -o $@ $<

# The same as programs of 32 bits, but those that need other libraries.
WORKLOADS_32 := $(patsubst tests/workloads/%.c,build/workloads-32/%,$(filter-out $(addprefix \
	tests/workloads/,$(addsuffix .c,lu bt cg wavefront ssor)),$(WORKLOAD_SOURCES)))

.PHONY: workloads-32
workloads-32: $(WORKLOADS_32)

build/workloads-32/%: tests/workloads/%.c tests/workloads/work.h tests/workloads/build.mk
	@mkdir -p $(@D)
	i686-linux-gnu-gcc $(WORKLOAD_CFLAGS) $(CPPFLAGS) -static -o $@ $<

# What changes who schedules, and with whom.
SCHEDULERS := $(patsubst tests/workloads/schedulers/%.c,build/schedulers/%,$(wildcard tests/workloads/schedulers/*.c))

.PHONY: schedulers
schedulers: $(SCHEDULERS)

build/schedulers/%: tests/workloads/schedulers/%.c tests/workloads/build.mk
	@mkdir -p $(@D)
	$(CC) $(WORKLOAD_CFLAGS) $(CPPFLAGS) -static -o $@ $<

# Programs whose call paths are looked at, as distributions build: without frame pointers, dynamic.
CALLS_CFLAGS := -std=gnu11 -O2 -fomit-frame-pointer -g -pthread -Wall -Wextra -D_GNU_SOURCE
CALLS_HEADERS := tests/workloads/work.h tests/workloads/calls/calls.h tests/workloads/build.mk
CALLS := $(addprefix build/calls/,chain deep deep-static handler jit plugins remap)
CALLS += $(addprefix build/calls/libplugin,0.so 1.so 2.so 3.so)

# musl says nothing of its frames, and here nothing of its names
ifneq ($(and $(shell command -v musl-gcc),$(if $(findstring aarch64,$(CC)),,here)),)
CALLS += build/calls/deep-musl
endif

# Return addresses are signed, as many distributions build; the second one has a frame in each function.
ifneq ($(findstring aarch64,$(CC)),)
CALLS += $(addprefix build/calls/deep-signed,.tables .frames)
endif

.PHONY: calls
calls: $(CALLS)

build/calls/%-static: tests/workloads/calls/%.c $(CALLS_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(CALLS_CFLAGS) $(CPPFLAGS) -static -o $@ $<

build/calls/%-musl: tests/workloads/calls/%.c $(CALLS_HEADERS)
	@mkdir -p $(@D)
	musl-gcc $(CALLS_CFLAGS) $(CPPFLAGS) -static -o $@ $<
	objcopy --strip-all $(addprefix --keep-symbol=,main worker descend hold_lock) $@

build/calls/%-signed.tables: tests/workloads/calls/%.c $(CALLS_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(CALLS_CFLAGS) $(CPPFLAGS) -mbranch-protection=pac-ret+leaf -o $@ $<

build/calls/%-signed.frames: tests/workloads/calls/%.c $(CALLS_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(CALLS_CFLAGS) $(CPPFLAGS) -mbranch-protection=pac-ret+leaf -fno-omit-frame-pointer \
		-mno-omit-leaf-frame-pointer -o $@ $<

build/calls/libplugin%.so: tests/workloads/calls/plugin.c tests/workloads/build.mk
	@mkdir -p $(@D)
	$(CC) $(CALLS_CFLAGS) $(CPPFLAGS) -DPLUGIN=$* -fPIC -shared -o $@ $<

build/calls/%: tests/workloads/calls/%.c $(CALLS_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(CALLS_CFLAGS) $(CPPFLAGS) -o $@ $<

# A program of OpenMP by both compilers and runtimes, as C and as C++, whole, static and stripped.
OMP_CFLAGS := -O2 -g -fopenmp -Wall -Wextra -D_GNU_SOURCE
OMP_KINDS := gcc gcc-O0 gcc-static gcc-stripped g++

ifneq ($(and $(shell command -v clang),$(wildcard /usr/lib/llvm-*/lib/libomp.so)),)
OMP_KINDS += clang clang-O0 clang++
endif

OMP_COMPILER_gcc := gcc
OMP_COMPILER_gcc-O0 := gcc -O0
OMP_COMPILER_gcc-static := gcc -static
OMP_COMPILER_gcc-stripped := gcc -s
OMP_COMPILER_g++ := g++ -x c++
OMP_COMPILER_clang := clang
OMP_COMPILER_clang-O0 := clang -O0
OMP_COMPILER_clang++ := clang++ -x c++

.PHONY: omp
omp: $(OMP_KINDS:%=build/omp/regions-%)

build/omp/regions-%: tests/workloads/omp/regions.c tests/workloads/build.mk
	@mkdir -p $(@D)
	$(firstword $(OMP_COMPILER_$*)) $(OMP_CFLAGS) $(CPPFLAGS) -o $@ \
		$(wordlist 2,9,$(OMP_COMPILER_$*)) $<

# SPDX-License-Identifier: GPL-2.0
# Workloads: small programs of a known behaviour, static so that they run in any guest.
# Included by the top Makefile; works alone too: make -f tests/workloads/build.mk workloads

WORKLOAD_SOURCES := $(wildcard tests/workloads/*.c)
WORKLOADS := $(patsubst tests/workloads/%.c,build/workloads/%,$(WORKLOAD_SOURCES))
WORKLOAD_CFLAGS := -std=gnu11 -O2 -g -fno-omit-frame-pointer -pthread -Wall -Wextra -D_GNU_SOURCE

.PHONY: workloads
workloads: $(WORKLOADS)

build/workloads/%: tests/workloads/%.c tests/workloads/work.h tests/workloads/build.mk
	@mkdir -p $(@D)
	$(CC) $(WORKLOAD_CFLAGS) $(CPPFLAGS) -static -o $@ $<

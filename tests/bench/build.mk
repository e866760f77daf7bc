# SPDX-License-Identifier: GPL-2.0
# The programs of tests/bench: make -f tests/bench/build.mk bench

BENCH_OUT ?= build/bench
BENCH_CORE ?= kmod/core
# Frame pointers everywhere, or a walk along them would end in the program.
BENCH_CFLAGS := -std=gnu11 -O2 -g -fno-omit-frame-pointer -Wall -Wextra
BENCH_CFLAGS += $(if $(filter 1,$(WERROR)),-Werror) -D_GNU_SOURCE -DGAPP_VERSION='"$(shell cat VERSION)"'
BENCH_CFLAGS += -Iinclude/uapi -Ikmod -Iuser -Itests/bench
BENCH_LIBS := -ldw -lelf -lz

BENCH_SRCS := $(addprefix $(BENCH_CORE)/,unwind.c table.c) $(wildcard user/unwind-table/cfi_*.c)
BENCH_SRCS += $(addprefix user/unwind-table/,unwind_table.c cache_file.c table_cache.c table_index.c table_trim.c)
BENCH_SRCS += $(addprefix user/util/,bus_guard.c hash_index.c names.c util.c)
BENCH_OBJS := $(addprefix $(BENCH_OUT)/,$(notdir $(BENCH_SRCS:.c=.o)))
# Of libraries with frame pointers, and without.
BENCH_OBJECTS := $(foreach how,fp plain,$(foreach n,0 1 2 3,$(BENCH_OUT)/$(how)/object$(n).so))
vpath %.c tests/bench $(BENCH_CORE) user/unwind-table user/util user/input

.PHONY: bench
bench: $(BENCH_OUT)/walk $(BENCH_OUT)/load $(BENCH_OBJECTS)

$(BENCH_OUT)/walk: $(BENCH_OUT)/walk.o $(BENCH_OUT)/chains.o $(BENCH_OBJS)
	$(CC) $(BENCH_CFLAGS) -o $@ $^ $(BENCH_LIBS)

$(BENCH_OUT)/load: $(BENCH_OUT)/load.o $(BENCH_OBJS)
	$(CC) $(BENCH_CFLAGS) -o $@ $^ $(BENCH_LIBS)

$(BENCH_OUT)/%.o: %.c | $(BENCH_OUT)
	$(CC) $(BENCH_CFLAGS) -MMD -MP -c -o $@ $<

$(BENCH_OUT)/object%.c: tests/bench/objects.py | $(BENCH_OUT)
	python3 $< $* 1500 >$@

$(BENCH_OUT)/fp/object%.so: $(BENCH_OUT)/object%.c | $(BENCH_OUT)/fp
	$(CC) -O2 -w -Itests/bench -fPIC -shared -fno-omit-frame-pointer -o $@ $<

$(BENCH_OUT)/plain/object%.so: $(BENCH_OUT)/object%.c | $(BENCH_OUT)/plain
	$(CC) -O2 -w -Itests/bench -fPIC -shared -fomit-frame-pointer -o $@ $<

$(BENCH_OUT) $(BENCH_OUT)/fp $(BENCH_OUT)/plain:
	mkdir -p $@

.SECONDARY:
-include $(wildcard $(BENCH_OUT)/*.d)

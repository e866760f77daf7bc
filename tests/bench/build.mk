# SPDX-License-Identifier: GPL-2.0
# The programs of tests/bench: make -f tests/bench/build.mk bench

BENCH_OUT ?= build/bench
# Frame pointers everywhere, or a walk along them would end in the program.
BENCH_CFLAGS := -std=gnu11 -O2 -g -fno-omit-frame-pointer -Wall -Wextra
BENCH_CFLAGS += $(if $(filter 1,$(WERROR)),-Werror) -D_GNU_SOURCE -DGAPP_VERSION='"$(shell cat VERSION)"'
BENCH_CFLAGS += -Iinclude/uapi -Ikmod -Iuser -Itests/bench
BENCH_LIBS := -ldw -lelf -lz

# What is measured: whole folders, of which the linker takes what it needs.
BENCH_MEASURED := $(patsubst %.c,$(BENCH_OUT)/%.o,$(wildcard kmod/core/*.c user/util/*.c user/unwind-table/*.c))
# Libraries with frame pointers, and without.
BENCH_OBJECTS := $(foreach how,fp plain,$(foreach n,0 1 2 3,$(BENCH_OUT)/$(how)/object$(n).so))

.PHONY: bench
bench: $(BENCH_OUT)/walk $(BENCH_OUT)/load $(BENCH_OBJECTS)

$(BENCH_OUT)/walk: $(patsubst %,$(BENCH_OUT)/tests/bench/%.o,walk chains) $(BENCH_OUT)/measured.a
	$(CC) $(BENCH_CFLAGS) -o $@ $^ $(BENCH_LIBS)

$(BENCH_OUT)/load: $(BENCH_OUT)/tests/bench/load.o $(BENCH_OUT)/measured.a
	$(CC) $(BENCH_CFLAGS) -o $@ $^ $(BENCH_LIBS)

$(BENCH_OUT)/measured.a: $(BENCH_MEASURED)
	@rm -f $@
	$(AR) rcs $@ $^

$(BENCH_OUT)/%.o: %.c
	@mkdir -p $(@D)
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
-include $(BENCH_MEASURED:.o=.d) $(wildcard $(BENCH_OUT)/tests/bench/*.d)

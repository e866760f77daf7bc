# SPDX-License-Identifier: GPL-2.0
# What is measured in guests, static: make -f tests/bench/loops.mk

LOOPS_OUT ?= build/bench/bin
LOOPS_CFLAGS := -std=gnu11 -O2 -fno-stack-protector -pthread -Wall -Wextra -D_GNU_SOURCE
LOOPS_CFLAGS += $(if $(filter 1,$(WERROR)),-Werror)
LOOPS_HEADERS := $(addprefix tests/bench/,ends.h frames.h kinds.h syscalls.h)
ALTERNATE := alternate command loop_child observe
ALTERNATE_HEADERS := $(addprefix tests/bench/,command.h loop_child.h observe.h)

.PHONY: loops
loops: $(addprefix $(LOOPS_OUT)/,alternate loops-fp loops-nofp without.so)

$(LOOPS_OUT)/alternate: $(ALTERNATE:%=tests/bench/%.c) $(ALTERNATE_HEADERS) | $(LOOPS_OUT)
	$(CC) $(LOOPS_CFLAGS) -static -o $@ $(filter %.c,$^)

# With frame pointers, and without; call frame information either way.
$(LOOPS_OUT)/loops-fp: LOOPS_HOW := -fno-omit-frame-pointer
$(LOOPS_OUT)/loops-nofp: LOOPS_HOW := -fomit-frame-pointer
$(LOOPS_OUT)/loops-fp $(LOOPS_OUT)/loops-nofp: $(addprefix tests/bench/,loops.c kinds.c frames.c ends.S) \
		$(LOOPS_HEADERS) tests/bench/loops.mk | $(LOOPS_OUT)
	$(CC) $(LOOPS_CFLAGS) $(LOOPS_HOW) -static -o $@ $(filter %.c %.S,$^)

$(LOOPS_OUT)/without.so: tests/bench/without.c $(wildcard include/uapi/*.h) | $(LOOPS_OUT)
	$(CC) $(LOOPS_CFLAGS) -Iinclude/uapi -shared -fPIC -o $@ $<

$(LOOPS_OUT):
	mkdir -p $@

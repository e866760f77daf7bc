# SPDX-License-Identifier: GPL-2.0
# Fuzzers of kmod/core, for the top Makefile to include. Also stands alone:
# make -f tests/fuzz/build.mk fuzz

FUZZ_OUT ?= build/fuzz
FUZZ_CC ?= clang-14
FUZZ_SECONDS ?= 600
FUZZ_CFLAGS := -std=gnu11 -g -O1 -Wall -Wextra -Wno-missing-field-initializers -Werror
FUZZ_CFLAGS += -Wno-initializer-overrides -fsanitize=fuzzer,address,undefined
FUZZ_CFLAGS += -fno-sanitize-recover=all -Iinclude/uapi -Ikmod/core -Itests/vectors -Itests/unit/core

FUZZ_CORE := kmod/core/cmetric.c kmod/core/slice.c kmod/core/taskstate.c
FUZZ_PROGRAMS := $(addprefix $(FUZZ_OUT)/fuzz_,events slices crowd ring unwind_fp table spin_table unwind data spins)

.PHONY: fuzz fuzz-build fuzz-long
fuzz-build: $(FUZZ_PROGRAMS)

# A smoke test: the same inputs each time.
fuzz: fuzz-build ## core/ under libFuzzer, a smoke test
	@tests/fuzz/run smoke $(FUZZ_PROGRAMS)

# Each for FUZZ_SECONDS, with new inputs each time; what is found stays in build/fuzz.
fuzz-long: fuzz-build ## core/ under libFuzzer, FUZZ_SECONDS each
	@FUZZ_SECONDS=$(FUZZ_SECONDS) tests/fuzz/run long $(FUZZ_PROGRAMS)

$(FUZZ_OUT)/fuzz_events: tests/fuzz/fuzz_events.c tests/unit/core/invariants.c $(FUZZ_CORE) | $(FUZZ_OUT)
	$(FUZZ_CC) $(FUZZ_CFLAGS) -o $@ $(filter %.c,$^)

$(FUZZ_OUT)/fuzz_slices: tests/fuzz/fuzz_slices.c tests/unit/core/slice_check.c $(FUZZ_CORE) | $(FUZZ_OUT)
	$(FUZZ_CC) $(FUZZ_CFLAGS) -o $@ $(filter %.c,$^)

$(FUZZ_OUT)/fuzz_crowd: tests/fuzz/fuzz_crowd.c kmod/core/cmetric.c | $(FUZZ_OUT)
	$(FUZZ_CC) $(FUZZ_CFLAGS) -o $@ $(filter %.c,$^)

$(FUZZ_OUT)/fuzz_ring: tests/fuzz/fuzz_ring.c tests/unit/core/ring_check.c kmod/core/ring.c | $(FUZZ_OUT)
	$(FUZZ_CC) $(FUZZ_CFLAGS) -o $@ $(filter %.c,$^)

$(FUZZ_OUT)/fuzz_unwind_fp: tests/fuzz/fuzz_unwind_fp.c tests/unit/core/walk_check.c kmod/core/unwind.c \
		kmod/core/table.c | $(FUZZ_OUT)
	$(FUZZ_CC) $(FUZZ_CFLAGS) -o $@ $(filter %.c,$^)

$(FUZZ_OUT)/fuzz_table: tests/fuzz/fuzz_table.c tests/unit/core/table_check.c kmod/core/table.c | $(FUZZ_OUT)
	$(FUZZ_CC) $(FUZZ_CFLAGS) -o $@ $(filter %.c,$^)

$(FUZZ_OUT)/fuzz_spin_table: tests/fuzz/fuzz_spin_table.c tests/unit/core/spin_table_check.c \
		tests/unit/core/spin_location_check.c kmod/core/spin_table.c kmod/core/spin_location.c | $(FUZZ_OUT)
	$(FUZZ_CC) $(FUZZ_CFLAGS) -o $@ $(filter %.c,$^)

$(FUZZ_OUT)/fuzz_unwind: tests/fuzz/fuzz_unwind.c tests/unit/core/unwind_check.c tests/unit/core/unwind_naive.c \
		kmod/core/unwind.c kmod/core/table.c | $(FUZZ_OUT)
	$(FUZZ_CC) $(FUZZ_CFLAGS) -o $@ $(filter %.c,$^)

ifndef USER_SRCS
include user/build.mk
endif
# The reader of recordings is most of gapp-read: its sources are compiled once.
FUZZ_USER_OBJS = $(patsubst %.c,$(FUZZ_OUT)/%.o,$(filter-out user/cmd/main.c,$(USER_SRCS)) $(USER_CORE_SRCS))
FUZZ_USER_FLAGS = $(filter-out -Wextra -Werror -fsanitize=fuzzer%,$(FUZZ_CFLAGS)) -Wno-unused-variable -fsanitize=fuzzer-no-link,address,undefined
# An empty list is a null pointer, to which 0 is added. Made-up sums are out of the range of the whole
# numbers that they are rounded to; what such a number then does is looked at.
FUZZ_USER_FLAGS += -fno-sanitize=pointer-overflow,float-cast-overflow

FUZZ_SPINS_OBJS := $(patsubst %,$(FUZZ_OUT)/tests/%.o,fuzz/fuzz_spins unit/spin/made_code)
$(FUZZ_SPINS_OBJS): USER_CPPFLAGS += -Itests/unit/spin

$(FUZZ_USER_OBJS) $(FUZZ_OUT)/tests/fuzz/fuzz_data.o $(FUZZ_OUT)/tests/fuzz/data_seed.o $(FUZZ_SPINS_OBJS): $(FUZZ_OUT)/%.o: %.c user/build.mk VERSION
	@mkdir -p $(@D)
	@$(FUZZ_CC) $(USER_CPPFLAGS) $(FUZZ_USER_FLAGS) -MMD -MP -c -o $@ $<

$(FUZZ_OUT)/fuzz_data: $(FUZZ_OUT)/tests/fuzz/fuzz_data.o $(FUZZ_USER_OBJS) $(USER_MADE)
	@$(FUZZ_CC) $(FUZZ_CFLAGS) -o $@ $(filter %.o,$^) $(USER_LIBS)

$(FUZZ_OUT)/fuzz_spins: $(FUZZ_SPINS_OBJS) $(FUZZ_USER_OBJS) $(USER_MADE)
	@$(FUZZ_CC) $(FUZZ_CFLAGS) -o $@ $(filter %.o,$^) $(USER_LIBS)

# Makes an input of a recording: build/fuzz/data_seed gapp.data > tests/fuzz/corpus/data/NAME.bin
$(FUZZ_OUT)/data_seed: $(FUZZ_OUT)/tests/fuzz/data_seed.o $(FUZZ_USER_OBJS) $(USER_MADE)
	@$(FUZZ_CC) $(filter-out -fsanitize=fuzzer%,$(FUZZ_CFLAGS)) -fsanitize=address,undefined,fuzzer-no-link -o $@ $(filter %.o,$^) $(USER_LIBS)

-include $(FUZZ_USER_OBJS:.o=.d)

$(FUZZ_PROGRAMS): $(wildcard include/uapi/*.h kmod/core/*.h tests/vectors/*.h tests/unit/core/*.h)

$(FUZZ_OUT):
	mkdir -p $@

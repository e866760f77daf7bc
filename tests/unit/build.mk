# SPDX-License-Identifier: GPL-2.0
# Unit tests of kmod/core, for the top Makefile to include. Also stands alone:
# make -f tests/unit/build.mk unit

UNIT_OUT ?= build/unit
UNIT_CORE ?= kmod/core
UNIT_CC ?= gcc
UNIT_SANITIZE ?= -fsanitize=address,undefined -fno-sanitize-recover=all
UNIT_CFLAGS := -std=gnu11 -g -O1 -Wall -Wextra -Wno-missing-field-initializers -Werror
UNIT_CFLAGS += -D_GNU_SOURCE -Iinclude/uapi -I$(UNIT_CORE) -Itests/vectors -Itests/unit/core $(UNIT_SANITIZE)

UNIT_PROGRAMS := $(addprefix $(UNIT_OUT)/test_,cmetric slice taskstate threshold property)
UNIT_PROGRAMS += $(addprefix $(UNIT_OUT)/test_,ring path_table unwind_fp wait_reason grid table unwind path_cache)
UNIT_CORE_OBJS := $(addprefix $(UNIT_OUT)/,cmetric.o slice.o taskstate.o ring.o path_table.o)
UNIT_CORE_OBJS += $(addprefix $(UNIT_OUT)/,wait_reason.o table.o unwind.o path_cache.o)
# Those in which threads meet.
UNIT_THREADS := $(addprefix $(UNIT_OUT)/test_,ring path_table)

.PHONY: unit unit-build unit-tsan unit-threads
unit: unit-build ## core/ in cmocka, with sanitizers: vectors and property test
	@tests/unit/run $(UNIT_PROGRAMS)

unit-build: $(UNIT_PROGRAMS)

unit-tsan: ## what of core/ several CPUs use at once, under ThreadSanitizer
	@PROPERTY_RUNS=500 $(MAKE) -s -f tests/unit/build.mk unit-threads \
		UNIT_OUT=$(UNIT_OUT)-tsan UNIT_SANITIZE=-fsanitize=thread

unit-threads: $(UNIT_THREADS)
	@tests/unit/run $^

$(UNIT_OUT)/%.o: $(UNIT_CORE)/%.c | $(UNIT_OUT)
	$(UNIT_CC) $(UNIT_CFLAGS) -MMD -c -o $@ $<

$(UNIT_OUT)/%.o: tests/unit/core/%.c | $(UNIT_OUT)
	$(UNIT_CC) $(UNIT_CFLAGS) -MMD -c -o $@ $<

$(UNIT_OUT)/test_property: $(addprefix $(UNIT_OUT)/,reference.o invariants.o slice_check.o)
$(UNIT_OUT)/test_ring: $(UNIT_OUT)/ring_check.o
$(UNIT_OUT)/test_unwind_fp: $(UNIT_OUT)/walk_check.o
$(UNIT_OUT)/test_table: $(UNIT_OUT)/table_check.o
$(UNIT_OUT)/test_unwind: $(addprefix $(UNIT_OUT)/,unwind_check.o unwind_naive.o)
$(UNIT_PROGRAMS): %: %.o $(UNIT_CORE_OBJS)
	$(UNIT_CC) $(UNIT_CFLAGS) -o $@ $(filter %.o,$^) -lcmocka -pthread

$(UNIT_OUT):
	mkdir -p $@

.SECONDARY: $(addsuffix .o,$(UNIT_PROGRAMS))
-include $(wildcard $(UNIT_OUT)/*.d)

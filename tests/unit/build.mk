# SPDX-License-Identifier: GPL-2.0
# Unit tests of kmod/core, for the top Makefile to include. Also stands alone:
# make -f tests/unit/build.mk unit

UNIT_OUT ?= build/unit
UNIT_CORE ?= kmod/core
UNIT_CC ?= gcc
UNIT_SANITIZE ?= -fsanitize=address,undefined -fno-sanitize-recover=all
UNIT_CFLAGS := -std=gnu11 -g -O1 -Wall -Wextra -Wno-missing-field-initializers -Werror
UNIT_CFLAGS += -D_GNU_SOURCE -Iinclude/uapi -I$(UNIT_CORE) -Itests/vectors -Itests/unit/core $(UNIT_SANITIZE)

# Every test links one archive: kmod/core, and what the tests share.
UNIT_PROGRAMS := $(patsubst tests/unit/core/%.c,$(UNIT_OUT)/%,$(wildcard tests/unit/core/test_*.c))
UNIT_SHARED := $(filter-out tests/unit/core/test_%,$(wildcard tests/unit/core/*.c)) $(wildcard $(UNIT_CORE)/*.c)
UNIT_ARCHIVE := $(UNIT_OUT)/libcore.a
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

$(UNIT_ARCHIVE): $(patsubst %.c,$(UNIT_OUT)/%.o,$(notdir $(UNIT_SHARED)))
	@rm -f $@
	@$(AR) rcs $@ $^

$(UNIT_PROGRAMS): %: %.o $(UNIT_ARCHIVE)
	$(UNIT_CC) $(UNIT_CFLAGS) -o $@ $^ -lcmocka -pthread

$(UNIT_OUT):
	mkdir -p $@

.SECONDARY: $(addsuffix .o,$(UNIT_PROGRAMS))
-include $(wildcard $(UNIT_OUT)/*.d)

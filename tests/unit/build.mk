# SPDX-License-Identifier: GPL-2.0
# Unit tests of kmod/core, for the top Makefile to include. Also stands alone:
# make -f tests/unit/build.mk unit

UNIT_OUT ?= build/unit
UNIT_CORE ?= kmod/core
UNIT_CC ?= gcc
UNIT_SANITIZE ?= -fsanitize=address,undefined -fno-sanitize-recover=all
UNIT_CFLAGS := -std=gnu11 -g -O1 -Wall -Wextra -Wno-missing-field-initializers -Werror
UNIT_CFLAGS += -Iinclude/uapi -I$(UNIT_CORE) -Itests/vectors -Itests/unit $(UNIT_SANITIZE)

UNIT_PROGRAMS := $(addprefix $(UNIT_OUT)/test_,cmetric taskstate threshold property)
UNIT_CORE_OBJS := $(addprefix $(UNIT_OUT)/,cmetric.o taskstate.o threshold.o)

.PHONY: unit unit-build
unit: unit-build ## core/ in cmocka, with sanitizers: vectors and property test
	@tests/unit/run $(UNIT_PROGRAMS)

unit-build: $(UNIT_PROGRAMS)

$(UNIT_OUT)/%.o: $(UNIT_CORE)/%.c | $(UNIT_OUT)
	$(UNIT_CC) $(UNIT_CFLAGS) -MMD -c -o $@ $<

$(UNIT_OUT)/%.o: tests/unit/%.c | $(UNIT_OUT)
	$(UNIT_CC) $(UNIT_CFLAGS) -MMD -c -o $@ $<

$(UNIT_OUT)/test_property: $(UNIT_OUT)/reference.o $(UNIT_OUT)/invariants.o
$(UNIT_PROGRAMS): %: %.o $(UNIT_CORE_OBJS)
	$(UNIT_CC) $(UNIT_CFLAGS) -o $@ $(filter %.o,$^) -lcmocka

$(UNIT_OUT):
	mkdir -p $@

.SECONDARY: $(addsuffix .o,$(UNIT_PROGRAMS))
-include $(wildcard $(UNIT_OUT)/*.d)

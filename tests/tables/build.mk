# SPDX-License-Identifier: GPL-2.0
# Tests of the tables that the reader compiles: make -f tests/tables/build.mk tables-build

TABLES_OUT ?= build/tables
TABLES_CC ?= gcc
TABLES_CPPFLAGS := -D_GNU_SOURCE -DGAPP_VERSION='"test"' -Iinclude/uapi -Ikmod -Iuser -Itests/tables
TABLES_CFLAGS := -std=gnu11 -g -O1 -Wall -Wextra -Werror
TABLES_LIBS := -ldw -lelf -lz
# All but the comparison, which has a whole system to look at.
TABLES_SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all

# What is tested: whole folders, of which the linker takes what it needs.
TABLES_TESTED := $(wildcard kmod/core/*.c user/util/*.c user/input/*.c user/unwind-table/*.c)
TABLES_ROWS := $(patsubst %,tests/tables/%.c,rows judge values expression starts spoil)
TABLES_RIG := $(patsubst %,tests/tables/%.c,subject cache_rig)
TABLES_PROGRAMS := $(addprefix $(TABLES_OUT)/test_,unwind_table aarch64_table hostile_elf table_cache \
	table_trim)

.PHONY: tables-build
tables-build: $(TABLES_OUT)/rows $(TABLES_PROGRAMS)

$(TABLES_OUT)/rows: $(TABLES_ROWS:%.c=$(TABLES_OUT)/fast/%.o) $(TABLES_OUT)/fast/tested.a
	$(TABLES_CC) $(TABLES_CFLAGS) -o $@ $^ $(TABLES_LIBS)

$(TABLES_PROGRAMS): $(TABLES_OUT)/%: $(TABLES_OUT)/safe/tests/tables/%.o \
		$(TABLES_RIG:%.c=$(TABLES_OUT)/safe/%.o) $(TABLES_OUT)/safe/tested.a
	$(TABLES_CC) $(TABLES_CFLAGS) $(TABLES_SANITIZE) -o $@ $^ $(TABLES_LIBS) -lcmocka

$(TABLES_OUT)/fast/tested.a: $(TABLES_TESTED:%.c=$(TABLES_OUT)/fast/%.o)
$(TABLES_OUT)/safe/tested.a: $(TABLES_TESTED:%.c=$(TABLES_OUT)/safe/%.o)
$(TABLES_OUT)/fast/tested.a $(TABLES_OUT)/safe/tested.a:
	@rm -f $@
	$(AR) rcs $@ $^

$(TABLES_OUT)/fast/%.o: %.c
	@mkdir -p $(@D)
	$(TABLES_CC) $(TABLES_CPPFLAGS) $(TABLES_CFLAGS) -O2 -MMD -MP -c -o $@ $<

$(TABLES_OUT)/safe/%.o: %.c
	@mkdir -p $(@D)
	$(TABLES_CC) $(TABLES_CPPFLAGS) $(TABLES_CFLAGS) $(TABLES_SANITIZE) -MMD -MP -c -o $@ $<

.SECONDARY:
-include $(shell find $(TABLES_OUT) -name '*.d' 2>/dev/null)

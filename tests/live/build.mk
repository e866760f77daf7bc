# SPDX-License-Identifier: GPL-2.0
# The harness of tests/live: make -f tests/live/build.mk live

LIVE_OUT ?= build/live
LIVE_CORE ?= kmod/core
LIVE_CFLAGS := -std=gnu11 -O2 -g -Wall -Wextra $(if $(filter 1,$(WERROR)),-Werror)
LIVE_CFLAGS += -D_GNU_SOURCE -DGAPP_VERSION='"$(shell cat VERSION)"' -Iinclude/uapi -Ikmod -Iuser -Itests/live
LIVE_LIBS := -ldw -lelf -lz

LIVE_SRCS := $(wildcard tests/live/*.c) $(addprefix $(LIVE_CORE)/,unwind.c table.c window.c)
LIVE_SRCS += $(wildcard user/unwind-table/cfi_*.c)
LIVE_SRCS += $(addprefix user/unwind-table/,unwind_table.c cache_file.c table_cache.c table_index.c table_trim.c)
LIVE_SRCS += $(addprefix user/util/,bus_guard.c hash_index.c names.c util.c)
LIVE_OBJS := $(addprefix $(LIVE_OUT)/,$(notdir $(LIVE_SRCS:.c=.o)))
vpath %.c tests/live $(LIVE_CORE) user/unwind-table user/util user/input

.PHONY: live
live: $(LIVE_OUT)/live

$(LIVE_OUT)/live: $(LIVE_OBJS)
	$(CC) $(LIVE_CFLAGS) -o $@ $^ $(LIVE_LIBS)

$(LIVE_OUT)/%.o: %.c | $(LIVE_OUT)
	$(CC) $(LIVE_CFLAGS) -MMD -MP -c -o $@ $<

$(LIVE_OUT):
	mkdir -p $@

-include $(LIVE_OBJS:.o=.d)

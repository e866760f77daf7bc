# SPDX-License-Identifier: GPL-2.0
# The harness of tests/live: make -f tests/live/build.mk live

LIVE_OUT ?= build/live
LIVE_CFLAGS := -std=gnu11 -O2 -g -Wall -Wextra $(if $(filter 1,$(WERROR)),-Werror)
LIVE_CFLAGS += -D_GNU_SOURCE -DGAPP_VERSION='"$(shell cat VERSION)"' -Iinclude/uapi -Ikmod -Iuser -Itests/live
LIVE_LIBS := -ldw -lelf -lz

LIVE_OBJS := $(patsubst %.c,$(LIVE_OUT)/%.o,$(wildcard tests/live/*.c))
# What is tested: whole folders, of which the linker takes what it needs.
LIVE_TESTED := $(patsubst %.c,$(LIVE_OUT)/%.o,$(wildcard kmod/core/*.c user/util/*.c user/unwind-table/*.c))

.PHONY: live
live: $(LIVE_OUT)/live

$(LIVE_OUT)/live: $(LIVE_OBJS) $(LIVE_OUT)/tested.a
	$(CC) $(LIVE_CFLAGS) -o $@ $^ $(LIVE_LIBS)

$(LIVE_OUT)/tested.a: $(LIVE_TESTED)
	@rm -f $@
	$(AR) rcs $@ $^

$(LIVE_OUT)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(LIVE_CFLAGS) -MMD -MP -c -o $@ $<

-include $(LIVE_OBJS:.o=.d) $(LIVE_TESTED:.o=.d)

# SPDX-License-Identifier: GPL-2.0
# The program of tests/symbols: make -f tests/symbols/build.mk frames

FRAMES_OUT ?= build/symbols
FRAMES_CFLAGS := -std=gnu11 -O1 -g -Wall -Wextra -Werror
FRAMES_CFLAGS += -D_GNU_SOURCE -DGAPP_VERSION='"test"' -Iinclude/uapi -Ikmod -Iuser
FRAMES_LIBS := -ldw -lelf -liberty -lz
# What is tested: whole folders, of which the linker takes what it needs.
FRAMES_TESTED := $(wildcard kmod/core/*.c $(foreach folder,util input unwind-table symbol,user/$(folder)/*.c))

.PHONY: frames
frames: $(FRAMES_OUT)/frames

$(FRAMES_OUT)/frames: $(FRAMES_OUT)/tests/symbols/frames.o $(FRAMES_OUT)/tested.a
	$(CC) $(FRAMES_CFLAGS) -o $@ $^ $(FRAMES_LIBS)

$(FRAMES_OUT)/tested.a: $(FRAMES_TESTED:%.c=$(FRAMES_OUT)/%.o)
	@rm -f $@
	@$(AR) rcs $@ $^

$(FRAMES_OUT)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(FRAMES_CFLAGS) -MMD -MP -c -o $@ $<

-include $(wildcard $(FRAMES_OUT)/*/*/*.d)

# SPDX-License-Identifier: GPL-2.0
# The programs of tests/bench/scale and tests/bench/reader:
#
#	make -f tests/bench/scale.mk scale reader

SCALE_OUT ?= build/bench
SCALE_CFLAGS := -std=gnu11 -O2 -g -fno-omit-frame-pointer -pthread -Wall -Wextra
SCALE_CFLAGS += $(if $(filter 1,$(WERROR)),-Werror)
SCALE_CPPFLAGS := -D_GNU_SOURCE -Iinclude/uapi -Itests/bench
CROWD_SRCS := $(wildcard tests/bench/crowd*.c) tests/abi/t.c
CROWD_HDRS := tests/bench/crowd.h tests/abi/t.h $(wildcard include/uapi/*.h)
READER_SRCS := tests/bench/reader.c tests/bench/reader_records.c
FED_HDRS := tests/bench/fed.h $(wildcard include/uapi/*.h)

.PHONY: scale reader
scale: $(SCALE_OUT)/bin/crowd
reader: $(SCALE_OUT)/gapp-read-fed $(SCALE_OUT)/reader

# For guests.
$(SCALE_OUT)/bin/crowd: $(CROWD_SRCS) $(CROWD_HDRS) tests/bench/scale.mk
	@mkdir -p $(@D)
	$(CC) $(SCALE_CPPFLAGS) $(CPPFLAGS) $(SCALE_CFLAGS) $(CFLAGS) $(LDFLAGS) -static -o $@ \
		$(CROWD_SRCS)

$(SCALE_OUT)/reader: $(READER_SRCS) tests/bench/reader.h $(FED_HDRS) tests/bench/scale.mk
	@mkdir -p $(@D)
	$(CC) $(SCALE_CPPFLAGS) $(CPPFLAGS) $(SCALE_CFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $(READER_SRCS)

# The reader that is installed, but for its device.
include user/build.mk
$(SCALE_OUT)/gapp-read-fed: $(USER_OBJS) tests/bench/fed_node.c $(FED_HDRS) tests/bench/scale.mk
	@mkdir -p $(@D)
	$(CC) $(SCALE_CPPFLAGS) $(CPPFLAGS) $(SCALE_CFLAGS) $(CFLAGS) $(LDFLAGS) \
		-Wl,--wrap=open,--wrap=ioctl,--wrap=ppoll -o $@ tests/bench/fed_node.c $(USER_OBJS) $(USER_LIBS)

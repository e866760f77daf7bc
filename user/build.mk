# SPDX-License-Identifier: GPL-2.0
# gapp-read. Included by the top Makefile; works alone too: make -f user/build.mk gapp-read

VERSION ?= $(shell cat VERSION)

USER_SRCS := $(wildcard user/*.c)
# of the module, for what is as true here
USER_CORE_SRCS := kmod/core/table.c
USER_OBJS := $(USER_SRCS:%.c=build/%.o) $(USER_CORE_SRCS:%.c=build/user/%.o)
USER_CPPFLAGS := -D_GNU_SOURCE -DGAPP_VERSION='"$(VERSION)"' -Iinclude/uapi -Iuser -Ikmod
USER_LIBS := -ldw -lelf -liberty -lz -lpthread
USER_CFLAGS := -std=gnu11 -O2 -g -Wall -Wextra $(if $(filter 1,$(WERROR)),-Werror)

gapp-read: $(USER_OBJS) ## build gapp-read only
	$(CC) $(USER_CFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(USER_LIBS)

build/user/%.o: user/%.c user/build.mk VERSION
	@mkdir -p $(@D)
	$(CC) $(USER_CPPFLAGS) $(CPPFLAGS) $(USER_CFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

build/user/kmod/%.o: kmod/%.c user/build.mk VERSION
	@mkdir -p $(@D)
	$(CC) $(USER_CPPFLAGS) $(CPPFLAGS) $(USER_CFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

-include $(USER_OBJS:.o=.d)

# Programs of tests/cli, with sanitizers: unit tests, and the reader with a stand-in for the device.
USER_TEST_DIR := build/user/test
USER_TEST_FLAGS := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
USER_TEST_OBJS := $(patsubst %.c,$(USER_TEST_DIR)/%.o,$(USER_SRCS) $(USER_CORE_SRCS))
INPUT_TESTS := test_device test_maps test_maps_live test_news test_proc_maps test_rings test_rings_scan \
	test_sideband test_stacks test_stacks_replaced test_stacks_stale test_stale test_told
SYMBOL_TESTS := test_symbols test_symbol_files test_symbol_limits test_symbol_names
COPY_TESTS := test_unwinder test_tails
USER_TESTS := $(addprefix $(USER_TEST_DIR)/,gapp-read-fake test_model test_report test_ranked test_walks $(INPUT_TESTS) $(SYMBOL_TESTS) $(COPY_TESTS))

# These have made-up stacks and symbols (fake_code.c), so they are linked with what they test only.
USER_PROFILE_TESTS := $(addprefix $(USER_TEST_DIR)/,test_believed test_bounds test_profile test_rank \
	test_script)
USER_PROFILE_OBJS := $(patsubst %,$(USER_TEST_DIR)/user/%.o,blame hash_index names path_names \
	profile profile_batch profile_slice profile_tables rank rank_counts rank_lines rank_rows rank_threads script \
	util verify wait_names walk)
USER_TESTS += $(USER_PROFILE_TESTS)

# Likewise; everything around the capture is in capture_world.c.
USER_TESTS += $(USER_TEST_DIR)/test_capture
USER_CAPTURE_OBJS := $(USER_TEST_DIR)/tests/cli/capture_world.o \
	$(patsubst %,$(USER_TEST_DIR)/user/%.o,capture names news output stale util)

# Likewise; the module and the compiler of tables are in teach_rig.c.
USER_TEACH_TESTS := $(addprefix $(USER_TEST_DIR)/,test_teach test_teach_limits test_teach_stale)
USER_TESTS += $(USER_TEACH_TESTS)
USER_TEACH_OBJS := $(USER_TEST_DIR)/tests/cli/teach_rig.o $(patsubst %,$(USER_TEST_DIR)/user/%.o,device \
	elf_file hash_index names object proc_maps stale table_worker teach teach_code teach_lesson teach_pupils told \
	util vdso)

.PHONY: user-tests
user-tests: $(USER_TESTS)

$(USER_TEST_DIR)/gapp-read-fake: $(USER_TEST_OBJS) $(addprefix $(USER_TEST_DIR)/tests/cli/,fake_node.o fake_records.o fake_tables.o)
	$(CC) $(USER_TEST_FLAGS) -Wl,--wrap=open,--wrap=ioctl -o $@ $^ $(USER_LIBS)

$(USER_TEST_DIR)/test_%: $(USER_TEST_DIR)/tests/cli/test_%.o \
		$(USER_TEST_DIR)/tests/cli/made_up.o \
		$(filter-out %/main.o,$(USER_TEST_OBJS))
	$(CC) $(USER_TEST_FLAGS) -o $@ $^ -lcmocka $(USER_LIBS)

$(USER_PROFILE_TESTS): $(USER_TEST_DIR)/test_%: $(USER_TEST_DIR)/tests/cli/test_%.o \
		$(USER_TEST_DIR)/tests/cli/fake_code.o $(USER_PROFILE_OBJS)
	$(CC) $(USER_TEST_FLAGS) -o $@ $^ -lcmocka

$(USER_TEST_DIR)/test_capture: $(USER_TEST_DIR)/tests/cli/test_capture.o $(USER_CAPTURE_OBJS)
	$(CC) $(USER_TEST_FLAGS) -o $@ $^ -lcmocka

$(USER_TEACH_TESTS): $(USER_TEST_DIR)/test_%: $(USER_TEST_DIR)/tests/cli/test_%.o $(USER_TEACH_OBJS)
	$(CC) $(USER_TEST_FLAGS) -o $@ $^ -lcmocka -lpthread

$(USER_TEST_DIR)/%.o: %.c user/build.mk VERSION
	@mkdir -p $(@D)
	$(CC) $(USER_CPPFLAGS) $(USER_CFLAGS) $(USER_TEST_FLAGS) -MMD -MP -c -o $@ $<

# The programs that symbols are looked up in; compiled when the tests run.
$(USER_TEST_DIR)/tests/cli/subject.o: USER_CPPFLAGS += -DSUBJECTS='"$(CURDIR)/tests/cli/subjects"'
$(addprefix $(USER_TEST_DIR)/,$(SYMBOL_TESTS) $(COPY_TESTS)): $(USER_TEST_DIR)/tests/cli/subject.o
$(addprefix $(USER_TEST_DIR)/,$(COPY_TESTS)): $(USER_TEST_DIR)/tests/cli/copied.o

.SECONDARY: $(patsubst %,$(USER_TEST_DIR)/tests/cli/%.o,made_up subject copied test_model test_report test_ranked test_walks $(INPUT_TESTS) $(SYMBOL_TESTS) $(COPY_TESTS))
-include $(USER_TEST_OBJS:.o=.d) $(wildcard $(USER_TEST_DIR)/tests/cli/*.d)

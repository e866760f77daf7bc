# SPDX-License-Identifier: GPL-2.0
# Tests of the module's interface: static programs for the guest, in build/tests/.
# Included by the top Makefile; works alone too: make -f tests/abi/build.mk abi-tests

ABI_OUT := build/tests
ABI_OBJ := build/tests-obj
ABI_CFLAGS := -std=gnu11 -O2 -fno-omit-frame-pointer -g -pthread -Wall -Wextra -Wno-override-init
ABI_CPPFLAGS := -D_GNU_SOURCE -Iinclude/uapi
ABI_PROGRAMS := $(addprefix $(ABI_OUT)/,bomb hand layout)
# the others have code of x86-64
ifeq ($(findstring aarch64,$(CC)),)
ABI_PROGRAMS += $(addprefix $(ABI_OUT)/,abi_test restricted chaos explore longest)
endif

.PHONY: abi-tests
abi-tests: $(ABI_PROGRAMS)

ABI_TEST := abi_test args targets pages crowd config exes selections maps waits lives handovers sums cohorts everybody
ABI_TEST += apart quiet nodes at_exec budget charged locked clock ended hostile wakers waker_paths wait_files calls_32 kernel_locks spins spins_deep exact exact_loop exact_mount exact_rounds store_points watch watch_refused watched watch_rounds frameless seen marks marks_order tallies tables turns spaces walks tails stacks device foreign mutated
ABI_TEST += storms memory samples records records_tail busy fail_nth no_memory inject t

$(ABI_OUT)/abi_test: $(ABI_TEST:%=$(ABI_OBJ)/%.o)
$(ABI_OUT)/restricted: $(addprefix $(ABI_OBJ)/,restricted.o restricted_sessions.o restricted_tables.o wakers.o waker_paths.o wait_files.o lives.o handovers.o spins.o spins_deep.o frameless.o \
	seen.o records.o records_tail.o busy.o t.o)
$(ABI_OUT)/bomb: $(addprefix $(ABI_OBJ)/,bomb.o t.o)
$(ABI_OUT)/chaos: $(addprefix $(ABI_OBJ)/,chaos.o exact_loop.o frameless.o t.o)
$(ABI_OUT)/explore: $(addprefix $(ABI_OBJ)/,explore.o explore_calls.o exact_loop.o frameless.o t.o)
$(ABI_OUT)/hand: $(addprefix $(ABI_OBJ)/,hand.o t.o)
$(ABI_OUT)/longest: $(addprefix $(ABI_OBJ)/,longest.o deep.o memory.o frameless.o records.o records_tail.o t.o)
$(ABI_OUT)/layout: $(addprefix $(ABI_OBJ)/,layout.o layout_record.o layout_table.o)

$(ABI_PROGRAMS):
	@mkdir -p $(@D)
	$(CC) $(ABI_CFLAGS) $(CFLAGS) $(LDFLAGS) -static -o $@ $^

$(ABI_OBJ)/%.o: tests/abi/%.c tests/abi/build.mk
	@mkdir -p $(@D)
	$(CC) $(ABI_CPPFLAGS) $(CPPFLAGS) $(ABI_CFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

-include $(wildcard $(ABI_OBJ)/*.d)

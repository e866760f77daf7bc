# SPDX-License-Identifier: GPL-2.0
# gapp-read. Included by the top Makefile; works alone too: make -f user/build.mk gapp-read

VERSION ?= $(shell cat VERSION)

USER_FOLDERS := cmd doctor data input spin unwind-table spin-table table-sync symbol callpath profile waits timeline report window export util
USER_SRCS := $(wildcard $(USER_FOLDERS:%=user/%/*.c))
# of the module, for what is as true here
USER_CORE_SRCS := kmod/core/glob.c kmod/core/table.c kmod/core/spin_table.c kmod/core/spin_location.c kmod/core/unwind.c
# names that the build's headers have
USER_MADE := build/user/made/syscall_names.o build/user/made/page.o
# the page of -o FILE.html; its scripts in the order in which they run
PAGE_FILES := user/export/page
PAGE_SCRIPTS := data.js format.js dom.js state.js colours.js rows.js sections.js marks.js filter.js verdict.js places.js canvas.js \
	parallelism.js counters.js selection.js lanes.js overlays.js lanes_input.js lanes_view.js flame_tree.js flame.js \
	graph.js bottle.js tables.js facts.js keys.js main.js
USER_OBJS := $(USER_SRCS:%.c=build/%.o) $(USER_CORE_SRCS:%.c=build/user/%.o) $(USER_MADE)
USER_CPPFLAGS := -D_GNU_SOURCE -DGAPP_VERSION='"$(VERSION)"' -Iinclude/uapi -Iuser -Ikmod
USER_LIBS := -ldw -lelf -liberty -lz -lzstd -lpthread -lm
USER_CFLAGS := -std=gnu11 -O2 -g -ffile-prefix-map=$(CURDIR)=. -Wall -Wextra $(if $(filter 1,$(WERROR)),-Werror)

gapp-read: $(USER_OBJS) ## build gapp-read only
	$(CC) $(USER_CFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(USER_LIBS)

build/user/%.o: user/%.c user/build.mk VERSION
	@mkdir -p $(@D)
	$(CC) $(USER_CPPFLAGS) $(CPPFLAGS) $(USER_CFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# Sums of each record: two additions are two instructions, and as one of vectors six.
build/user/profile/slices.o: USER_CFLAGS += -fno-tree-slp-vectorize

build/user/kmod/%.o: kmod/%.c user/build.mk VERSION
	@mkdir -p $(@D)
	$(CC) $(USER_CPPFLAGS) $(CPPFLAGS) $(USER_CFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

build/user/made/syscall_names.c: scripts/syscall-names user/build.mk
	@mkdir -p $(@D)
	scripts/syscall-names $(CC) $(CPPFLAGS) > $@.new
	@mv $@.new $@

# What user/export/page_template.h names: each file with a NUL behind it.
build/user/made/page.js: $(PAGE_SCRIPTS:%=$(PAGE_FILES)/%) user/build.mk
	@mkdir -p $(@D)
	cat $(PAGE_SCRIPTS:%=$(PAGE_FILES)/%) > $@

build/user/made/page.s: build/user/made/page.js $(PAGE_FILES)/page.html $(PAGE_FILES)/page.css user/build.mk
	printf '.section .rodata\n' > $@
	printf '.globl page_%s\npage_%s:\n.incbin "%s"\n.byte 0\n' html html $(PAGE_FILES)/page.html \
		css css $(PAGE_FILES)/page.css js js build/user/made/page.js >> $@
	printf '.section .note.GNU-stack,"",%%progbits\n' >> $@

build/user/made/page.o: build/user/made/page.s
	$(CC) $(CFLAGS) -c -o $@ $<

build/user/made/%.o: build/user/made/%.c
	$(CC) $(USER_CPPFLAGS) $(CPPFLAGS) $(USER_CFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

-include $(USER_OBJS:.o=.d)

# Unit tests with sanitizers, and the reader with a stand-in for the device. A test links an archive
# of each folder; what a test makes up comes before the archives and stands in for what it replaces.
USER_TEST_DIR := build/user/test
USER_TEST_FLAGS := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
USER_TEST_OBJS := $(patsubst %.c,$(USER_TEST_DIR)/%.o,$(filter-out user/cmd/main.c,$(USER_SRCS)) $(USER_CORE_SRCS))
USER_TEST_LIBS := $(USER_FOLDERS:%=$(USER_TEST_DIR)/lib%.a) $(USER_TEST_DIR)/libcore.a
link_user_test = $(CC) $(USER_TEST_FLAGS) -o $@ $(filter %.o,$^) -Wl,--start-group $(USER_TEST_LIBS) -Wl,--end-group -lcmocka $(USER_LIBS)

USER_TEST_SRCS := $(wildcard $(USER_FOLDERS:%=tests/unit/%/*.c) tests/cli/*.c)
USER_TESTS := $(patsubst %.c,$(USER_TEST_DIR)/%,$(notdir $(wildcard $(USER_FOLDERS:%=tests/unit/%/test_*.c))))

.PHONY: user-tests
user-tests: $(USER_TESTS) $(USER_TEST_DIR)/gapp-read-fake $(USER_TEST_DIR)/made-report $(USER_TEST_DIR)/made-export \
	$(USER_TEST_DIR)/made-timeline $(USER_TEST_DIR)/print-options

define user_test_archive
$(USER_TEST_DIR)/lib$(1).a: $$(filter $$(USER_TEST_DIR)/$(2)/%,$$(USER_TEST_OBJS))
	@rm -f $$@
	@$$(AR) rcs $$@ $$^
endef
$(foreach folder,$(USER_FOLDERS),$(eval $(call user_test_archive,$(folder),user/$(folder))))
$(eval $(call user_test_archive,core,kmod/core))
$(USER_TEST_DIR)/libreport.a: $(filter %/syscall_names.o,$(USER_MADE))
$(USER_TEST_DIR)/libexport.a: $(filter %/page.o,$(USER_MADE))

$(USER_TEST_DIR)/gapp-read-fake: $(USER_TEST_DIR)/user/cmd/main.o \
		$(patsubst %,$(USER_TEST_DIR)/tests/cli/%.o,fake_node fake_records fake_tables) $(USER_TEST_LIBS)
	$(link_user_test) -Wl,--wrap=open,--wrap=ioctl,--wrap=cpu_nodes_read

$(USER_TEST_DIR)/made-report: $(USER_TEST_DIR)/tests/unit/report/made_report.o $(USER_TEST_LIBS)
	$(link_user_test)

$(USER_TEST_DIR)/made-export: $(patsubst %,$(USER_TEST_DIR)/tests/unit/export/%.o,made_export made_paths) $(USER_TEST_LIBS)
	$(link_user_test)

$(USER_TEST_DIR)/made-timeline: $(patsubst %,$(USER_TEST_DIR)/tests/unit/%.o,export/made_timeline cmd/made_recording) $(USER_TEST_LIBS)
	$(link_user_test)

$(USER_TEST_DIR)/print-options: $(USER_TEST_DIR)/tests/docs/print_options.o $(USER_TEST_LIBS)
	$(link_user_test)

define user_test
$(USER_TEST_DIR)/$(notdir $(1:.c=)): $(USER_TEST_DIR)/$(1:.c=.o) $(USER_TEST_LIBS)
	$$(link_user_test)
endef
$(foreach test,$(filter tests/unit/%,$(filter-out %/made_report.c %/made_export.c,$(USER_TEST_SRCS))),$(if $(findstring /test_,$(test)),$(eval $(call user_test,$(test)))))

# What each test makes up.
made_up = $(1:%=$(USER_TEST_DIR)/tests/unit/%.o)
user_tests = $(1:%=$(USER_TEST_DIR)/test_%)
$(call user_tests,changes conditions debug_files diff live generator kernel_symbols model musl_start runtimes advice report ranked sentence source_text text_names text_tree text_views spin_diagnoses width sideband symbols symbol_files symbol_limits symbol_names): $(call made_up,report/made_up)
$(call user_tests,critical_path wait_graph): $(call made_up,waits/made_runs)
$(call user_tests,believed bounds call_tree counted_places exact_loops gain handovers joined_objects kernel_time lock_holders place_tree profile rank regions script kept_records others_waits saved_profile spin_ends wait_objects wait_rules wait_views waits): $(call made_up,profile/fake_code)
$(call user_tests,joined_objects spin_ends wait_objects waits): $(call made_up,profile/made_waits)
$(call user_tests,lock_holders): $(call made_up,profile/made_locks)
$(call user_tests,spun_words told_words watched_words): $(call made_up,profile/made_spins)
$(call user_tests,exports): $(call made_up,export/made_paths report/made_up)
$(call user_tests,capture): $(call made_up,cmd/capture_world)
$(call user_tests,found_exits spins spin_comparisons): $(call made_up,spin/made_code)
$(call user_tests,saved saved_facts seeds): $(call made_up,cmd/made_recording)
$(call user_tests,sync sync_limits sync_outdated sync_spins): $(call made_up,table-sync/sync_rig)
$(call user_tests,debug_files kernel_symbols musl_start runtimes symbols symbol_files symbol_limits symbol_names): $(call made_up,symbol/subject)
$(call user_tests,unwinder table_unwinder stack_copies): $(call made_up,symbol/subject callpath/copied)
$(call user_tests,table_unwinder stack_copies): $(call made_up,callpath/made_tables)

$(USER_TEST_DIR)/%.o: %.c user/build.mk VERSION
	@mkdir -p $(@D)
	$(CC) $(USER_CPPFLAGS) $(USER_CFLAGS) $(USER_TEST_FLAGS) -MMD -MP -c -o $@ $<

# Functions made up in place of others, and tests, need not look at all they are given.
$(USER_TEST_DIR)/tests/%.o: USER_CFLAGS += -Wno-unused-parameter $(USER_FOLDERS:%=-Itests/unit/%)

# The programs that symbols are looked up in; compiled when the tests run.
$(call made_up,symbol/subject): USER_CPPFLAGS += -DSUBJECTS='"$(CURDIR)/tests/unit/symbol/subjects"'

# The seeds of tests/fuzz/fuzz_data.c.
$(USER_TEST_DIR)/tests/unit/cmd/test_seeds.o: USER_CPPFLAGS += -DSEEDS='"$(CURDIR)/tests/fuzz/corpus/data"'

.SECONDARY: $(USER_TEST_SRCS:%.c=$(USER_TEST_DIR)/%.o)
-include $(USER_TEST_OBJS:.o=.d) $(USER_TEST_DIR)/user/cmd/main.d $(wildcard $(USER_TEST_DIR)/tests/*/*.d $(USER_TEST_DIR)/tests/*/*/*.d)

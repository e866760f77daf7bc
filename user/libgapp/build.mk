# SPDX-License-Identifier: GPL-2.0
# libgapp, by which programs make marks: a static and a shared library. Included by the top Makefile;
# works alone too: make -f user/libgapp/build.mk libgapp

LIBGAPP_OUT := build/libgapp
LIBGAPP_SONAME := libgapp.so.0
LIBGAPP_FILES := $(LIBGAPP_OUT)/libgapp.a $(LIBGAPP_OUT)/$(LIBGAPP_SONAME)
LIBGAPP_CPPFLAGS := -D_GNU_SOURCE -Iinclude -Iinclude/uapi
LIBGAPP_CFLAGS := -std=gnu11 -O2 -g -fdebug-prefix-map=$(CURDIR)=. -Wall -Wextra -fPIC -fvisibility=hidden $(if $(filter 1,$(WERROR)),-Werror)
# Its tests, with what they make up in place of the node.
LIBGAPP_TEST_FLAGS := -fsanitize=address,undefined -fno-sanitize-recover=all
LIBGAPP_WRAPPED := -Wl,--wrap=open,--wrap=mmap,--wrap=munmap,--wrap=ioctl

.PHONY: libgapp libgapp-tests
libgapp: $(LIBGAPP_FILES) ## build libgapp, by which programs make marks, only

$(LIBGAPP_OUT)/mark.o: user/libgapp/mark.c user/libgapp/build.mk
	@mkdir -p $(@D)
	$(CC) $(LIBGAPP_CPPFLAGS) $(CPPFLAGS) $(LIBGAPP_CFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(LIBGAPP_OUT)/libgapp.a: $(LIBGAPP_OUT)/mark.o
	@rm -f $@
	$(AR) rcs $@ $^

$(LIBGAPP_OUT)/$(LIBGAPP_SONAME): $(LIBGAPP_OUT)/mark.o
	$(CC) -shared -Wl,-soname,$(LIBGAPP_SONAME) -Wl,-z,defs $(CFLAGS) $(LDFLAGS) -o $@ $^

libgapp-tests: $(LIBGAPP_OUT)/test_mark $(LIBGAPP_OUT)/steps $(LIBGAPP_OUT)/marks $(LIBGAPP_OUT)/sections

# For a guest.
$(LIBGAPP_OUT)/marks: tests/libgapp/examples/marks.c $(LIBGAPP_OUT)/libgapp.a
	$(CC) -Iinclude -O2 -Wall -Wextra -static -o $@ $^

$(LIBGAPP_OUT)/sections: tests/libgapp/sections.c $(LIBGAPP_OUT)/libgapp.a
	$(CC) -Iinclude -O1 -g -fdebug-prefix-map=$(CURDIR)=. -Wall -Wextra -static -pthread -o $@ $^

$(LIBGAPP_OUT)/test_mark: tests/libgapp/test_mark.c tests/libgapp/made_node.c user/libgapp/mark.c user/libgapp/build.mk
	@mkdir -p $(@D)
	$(CC) $(LIBGAPP_CPPFLAGS) -std=gnu11 -g -O1 -Wall -Wextra $(LIBGAPP_TEST_FLAGS) $(LIBGAPP_WRAPPED) -o $@ $(filter %.c,$^) -lcmocka -lpthread

$(LIBGAPP_OUT)/steps: tests/libgapp/steps.c tests/libgapp/made_node.c $(LIBGAPP_OUT)/libgapp.a
	$(CC) $(LIBGAPP_CPPFLAGS) -std=gnu11 -O2 -Wall -Wextra $(LIBGAPP_WRAPPED) -o $@ $^

-include $(LIBGAPP_OUT)/mark.d

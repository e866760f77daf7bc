# SPDX-License-Identifier: GPL-2.0
# Installs the reader, the manual, completions, libgapp, the module, and the sources for DKMS.

# What DKMS needs to build the module, and nothing else.
DKMS_FILES := Kbuild VERSION LICENSE kmod include
DKMS_TREE := $(DESTDIR)/usr/src/gapp-$(VERSION)

SHARE := $(DESTDIR)$(PREFIX)/share
# where zsh looks for completions of packages; Debian's has a folder of its own for those
ZSH_FUNCTIONS ?= $(PREFIX)/share/zsh/site-functions
# What is installed beside the reader: where it is here, and where there.
MANUAL_PAGES := gapp-read.1 gapp.4 gapp.data.5
MANUAL_FILES := $(foreach page,$(MANUAL_PAGES),docs/$(page):$(SHARE)/man/man$(subst .,,$(suffix $(page)))/$(page))
COMPLETION_FILES := user/completion/gapp-read.bash:$(SHARE)/bash-completion/completions/gapp-read \
	user/completion/_gapp-read:$(DESTDIR)$(ZSH_FUNCTIONS)/_gapp-read \
	user/completion/gapp-read.fish:$(SHARE)/fish/vendor_completions.d/gapp-read.fish
SHARED_FILES := $(MANUAL_FILES) $(COMPLETION_FILES)
here = $(firstword $(subst :, ,$1))
there = $(lastword $(subst :, ,$1))

define install_file
install -D -m 644 $(call here,$1) $(call there,$1)

endef

.PHONY: install install-user install-libgapp install-module dkms-install dkms-uninstall uninstall completions
completions: build/user/test/print-options ## write the options into user/completion
	scripts/completions

install: install-user install-libgapp install-module ## install gapp-read, its manual, completions, libgapp and gapp.ko (PREFIX=, DESTDIR=)

install-user: gapp-read ## install gapp-read, its manual and completions only
	install -D -m 755 gapp-read $(DESTDIR)$(PREFIX)/bin/gapp-read
	$(foreach file,$(SHARED_FILES),$(call install_file,$(file)))

LIBRARIES := $(DESTDIR)$(PREFIX)/lib
LIBGAPP_INSTALLED := $(LIBRARIES)/libgapp.a $(LIBRARIES)/$(LIBGAPP_SONAME) $(LIBRARIES)/libgapp.so \
	$(LIBRARIES)/pkgconfig/libgapp.pc $(DESTDIR)$(PREFIX)/include/gapp_mark.h

install-libgapp: libgapp ## install libgapp, by which programs make marks, only
	install -D -m 644 include/gapp_mark.h $(DESTDIR)$(PREFIX)/include/gapp_mark.h
	install -D -m 644 -t $(LIBRARIES) $(LIBGAPP_FILES)
	ln -sf $(LIBGAPP_SONAME) $(LIBRARIES)/libgapp.so
	install -d $(LIBRARIES)/pkgconfig
	sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|' user/libgapp/libgapp.pc.in > $(LIBRARIES)/pkgconfig/libgapp.pc
	$(if $(DESTDIR),,ldconfig || true)

# With KDIR= alone the module is of another kernel than the one that runs.
BUILT_FOR = $(or $(shell cat $(KDIR)/include/config/kernel.release 2>/dev/null),$(KVER))

install-module: gapp.ko
	install -D -m 644 gapp.ko $(DESTDIR)/lib/modules/$(BUILT_FOR)/extra/gapp.ko
	$(if $(DESTDIR),,depmod $(BUILT_FOR))

dkms-install: ## put the module's sources where `dkms install gapp/VERSION` finds them
	$(if $(DESTDIR),,scripts/dkms-forget $(VERSION))
	rm -rf $(DKMS_TREE)
	install -d $(DKMS_TREE)
	cp -r $(DKMS_FILES) $(DKMS_TREE)
	sed 's/@VERSION@/$(VERSION)/' dkms.conf > $(DKMS_TREE)/dkms.conf

dkms-uninstall: ## remove from DKMS what dkms-install has put there, of any version
	scripts/dkms-forget --all

uninstall: ## remove what install put in place
	rm -f $(LIBGAPP_INSTALLED)
	$(if $(DESTDIR),,ldconfig || true)
	rm -f $(DESTDIR)$(PREFIX)/bin/gapp-read $(foreach file,$(SHARED_FILES),$(call there,$(file)))
	rm -f $(DESTDIR)/lib/modules/$(BUILT_FOR)/extra/gapp.ko
	$(if $(DESTDIR),,if [ -d /lib/modules/$(BUILT_FOR) ]; then depmod $(BUILT_FOR); fi)

# SPDX-License-Identifier: GPL-2.0
# Installs the reader, the man page, the module, and the sources for DKMS.

# What DKMS needs to build the module, and nothing else.
DKMS_FILES := Kbuild VERSION LICENSE kmod include
DKMS_TREE := $(DESTDIR)/usr/src/gapp-$(VERSION)

.PHONY: install install-user install-module dkms-install uninstall
install: install-user install-module ## install gapp-read, its man page and gapp.ko (PREFIX=, DESTDIR=)

install-user: gapp-read ## install gapp-read and its man page only
	install -D -m 755 gapp-read $(DESTDIR)$(PREFIX)/bin/gapp-read
	install -D -m 644 docs/gapp-read.1 $(DESTDIR)$(PREFIX)/share/man/man1/gapp-read.1

install-module: gapp.ko
	install -D -m 644 gapp.ko $(DESTDIR)/lib/modules/$(KVER)/extra/gapp.ko
	$(if $(DESTDIR),,depmod $(KVER))

dkms-install: ## put the module's sources where `dkms add gapp/VERSION` finds them
	rm -rf $(DKMS_TREE)
	install -d $(DKMS_TREE)
	cp -r $(DKMS_FILES) $(DKMS_TREE)
	sed 's/@VERSION@/$(VERSION)/' dkms.conf > $(DKMS_TREE)/dkms.conf

uninstall: ## remove what install put in place
	rm -f $(DESTDIR)$(PREFIX)/bin/gapp-read $(DESTDIR)$(PREFIX)/share/man/man1/gapp-read.1
	rm -f $(DESTDIR)/lib/modules/$(KVER)/extra/gapp.ko

# SPDX-License-Identifier: GPL-2.0
# What gapp is given away as; scripts/package makes it.

.PHONY: dist deb rpm release
dist: ## the sources: build/dist/gapp-VERSION.tar.gz
	@scripts/package source

deb: ## Debian packages, in build/deb/; installs what it needs
	@scripts/setup build deb
	@scripts/package deb

rpm: ## RPM packages, in build/rpm/; on Debian installs what it needs
	@! command -v apt-get > /dev/null || scripts/setup build rpm
	@scripts/package rpm

release: ## date the changelog's entry, commit and tag it here, and make tarball, packages and checksums in build/release/
	@scripts/setup build deb rpm
	@scripts/release

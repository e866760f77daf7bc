# SPDX-License-Identifier: GPL-2.0
# gapp: see `make help`. The kernel module's own build description is Kbuild.

VERSION := $(shell cat VERSION)
KVER ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KVER)/build
PREFIX ?= /usr/local
DESTDIR ?=
CC ?= gcc

MODULE_SOURCES := Kbuild VERSION $(shell find kmod include -name '*.[ch]' -o -name '*.mk')

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:

.PHONY: all module
all: module gapp-read ## build gapp.ko for the running kernel (KVER= or KDIR= for another) and gapp-read
module: gapp.ko ## build gapp.ko only

gapp.ko: $(MODULE_SOURCES) build/kdir
	@KDIR=$(KDIR) OUT=$(CURDIR)/build/module scripts/lab-module local $(KBUILD_ARGS)
	@cp build/module/gapp.ko $@

# Changes when another kernel is asked for.
.PHONY: force
build/kdir: force
	@mkdir -p build
	@echo '$(KDIR) $(KBUILD_ARGS)' | cmp -s - $@ || echo '$(KDIR) $(KBUILD_ARGS)' > $@

include user/build.mk
include user/libgapp/build.mk
include tests/workloads/build.mk
include tests/unit/build.mk
include tests/fuzz/build.mk
-include tests/mutants/build.mk
include scripts/style.mk
include scripts/lab.mk
-include tests/abi/build.mk
include tests/build.mk
include tests/bench/bench.mk
include scripts/install.mk
include scripts/package.mk

.PHONY: demo
demo: ## boot a guest, profile a program with a known bottleneck in it, print the report
	@scripts/demo

.PHONY: matrix
matrix: ## build and run gapp on every kernel of the lab, write docs/kernels.md's table: hours
	@scripts/matrix

.PHONY: clean distclean
clean: ## remove what was built, but the kernels in the cache
	rm -rf build gapp-read gapp.ko
distclean: clean ## remove the cache too
	rm -rf "$${GAPP_CACHE:-$${XDG_CACHE_HOME:-$$HOME/.cache}/gapp}"

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sort | \
		awk -F ':.*## ' '{ printf "  %-16s %s\n", $$1, $$2 }'

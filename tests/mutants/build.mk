# SPDX-License-Identifier: GPL-2.0
# Errors put into kmod/core on purpose, for the top Makefile to include.

.PHONY: mutants
mutants: ## does each known mistake, put back into core/, make a unit test fail
	@tests/mutants/run

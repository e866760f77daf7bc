# SPDX-License-Identifier: GPL-2.0
# The three sizes of the tests. tests/parts.sh says what is in them; `tests/check PART` runs one.

.PHONY: check-quick check check-all check-docs
check-quick: ## the tests that need no guest: some minutes
	@scripts/setup build test style exports
	@tests/check quick

check-docs: ## the documents: commands, options, links, man pages, completions
	@scripts/setup build test docs
	@tests/check docs

check: ## what CI runs: guests with four kernels, too
	@scripts/setup build test docs style lab debug-kernel clang-kernel arm64 dkms paths exports
	@tests/check check

check-all: ## everything, of any length
	@scripts/setup build test docs style lab debug-kernel clang-kernel arm64 bits-32 rt dkms paths paths-all bench screen page exports exports-all spins spins-all deb rpm
	@tests/check all

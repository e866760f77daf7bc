# SPDX-License-Identifier: GPL-2.0
# Style and static checks.

.PHONY: style format layering checkpatch shellcheck sparse
style: layering format-check checkpatch shellcheck ## layering, clang-format, checkpatch, shellcheck

layering: ## who may include whom, file sizes, version checks, SPDX lines
	@scripts/check-layering

format: ## run clang-format over the sources
	@scripts/check-style format

format-check: ## are the sources as clang-format would have them
	@scripts/check-style format-check

checkpatch: ## the kernel's own style checker
	@scripts/check-style checkpatch
	@scripts/check-style checkpatch-tests

shellcheck: ## the shell scripts
	@scripts/check-style shellcheck

sparse: ## build for 6.1 and 6.12 with W=1 and sparse; a warning is an error
	@scripts/check-build 6.1 6.12

# SPDX-License-Identifier: GPL-2.0
# The benchmark, some hours of it: each part prints its table and writes build/bench/PART.json. One that
# fails, or is above its limits, does not stop the others; the exit status says it at the end.
#
#	make bench BENCH_PARTS='events profile'

BENCH_PARTS ?= run events peers programs scale reader contention profile

.PHONY: bench bench-report
bench: ## what gapp costs, beside others: all tables (BENCH_PARTS= for some), takes hours
	@scripts/setup build lab bench
	@$(MAKE) -s lab-6.12
	@trap 'exit 130' INT; failed=; \
	for part in $(BENCH_PARTS); do \
		echo "== bench $$part"; \
		tests/bench/$$part || failed="$$failed $$part"; \
		echo; \
	done; \
	[ -z "$$failed" ] || { echo "make bench: failed, or above a limit:$$failed" >&2; exit 1; }
	@echo "make bench: all within their limits; make bench-report writes docs/performance.json and .md"

bench-report: ## write docs/performance.json and .md from build/bench/*.json
	@tests/bench/report

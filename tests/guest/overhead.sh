#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC3043 # busybox has local
# What gapp says of its own time: for each switch of a program with many, with counters, which have a probe of
# their own, and without. An instruction takes a nanosecond, so that two runs take the same.
# counts instructions
# brings: build/workloads
set -u
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

program=$here/../../build/workloads/pipeline

# each_call NAME OPTION…: nanoseconds for each switch, as the report has it
each_call()
{
	local report=$tmp/$1.json
	shift
	gapp-read -q --call-graph none "$@" -o "$report.data" -o "$report" -- "$program" 3 3000 \
		>"$tmp/out" 2>"$tmp/err"
	sed -n 's/^.*"probe_s": \([0-9.]*\), "probe_calls": \([0-9]*\).*/\1 \2/p' "$report" |
		awk '{ printf "%d", $1 * 1e9 / $2 }'
}

without=$(each_call without)
again=$(each_call again)
with=$(each_call with --counters faults,migrations)
echo "# a switch: $without ns, again $again, $with with two counters"
check "a switch takes what it took before" "$without ns, then $again" \
	[ $((again * 10)) -gt $((without * 9)) -a $((again * 10)) -lt $((without * 11)) ]
check "what counters take is in it" "$with ns with two counters, $without without" \
	[ $((with * 10)) -gt $((without * 12)) ]
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC3043 # busybox has local
# A kernel that lacks what busy-wait loops are looked at with: uprobes, or breakpoints that tell who
# stored. What is refused is said once, in one sentence, and the report has what samples tell.
# has CPUs: 5
# brings: /usr/lib/x86_64-linux-gnu/libcapstone.so.4 build/workloads
set -u
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

program=$here/../../build/workloads/spin_budget
library=/usr/lib/x86_64-linux-gnu/libcapstone.so.4
NO_EXACT="gapp: --spin exact: this kernel cannot put breakpoints into programs: samples find out how long threads wait in busy-wait loops"
NO_WATCH="gapp: this machine does not tell who stores into a word: who ended waits in busy-wait loops is not known"
# of each kernel what it lacks
case ${GAPP_GUEST:-} in
bare) exact=$NO_EXACT watch='' ;;
rt-6.1) exact='' watch=$NO_WATCH ;;
*) exact='' watch='' ;;
esac

# record NAME SENTENCES OPTION…: three threads spin for a lock, and the reader says these lines only
record()
{
	local name=$1 sentences=$2
	shift 2
	gapp-read -q --view wait-objects "$@" -o "$tmp/said.txt" -o "$tmp/said.json" \
		-- "$program" 3 40 20000 0 >"$tmp/out" 2>"$tmp/err"
	same "$name: the exit status" $? 0
	same "$name: what the reader says" "$(cat "$tmp/err")" "$sentences"
	sed 's/^/# /' "$tmp/said.txt"
	check "$name: threads spun for the lock" "$(cat "$tmp/said.txt")" \
		grep -q '"reason": "spin", .*"name": "hot_lock"' "$tmp/said.json"
}

if [ ! -e $library ]; then
	skip "lacking" "no $library"
	finish
	exit
fi
both=$watch
[ -z "$exact" ] || both=${watch:+$watch
}$exact
record "by samples" "$watch" --spin sampled
record "exact" "$both" --spin exact
finish

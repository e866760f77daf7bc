#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC3043 # busybox has local
# In a guest with two NUMA nodes: threads that spin for a word whose store reaches the other node late.
# That is told, and of the same program whose threads on both nodes go on alike it is not.
# has nodes: 2
# has CPUs: 4
# brings: /usr/lib/x86_64-linux-gnu/libcapstone.so.4 build/workloads
set -u
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

program=$here/../../build/workloads/far_release
library=/usr/lib/x86_64-linux-gnu/libcapstone.so.4
WORK_US=500 LATE_US=5000
FAR='threads on another NUMA node than the one that ended the wait went on'

# cpus_of NODE: the first two
cpus_of()
{
	for cpu in /sys/devices/system/node/node"$1"/cpu[0-9]*; do
		echo "${cpu##*cpu}"
	done | sort -n | head -n 2 | tr '\n' ' '
}

# record NAME ROUNDS LATE_US
record()
{
	# shellcheck disable=SC2046 # words
	gapp-read --level trace --view wait-objects -o "$tmp/far.json" -o "$tmp/far.txt" \
		-- "$program" "$2" $WORK_US "$3" $(cpus_of 0) / $(cpus_of 1) >"$tmp/out" 2>"$tmp/err"
	same "$1: the exit status" $? 0
	sed 's/^/# /' "$tmp/far.txt"
	tr -d '\n' <"$tmp/far.json" | sed 's/{"reason"/\n&/g' | grep '"name": "release"' >"$tmp/said"
	echo "# $1: $(grep -o '"ended_on[^}]*}' "$tmp/said" | tr '\n' ' ')"
	check "$1: ends were seen on both nodes" "$(cat "$tmp/said")" \
		grep -q 'its_node": {"ends.*another_node": {"ends' "$tmp/said"
}

if [ ! -e $library ]; then
	skip "far node" "no $library"
	finish
	exit
fi
# so the loops are known from the begin
same "a far node: loops of the program" "$(gapp-read spins "$program" 2>&1 | grep -c '^ *wait_for_[ra]')" 2
record "a far node" 600 $LATE_US
check "a far node: told in text" "it is not" grep -q "$FAR" "$tmp/far.txt"
check "a far node: told in JSON" "it is not" grep -q '"diagnosis": "far_node"' "$tmp/said"
record "nodes alike" 1000 0
check "nodes alike: not told in text" "it is" sh -c "! grep -q '$FAR' '$tmp/far.txt'"
check "nodes alike: not told in JSON" "it is" sh -c "! grep -q '\"diagnosis\": \"far_node\"' '$tmp/said'"
finish

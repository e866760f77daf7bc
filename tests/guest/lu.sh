#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC3043 # busybox has local
# A program of OpenMP whose threads spin at barriers: alone the report says nothing of CPUs that are missing;
# beside a second one, with more threads that spin than there are CPUs, it does.
# has CPUs: 3
# brings: /usr/lib/x86_64-linux-gnu/libcapstone.so.4 build/workloads
set -u
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

program=$here/../../build/workloads/lu
SIZE=120 TIMES=100
export OMP_NUM_THREADS=2

# starved FILE: seconds in which those that the others spun for had no CPU
starved()
{
	sed -n 's/.*"starved_s": \([0-9.]*\).*/\1/p' "$1" | head -n 1
}

# record NAME: the first line of the report's text
record()
{
	gapp-read -o "$tmp/$1.json" -o "$tmp/$1.txt" -- "$program" $SIZE $TIMES >"$tmp/$1.out" 2>"$tmp/$1.err"
	same "$1: the exit status" $? 0
	sed 's/^/# /' "$tmp/$1.txt"
}

if [ ! -e /usr/lib/x86_64-linux-gnu/libcapstone.so.4 ]; then
	skip "lu" "no libcapstone"
else
	mkdir -p /var/cache
	gapp-read spins "$program" >/dev/null 2>&1
	record alone
	same "alone: nobody waits for a CPU" "$(starved "$tmp/alone.json")" 0.000000000
	check "alone: the report does not say so" "" sh -c "! grep -q 'had no CPU' $tmp/alone.txt"
	OMP_NUM_THREADS=3 "$program" $SIZE 1000000 >/dev/null 2>&1 &
	other=$!
	record beside
	kill $other
	check "beside another: some that were waited for had no CPU" "$(starved "$tmp/beside.json") s" \
		awk "BEGIN { exit !($(starved "$tmp/beside.json") > 0) }"
	check "beside another: the report says so" "" grep -q 'had no CPU' "$tmp/beside.txt"
fi
finish

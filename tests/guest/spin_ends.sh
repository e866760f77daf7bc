#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC3043 # busybox has local
# Threads that spin for a lock before they sleep: that the time to spin is too short is told, and that it
# suffices is not. Threads that spin for a lock while its holder has no CPU: told where there are more of
# them than CPUs, and not where each has one.
# has CPUs: 5
# brings: /usr/lib/x86_64-linux-gnu/libcapstone.so.4 build/workloads
set -u
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

program=$here/../../build/workloads/spin_budget
library=/usr/lib/x86_64-linux-gnu/libcapstone.so.4
# A sample comes each 3 ms, and in an emulator sometimes much later.
SHORT_US=8000 LONG_HELD_US=20000 HELD_US=5000 WITHOUT_END=0

# spins KEY: a figure of the lock in the last report
spins()
{
	sed -n "/\"name\": \"hot_lock\"/s/.*\"spins\": {[^}]*\"$1\": \([0-9.]*\).*/\1/p" "$tmp/said" | head -n 1
}

# record NAME THREADS TURNS HELD_US BUDGET_US [CPUS]
record()
{
	local name=$1
	shift
	gapp-read --level trace --view wait-objects -o "$tmp/said.json" -o "$tmp/said.txt" \
		-- "$program" "$@" >"$tmp/out" 2>"$tmp/err"
	same "$name: the exit status" $? 0
	sed 's/^/# /' "$tmp/said.txt"
	tr -d '\n' <"$tmp/said.json" | sed 's/{"reason"/\n&/g' >"$tmp/said"
	echo "# $name: slept $(head -n 1 "$tmp/out") times; $(spins count) spins, $(spins in_vain) in vain;" \
		"no CPU for $(spins ender_without_cpu_s) of $(spins end_seen_s) s"
	check "$name: threads spun for hot_lock" "$(spins count)" [ "$(spins count)" -gt 0 ]
}

# told NAME WORDS, untold NAME WORDS: whether both reports have the diagnosis
told()
{
	check "$1: told in text" "it is not" grep -q "$2" "$tmp/said.txt"
	check "$1: told in JSON" "it is not" grep -q "\"diagnosis\": \"$3\"" "$tmp/said"
}

untold()
{
	check "$1: not told in text" "it is" sh -c "! grep -q '$2' '$tmp/said.txt'"
	check "$1: not told in JSON" "it is" sh -c "! grep -q '\"diagnosis\": \"$3\"' '$tmp/said'"
}

if [ ! -e $library ]; then
	skip "spin ends" "no $library"
	finish
	exit
fi
same "loops of the program" "$(gapp-read spins "$program" 2>&1 | grep -c '^ *spin_for_lock+')" 1
record "a short time to spin" 3 25 $LONG_HELD_US $SHORT_US
told "a short time to spin" "the time to spin" spin_budget
check "a short time to spin: half of the spins ended asleep" "$(spins in_vain) of $(spins count)" \
	[ $((2 * $(spins in_vain))) -ge "$(spins count)" ]
check "a short time to spin: no more did than the program says" "$(spins in_vain)" \
	[ "$(spins in_vain)" -le "$(head -n 1 "$tmp/out")" ]
record "a time to spin that suffices" 3 25 $LONG_HELD_US $WITHOUT_END
same "a time to spin that suffices: the program never sleeps" "$(head -n 1 "$tmp/out")" 0
same "a time to spin that suffices: nobody spun in vain" "$(spins in_vain)" 0
untold "a time to spin that suffices" "the time to spin" spin_budget
record "a CPU each" 4 60 $HELD_US $WITHOUT_END
untold "a CPU each" "had no CPU" ender_without_cpu
record "two CPUs for four" 4 60 $HELD_US $WITHOUT_END 2
told "two CPUs for four" "thread that ended" ender_without_cpu
untold "two CPUs for four" "the time to spin" spin_budget
finish

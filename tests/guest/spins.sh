#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC3043 # busybox has local
# How long threads spin, by samples, against what the threads themselves note at the begin and the end of
# each busy-wait loop.
# brings: /usr/lib/x86_64-linux-gnu/libcapstone.so.4 build/workloads
set -u
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

program=$here/../../build/workloads/spin_stamps
library=/usr/lib/x86_64-linux-gnu/libcapstone.so.4
TURNS=100 RATE=333 TOGETHER=1.05 ALONE=1.15

# said TID: seconds that the thread spun, and that it waited for a CPU, in the report
said()
{
	sed -n "s/.*\"tid\": $1, .*\"ready_s\": \([0-9.]*\),.*\"blocked_by\": {[^}]*\"spin\": \([0-9.]*\).*/\2 \1/p" \
		"$tmp/report" | head -n 1
}

# near WHAT NOTED_NS SAID_S READY_S TIMES: a thread notes as spinning also that it waits for a CPU meanwhile
near()
{
	echo "# $1: $2 ns, by samples $3 s, and $4 s waiting for a CPU"
	check "$1, but for $5 times" "$2 ns, by samples $3 s" \
		awk "BEGIN { s = $2 / 1e9; exit !(s < $5 * ($3 + $4) && $3 < $5 * s) }"
}

# compare HOW ARGUMENT…: both threads together, and each alone, of which one sample that is late takes more.
# Paths are short: an emulator takes so long for a whole one that the sampler rests afterwards.
compare()
{
	local how=$1 tid ns spun ready all_ns=0 all_spun=0 all_ready=0
	shift
	gapp-read -q --waits --max-stack 1 -F $RATE -o "$tmp/said.json" -- "$program" $TURNS "$@" \
		>"$tmp/out" 2>"$tmp/err"
	same "$how: the exit status" $? 0
	grep -E '^[0-9]+ [0-9]+$' "$tmp/out" >"$tmp/stamps"
	tr -d '\n' <"$tmp/said.json" | sed 's/{"tid"/\n&/g' >"$tmp/report"
	same "$how: threads that noted how long they spun" "$(wc -l <"$tmp/stamps")" 2
	while read -r tid ns; do
		read -r spun ready <<-END
			$(said "$tid")
		END
		near "$how: a thread spun as long as it says itself" "$ns" "${spun:-0}" "${ready:-0}" $ALONE
		all_ns=$((all_ns + ns))
		all_spun=$(awk "BEGIN { print $all_spun + ${spun:-0} }")
		all_ready=$(awk "BEGIN { print $all_ready + ${ready:-0} }")
	done <"$tmp/stamps"
	near "$how: all spun as long as they say themselves" $all_ns "$all_spun" "$all_ready" $TOGETHER
}

if [ ! -e $library ]; then
	skip "spins" "no $library"
else
	same "loops of the program" "$(gapp-read spins "$program" 2>&1 | grep -c '_for+')" 2
	compare "pausing"
	compare "yielding" yield
fi
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC3043 # busybox has local
# In the guest: how late the threads of a real-time program wake up, with gapp on and off in turn within
# one boot, while another program computes. The figures are for people; nothing here asserts a time.
# brings: /usr/bin/cyclictest
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

ROUNDS=5
LOOPS=2000

# least, average and most microseconds of all of cyclictest's threads
delays()
{
	cyclictest -q -m -a -t "$(nproc)" -p 90 -i 1000 -d 0 -l $LOOPS |
		awk '/Min:/ {
			for (i = 1; i < NF; i++) {
				if ($i == "Min:" && (!least || $(i + 1) < least)) least = $(i + 1)
				if ($i == "Avg:") { all += $(i + 1); threads++ }
				if ($i == "Max:" && $(i + 1) > most) most = $(i + 1)
			}
		}
		END { if (threads) print least, all / threads, most }'
}

measure() # STATE
{
	local line
	line=$(delays)
	echo "# round $round, gapp $1: least, average, most us late: $line"
	[ -z "$line" ] || echo "$line" >>"$tmp/$1"
}

# measure STATE while gapp-read runs with these ARGUMENTS
measure_with() # STATE ARGUMENT…
{
	local reader state=$1
	shift
	gapp-read "$@" >"$tmp/report" 2>&1 </dev/null &
	reader=$!
	sessions_are 1 "latency"
	measure "$state"
	kill -INT $reader
	wait $reader
	wait_until no_session
}

column() # STATE COLUMN: its median
{
	awk -v column="$2" '{ print $column }' "$tmp/$1" | sort -n |
		awk '{ of[NR] = $1 } END { print of[int((NR + 1) / 2)] }'
}

if ! command -v cyclictest >/dev/null; then
	skip "cyclictest with gapp on and off" "no cyclictest: scripts/setup rt"
	finish
	exit
fi
hand load 4 &
load=$!
for round in $(seq $ROUNDS); do
	measure off
	measure_with on -p $load
	measure_with all -a
done
end $load
for state in off on all; do
	same "cyclictest ends well in all rounds, gapp $state" "$(wc -l <"$tmp/$state")" $ROUNDS
	echo "# gapp $state, medians of $ROUNDS rounds: average $(column $state 2) us, most $(column $state 3) us late"
done
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC3043 # busybox has local
# In the guest: one instruction ends the waits for many words, so that each of them could be watched for a
# small part of the time only. A breakpoint on the instruction tells of most ends.
# has CPUs: 8
# brings: /usr/lib/x86_64-linux-gnu/libcapstone.so.4 build/workloads
set -u
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

program=$here/../../build/workloads/many_flags
library=/usr/lib/x86_64-linux-gnu/libcapstone.so.4
WAITERS=6 ROUNDS=150 WORK_US=20000
# If words took turns of a tenth of a second, of which two thirds are watched: a ninth of the ends.
SEEN_PERCENT=45
# The first one ends three quarters of the waits.
LEAST_FIRST=70 MOST_FIRST=80

# ended THREAD: how many waits for flags were ended by it; null: by nobody who was seen
ended()
{
	grep '^{"reason": "spin", .*"name": "flags' "$tmp/said" |
		grep -o "\"thread\": $1, [^}]*\"waits\": [0-9]*" | sed 's/.*: //' |
		awk '{ sum += $1 } END { print sum + 0 }'
}

if [ ! -e $library ]; then
	skip "stores" "no $library"
	finish
	exit
fi
# so the loops are known from the begin
same "stores: loops of the program" "$(gapp-read spins "$program" 2>&1 | grep -c '^ *wait_for_')" 3
gapp-read --level trace --view wait-objects -o "$tmp/x.json" -o "$tmp/x.txt" \
	-- "$program" $WAITERS $ROUNDS $WORK_US >"$tmp/out" 2>"$tmp/err"
same "stores: the exit status" $? 0
sed 's/^/# /' "$tmp/x.txt"
tr -d '\n' <"$tmp/x.json" | sed 's/{"reason"/\n&/g' >"$tmp/said"
first=$(ended '"leader-0"') second=$(ended '"leader-1"') nobody=$(ended null)
seen=$((first + second)) all=$((first + second + nobody))
echo "# ended by the first one: $first, by the second one: $second, not seen: $nobody; the program says $(cat "$tmp/out")"
check "stores: threads waited for the flags" "$all times" [ $all -gt $((WAITERS * ROUNDS / 2)) ]
check "stores: of most waits it is seen who ended them" "$seen of $all" [ $((100 * seen)) -ge $((SEEN_PERCENT * all)) ]
check "stores: and how many each has ended" "$first of $seen, of all three quarters" \
	[ $((100 * first)) -ge $((LEAST_FIRST * seen)) -a $((100 * first)) -le $((MOST_FIRST * seen)) ]
check "stores: the function and the line are right" "$(cat "$tmp/said")" sh -c \
	"! grep '\"name\": \"flags' '$tmp/said' | grep -o '\"enders\": [^]]*' | grep -o '\"function\": \"[a-z_]*\"' | grep -qv raise_flags"
finish

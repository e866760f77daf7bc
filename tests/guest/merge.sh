#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC3043 # busybox has local
# In the guest: two recordings of two programs at overlapping time, merged, show who ran where as one
# recording of both does, interval by interval.
# counts instructions
set -u
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

# Sessions read the clock one after the other at each switch. The guest counts instructions: elsewhere its CPU
# may itself lose its CPU between the two, for milliseconds.
APART_NS=$((20000 * slow))

# Begins and ends of a table's rows from $3 to $4, by CLOCK_MONOTONIC: CPU, thread, state, time, 1 or -1 of
# table $5.
edges() # TABLE START_NS FROM TO NAME
{
	awk -F, -v start="$2" -v from="$3" -v to="$4" -v name="$5" 'NR > 1 {
		begin = $2 + start; end = $3 + start
		if (begin < from) begin = from
		if (end > to) end = to
		if (begin >= end) next
		printf "%s %s %s %.0f 1 %s\n%s %s %s %.0f -1 %s\n", $1, $5, $8, begin, name, $1, $5, $8, end, name
	}' "$1"
}

figure() # NAME KEY: of a recording
{
	gapp-read report --format json "$tmp/$1.data" | sed -n "s/^\t\"$2\": \([0-9]*\).*/\1/p"
}

# Of the sorted edges of two tables: nanoseconds in one, in the other, in one of them alone, and the longest
# stretch of time in which only one has a thread on a CPU.
compared()
{
	awk -v first="$1" '
	{
		key = $1 " " $2 " " $3
		if (key == last && one + other == 1) {
			alone += $4 - at
			stretch = $4 - since
			if (stretch > longest) longest = stretch
		}
		if (key == last && one) sum_one += $4 - at
		if (key == last && other) sum_other += $4 - at
		if (key != last) one = other = 0
		was = one + other == 1
		if ($6 == first) one += $5; else other += $5
		if (!was || one + other != 1) since = $4
		at = $4
		last = key
	}
	END { printf "%.0f %.0f %.0f %.0f\n", sum_one, sum_other, alone, longest }'
}

record() # NAME PIDS
{
	gapp-read -q --level trace --records -p "$2" -o "$tmp/$1.data" >"$tmp/$1.txt" 2>"$tmp/$1.err" </dev/null &
}

two_programs_on_one_axis()
{
	local one two readers from to
	serial_broadcast 3 100000 >/dev/null &
	one=$!
	barrier 2 100000 >/dev/null &
	two=$!
	record a $one
	readers=$!
	sleep 0.3
	record both $one,$two
	readers="$readers $!"
	record b $two
	readers="$readers $!"
	sessions_are 3 "three sessions at once"
	sleep 1
	# shellcheck disable=SC2086 # several
	kill -INT $readers
	# shellcheck disable=SC2086
	wait $readers
	end $one $two
	gapp-read merge "$tmp/a.data" "$tmp/b.data" -o "$tmp/m.data" 2>"$tmp/m.err"
	same "merge: its exit status" $? 0
	same "merge: nothing to complain about" "$(cat "$tmp/m.err")" ""
	for name in a b both m; do
		gapp-read export -o "$tmp/$name.cores.csv" "$tmp/$name.data" 2>"$tmp/$name.err"
	done
	from=0 to=9999999999999999
	for name in a b both; do
		[ "$(figure $name start_ns)" -lt "$from" ] || from=$(figure $name start_ns)
		[ "$(figure $name stop_ns)" -gt "$to" ] || to=$(figure $name stop_ns)
	done
	for name in both m; do
		edges "$tmp/$name.cores.csv" "$(figure $name start_ns)" "$from" "$to" $name
	done | sort -k1,1n -k2,2n -k3,3 -k4,4n -k5,5n >"$tmp/edges"
	# shellcheck disable=SC2046 # four figures
	set -- $(compared both <"$tmp/edges")
	echo "# in $(((to - from) / 1000000)) ms, of $(wc -l <"$tmp/edges") edges: $1 ns on CPUs in one recording," \
		"$2 in the merged one, $3 in one of them alone, at most $4 in a row"
	check "merge: both programs ran for long" "$1 ns" [ "$1" -gt $(((to - from) / 2)) ]
	check "merge: who ran where is as one recording of both has it" "$4 ns in a row" [ "$4" -lt $APART_NS ]
	check "merge: in sum, too" "$3 of $1 ns" [ "$3" -lt $(($1 / 100)) ]
	# at both ends of the common time one of a few threads may be on a CPU by the clock of one session only
	set -- "$(grep -c ' 1 both$' "$tmp/edges")" "$(grep -c ' 1 m$' "$tmp/edges")"
	echo "# $1 intervals in one recording, $2 in the merged one"
	check "merge: interval by interval" "$1 and $2" [ $((($1 - $2) * ($1 - $2))) -le 64 ]
	gapp-read report "$tmp/m.data" >"$tmp/m.txt" 2>&1
	check "merge: the report is of two targets" "$(head -n 5 "$tmp/m.txt")" grep -q "Targets  *2" "$tmp/m.txt"
	sed 's/^/# /' "$tmp/m.txt"
	gapp-read merge "$tmp/a.data" "$tmp/both.data" -o "$tmp/x.data" 2>"$tmp/x.err"
	same "merge: a process that is in both is refused" $? 125
	check "merge: and named" "$(cat "$tmp/x.err")" grep -q "recorded process $one " "$tmp/x.err"
}

two_programs_on_one_axis
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC3043 # busybox has local
# In the guest: parallel regions of programs of OpenMP, of gcc with libgomp and of clang with libomp. Their critical
# time is what the programs measure themselves, within TOLERANCE per cent, and MORE seconds: samples are some
# milliseconds apart in an emulated guest, and each end of a region is between two of them.
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"
# brings: build/omp

# what the shell complains of is to be seen
exec 2>&1
programs=$(cd "$here/../../build/omp" && pwd)
TIMES=4 TOLERANCE=5 MORE=0.040
# so that threads without work sleep, however many CPUs there are
export OMP_WAIT_POLICY=passive GOMP_SPINCOUNT=0 KMP_BLOCKTIME=0

# Critical time in run queues, where the host left this guest without a CPU: it is in no region.
queued() # REPORT
{
	sed -n 's/.*"runq_s": \([0-9.]*\), *"unknown": {.*/\1/p' "$1"
}

# near NUMBER LEAST MOST QUEUED
near()
{
	awk -v n="$1" -v least="$2" -v most="$3" -v queued="$4" -v tolerance=$TOLERANCE -v more=$MORE \
		'BEGIN { exit !(n != "" && n >= least * (1 - tolerance / 100) - more - queued &&
			n <= most * (1 + tolerance / 100) + more) }'
}

# like KIND NAME WHAT NUMBER WHY: as the program measured it
like()
{
	local least most
	least=$(measured "$1" "$2" 3)
	most=$(measured "$1" "$2" 4)
	check "$1: $2 $3 $least to $most s" "$4 s: $5" near "$4" "$least" "$most" \
		"$(queued "$tmp/$1.json")"
}

# Of the row of a region in a JSON report.
row() # REPORT FUNCTION
{
	grep "^  {\"function\": \"$2\", \"outlined\": " "$1" | head -n 1
}

# Of what is outside, by name.
outside() # REPORT NAME
{
	sed -n "s/.*\"$2\": {\(\"critical_s\": .*\)/\1/p" "$1" | head -n 1
}

figure() # ROW NAME
{
	echo "$1" | sed "s/\"functions\": .*//; s/.*\"$2\": \([0-9.]*\).*/\1/"
}

# The critical time of all rows, and of the whole recording: they are one.
add_up() # KIND
{
	local report=$tmp/$1.json sum total
	sum=$(list "$report" parallel_regions | sed -n 's/^  {.*"line": [0-9nul]*, "critical_s": \([0-9.]*\).*/\1/p'
		for name in sequential runtime other_processes unknown; do
			figure "$(outside "$report" $name)" critical_s
		done
		queued "$report")
	sum=$(echo "$sum" | awk '{ sum += $1 } END { printf "%.6f", sum }')
	total=$(field "$report" critical_s | awk '{ printf "%.6f", $1 }')
	check "$1: the rows add up to the critical time of the run, $total s" "$sum s" between "$sum" \
		"$(awk "BEGIN { printf \"%.6f\", $total - 0.000002 }")" "$(awk "BEGIN { printf \"%.6f\", $total + 0.000002 }")"
}

# What the sequential part has besides how programs begin and end.
sequential() # REPORT
{
	sed -n '/"sequential": {/,/\]}/p' "$1" |
		sed -n 's/^   {"function": \("sequential"\|"work"\|"now"\|null\), "module": "regions-.*"critical_s": \([0-9.]*\)}.*/\2/p' |
		awk '{ sum += $1 } END { printf "%.6f", sum }'
}

measured() # KIND NAME COLUMN
{
	awk -v name="$2" -v column="$3" '$1 == name { print $column; exit }' "$tmp/$1.out"
}

compare() # KIND
{
	local report=$tmp/$1.json name row line wanted
	for name in uneven at_barrier even asleep; do
		row=$(row "$report" $name)
		line=$(figure "$row" line)
		wanted=$(measured "$1" $name 2)
		# gcc's first instruction may be of a line or two behind the pragma
		check "$1: $name has its line, $wanted" "$line: $row" between "$line" "$wanted" "$(echo "$wanted" | awk '{ print $1 + 6 }')"
		[ $name = asleep ] || like "$1" $name "is critical for" "$(figure "$row" critical_s)" "$row"
	done
	like "$1" asleep "has nobody active for" "$(figure "$row" idle_s)" "$row"
}

one() # KIND
{
	local kind=$1 report=$tmp/$1.json
	gapp-read -o "$tmp/$kind.data" -o "$report" -o "$tmp/$kind.txt" --view sections -- \
		"$programs/regions-$kind" $TIMES >"$tmp/$kind.out" 2>"$tmp/$kind.err"
	same "$kind: the exit status" $? 0
	sed 's/^/# /' "$tmp/$kind.txt" "$tmp/$kind.out"
	add_up "$kind"
	like "$kind" sequential "works for" "$(sequential "$report")" ""
	[ "$kind" = gcc-stripped ] || compare "$kind"
	gapp-read report --view sections --format json "$tmp/$kind.data" >"$tmp/later.json" 2>"$tmp/later.err"
	same "$kind: the recording says so later" "$(list "$tmp/later.json" parallel_regions)" \
		"$(list "$report" parallel_regions)"
}

for kind in gcc gcc-O0 gcc-static gcc-stripped g++ clang clang-O0 clang++; do
	if [ -x "$programs/regions-$kind" ]; then
		one $kind
	else
		skip "$kind" "the host has no such compiler, or no libomp"
	fi
done
finish

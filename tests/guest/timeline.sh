#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC3043 # busybox has local
# In the guest: who ran where, of real recordings: a thread's rows add up to its run time, to the nanosecond, and no
# two rows of a CPU overlap.
# brings: /usr/lib/x86_64-linux-gnu/libcapstone.so.4 build/workloads
set -u
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

programs=$here/../../build/workloads

# trace NAME COMMAND…: records every slice, as a report and as a table of who ran where
trace()
{
	local name=$1
	shift
	gapp-read --level trace -o "$tmp/$name.data" -o "$tmp/$name.json" -o "$tmp/$name.cores.csv" -- "$@" \
		>"$tmp/$name.out" 2>"$tmp/$name.err"
	same "$name: the exit status" $? 0
	gapp-read export -o "$tmp/$name.later.cores.csv" "$tmp/$name.data"
	check "$name: the table is the same later" "$(tail -n 1 "$tmp/$name.err")" \
		cmp -s "$tmp/$name.cores.csv" "$tmp/$name.later.cores.csv"
}

# run_times NAME: threads of the report that ran, with their run times in nanoseconds (busybox's awk reads digits
# behind a 0 as octal)
run_times()
{
	sed -n 's/^\t\t{"tid": \([0-9]*\), .*"run_s": \([0-9]*\)\.\([0-9]*\), "runq_s".*/\1 \2\3/p' "$tmp/$1.json" |
		sed 's/ 0*\([0-9]\)/ \1/; / 0$/d' | sort
}

# sums NAME: the same of the table
sums()
{
	awk -F, 'NR > 1 { ns[$5] += $3 - $2 } END { for (tid in ns) printf "%d %.0f\n", tid, ns[tid] }' \
		"$tmp/$1.cores.csv" | sort
}

# overlaps NAME: rows of a CPU that begin before the one before them has ended
overlaps()
{
	awk -F, 'NR > 1 { if ($2 < end[$1] || $3 <= $2) print; end[$1] = $3 }' "$tmp/$1.cores.csv"
}

# adds_up NAME
adds_up()
{
	local rows
	rows=$(tail -n +2 "$tmp/$1.cores.csv" | wc -l)
	check "$1: there are rows ($rows)" "$(cat "$tmp/$1.err")" [ "$rows" -gt 10 ]
	same "$1: rows of each thread add up to its run time" "$(sums "$1")" "$(run_times "$1")"
	same "$1: no two rows of a CPU overlap" "$(overlaps "$1")" ""
}

gapp-read --level trace -o "$tmp/page.data" -o "$tmp/page.html" -- "$programs/pipeline" 4 50 >"$tmp/page.out" 2>"$tmp/page.err"
same "the page: the exit status" $? 0
check "the page: it has a timeline, and who woke whom" "$(cat "$tmp/page.err")" \
	sh -c "grep -q '^\"wakes\":\[[0-9]' $tmp/page.html && grep -q '^\"cpu_rows\":\[\[[0-9]' $tmp/page.html"
trace pipeline "$programs/pipeline" 4 200
adds_up pipeline
trace barrier "$programs/barrier" 4 50
adds_up barrier
if [ ! -e /usr/lib/x86_64-linux-gnu/libcapstone.so.4 ]; then
	skip "spinning" "no libcapstone"
else
	mkdir -p /var/cache
	gapp-read spins "$programs/lu" >/dev/null 2>&1
	OMP_NUM_THREADS=2 trace spinning "$programs/lu" 120 60
	same "spinning: no two rows of a CPU overlap" "$(overlaps spinning)" ""
	check "spinning: there are rows of threads that spun" "$(head -n 5 "$tmp/spinning.cores.csv")" \
		grep -q ',spun,' "$tmp/spinning.cores.csv"
	spun=$(awk -F, '$8 == "spun" { ns += $3 - $2 } END { printf "%.9f", ns / 1e9 }' "$tmp/spinning.cores.csv")
	# while a thread that is not recorded had their CPU, the report says that they did not spin
	said=$(field "$tmp/spinning.json" spun_s)
	check "spinning: they spun for as long as the report says, within 10 % ($spun s)" "$said" \
		awk "BEGIN { exit !($spun > 0.9 * $said && $spun < 1.1 * $said) }"
fi
finish

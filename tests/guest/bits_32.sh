#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC3043 # busybox has local
# A program of 32 bits on a kernel of 64: times and threads are as of any other, and its call paths are refused
# in one sentence. The oracle (oracle-32) has more on its figures.
# brings: build/workloads build/workloads-32
set -u
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

built=$here/../../build
SENTENCE="code of 32 bits has no call paths: build it for 64 bits to see its places"

# record NAME OPTION…: of $program, reports as text and JSON; the reader has nothing to complain about
record()
{
	local name=$1
	shift
	# shellcheck disable=SC2086 # words
	gapp-read -q "$@" -o "$tmp/said.txt" -o "$tmp/said.json" -o "$tmp/said.data" -- $program \
		>"$tmp/out" 2>"$tmp/err"
	same "$name: the exit status" $? 0
	same "$name: what the reader says" "$(cat "$tmp/err")" ""
	sed 's/^/# /' "$tmp/said.txt"
}

# What of the run's time is known must be all of it, whatever the program's code is.
figures()
{
	same "$1: the recount agrees" "$(grep -c '"n_recount_ok": true' "$tmp/said.json")" 1
	check "$1: all time is accounted for" "$(grep accounted "$tmp/said.json")" \
		grep -Eq '"accounted_percent": (100|99\.9)' "$tmp/said.json"
	check "$1: four threads and their parent" "$(grep threads_total "$tmp/said.json")" \
		grep -q '"threads_total": 5,' "$tmp/said.json"
}

program="$built/workloads-32/barrier 4 60"
for by in auto fp table copy; do
	record "32 bits, $by" --call-graph $by
	figures "32 bits, $by"
	same "32 bits, $by: the sentence, once" "$(grep -c "$SENTENCE" "$tmp/said.txt")" 1
	same "32 bits, $by: so says the JSON" "$(grep -c '"code_of_32_bits": true' "$tmp/said.json")" 1
	# one of them, or if none has much more than the others, all four; the sentence may break anywhere
	tr '\n' ' ' <"$tmp/said.txt" >"$tmp/line"
	check "32 bits, $by: a thread is named, for there is no place" "see above" \
		grep -Eq '; (thread barrier \([0-9]*\) has|4 threads barrier have) ' "$tmp/line"
	same "32 bits, $by: no system call is told" "$(grep -c '"futex"' "$tmp/said.json")" 0
done
gapp-read report "$tmp/said.data" >"$tmp/again.txt" 2>&1
same "a recording says it, too" "$(grep -c "$SENTENCE" "$tmp/again.txt")" 1

record "32 bits without call paths" --call-graph none
same "32 bits without call paths: nothing is refused" "$(grep -c "$SENTENCE" "$tmp/said.txt")" 0

program="$built/workloads/barrier 4 60"
record "64 bits"
figures "64 bits"
same "64 bits: no such sentence" "$(grep -c "$SENTENCE" "$tmp/said.txt")" 0

cat >"$tmp/both" <<END
$built/workloads-32/barrier 4 60
$built/workloads/barrier 4 60
END
program="sh $tmp/both"
record "both"
same "both: the sentence, once" "$(grep -c "$SENTENCE" "$tmp/said.txt")" 1
check "both: the other program has its places" "see above" grep -q 'barrier.c' "$tmp/said.txt"
finish

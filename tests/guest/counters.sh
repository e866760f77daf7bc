#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC3043 # busybox has local
# In a guest with two NUMA nodes: --counters of a program whose page faults are known; then, with the
# module built with GAPP_FAULTS=1, counters of a processor that counts nanoseconds, and as loads from another
# node's memory a quarter of them on node 0, and half of them on node 1.
# has nodes: 2
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

faults_ko=$tests/faults-$GAPP_GUEST.ko
BYTES=1048576 PAGES=256 TIMES=20

# Touches so many pages, each time anew, on one node after the other: child processes of the shell.
# shellcheck disable=SC2016 # for the inner shell
program='i=0; while [ $i -lt '$TIMES' ]; do
	taskset $((1 << (i % 2))) dd if=/dev/zero of=/dev/null bs='$BYTES' count=1 2>/dev/null; i=$((i + 1)); done'

# counted REPORT NAME MEMBER: of a counter in a JSON report
counted()
{
	sed -n "s/^  {\"name\": \"$2\", .*\"$3\": \([^,}]*\).*/\1/p" "$1" | head -n 1
}

# on_node REPORT NODE MEMBER
on_node()
{
	sed -n "s/^  {\"node\": $2, .*\"$3\": \([^,}]*\).*/\1/p" "$1" | head -n 1
}

# by_threads REPORT NAME: the sum over threads
by_threads()
{
	sed -n "s/^  {\"tid\": .*\"counts\": {.*\"$2\": \([0-9]*\).*/\1/p" "$1" |
		awk '{ sum += $1 } END { printf "%d", sum }'
}

run() # REPORT LIST
{
	gapp-read -q --counters "$2" -o "$1.data" --format json -o "$1" -- sh -c "$program" \
		>"$tmp/out" 2>"$tmp/err"
	same "$2: the exit status" $? 0
	gapp-read report --view counters "$1.data" >"$1.txt" 2>>"$tmp/err"
	sed 's/^/# /' "$1.txt"
}

same "there are two nodes" "$(cat /sys/devices/system/node/online)" 0-1
report=$tmp/faults.json
run "$report" faults,migrations
same "faults: the reader says nothing" "$(cat "$tmp/err")" ""
check "faults: each page that was touched is one" "$(counted "$report" faults count)" \
	[ "$(counted "$report" faults count)" -ge $((PAGES * TIMES)) ]
check "migrations: some dd were sent to another CPU" "$(counted "$report" migrations count)" \
	[ "$(counted "$report" migrations count)" -ge 1 ]
for name in faults migrations; do
	same "$name: nothing is missing" "$(counted "$report" $name complete)" true
	same "$name: threads add up" "$(by_threads "$report" $name)" "$(counted "$report" $name count)"
	same "$name: nodes add up" "$(($(on_node "$report" 0 $name) + $(on_node "$report" 1 $name)))" \
		"$(counted "$report" $name count)"
done
for node in 0 1; do
	check "faults: those of node $node are there" "$(on_node "$report" $node faults)" \
		[ "$(on_node "$report" $node faults)" -ge $((PAGES * TIMES / 2)) ]
done

report=$tmp/refused.json
run "$report" all
if [ "$(counted "$report" instructions not_counted_why)" = null ]; then
	skip "a counter that the machine has not" "this processor counts instructions"
else
	same "a counter that the machine has not has no figure" "$(counted "$report" instructions count)" null
	check "and the reader says so" "$(cat "$tmp/err")" grep -q "instructions" "$tmp/err"
	check "and the view" "$(cat "$report.txt")" grep -q "not counted: instructions" "$report.txt"
fi
check "the others are counted" "$(counted "$report" faults count)" [ "$(counted "$report" faults count)" -gt 0 ]

if [ ! -e "$faults_ko" ]; then
	skip "counters of a processor" "no $faults_ko: run tests/faults/run KERNEL tests/guest/counters.sh"
	finish
	exit
fi
rmmod gapp
load "$faults_ko" fault=count_nanoseconds
report=$tmp/processor.json
run "$report" instructions,local-memory,remote-memory
same "a processor: the reader says nothing" "$(cat "$tmp/err")" ""
for name in instructions local-memory remote-memory; do
	same "a processor: nothing is missing of $name" "$(counted "$report" $name complete)" true
	same "a processor: threads add up, $name" "$(by_threads "$report" $name)" "$(counted "$report" $name count)"
done
check "a processor: node 0 has three quarters of its loads from its own memory" \
	"$(on_node "$report" 0 local_percent)" between "$(on_node "$report" 0 local_percent)" 74.9 75.1
check "a processor: node 1 has half of them" \
	"$(on_node "$report" 1 local_percent)" between "$(on_node "$report" 1 local_percent)" 49.9 50.1
check "a processor: as many nanoseconds as threads ran" \
	"$(counted "$report" instructions per_second_on_cpus) a second" \
	between "$(counted "$report" instructions per_second_on_cpus)" 900000000 1100000000
finish

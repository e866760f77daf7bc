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

# of_steps TABLE NODE COLUMN FROM TO: the sum over the steps of a .counters.csv that end between the two, seconds
of_steps()
{
	awk -F, -v node="$2" -v column="$3" -v from="$4" -v to="$5" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i }
		NR > 1 && $3 == node && $2 > from * 1e9 && $2 <= to * 1e9 { sum += $at }
		END { printf "%d", sum }' "$1"
}

# add_up NAME REPORT TABLE COUNTER: steps add up to what the report has in all and of both nodes
add_up()
{
	same "$1: steps of $4 add up" "$(of_steps "$3" all "$4" -1 9999)" "$(counted "$2" "$4" count)"
	for node in 0 1; do
		same "$1: steps of $4 on node $node add up" "$(of_steps "$3" $node "$4" -1 9999)" \
			"$(on_node "$2" $node "$4")"
	done
}

run() # REPORT LIST
{
	gapp-read -q --counters "$2" -o "$1.data" --format json -o "$1" -o "$1.counters.csv" -- sh -c "$program" \
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

for name in faults migrations; do
	add_up "over time" "$report" "$report.counters.csv" $name
done

# beside_places REPORT COUNTER: over all places, what was counted there: rate and time multiplied
beside_places()
{
	sed -n "s/^\t\t{\"rank\": .*\"gain_bound_s\": .*\"counters\": {\"counted_s\": \([0-9.]*\), \"per_critical_second\": {.*\"$2\": \([0-9.]*\).*/\1 \2/p" "$1" |
		awk '{ sum += $1 * $2 } END { printf "%d", sum }'
}

# Where each slice has a record, and one thread runs at a time, all that was counted is beside a place.
report=$tmp/places.json
gapp-read -q --counters faults,migrations --level trace -o "$report.data" -o "$report" -- sh -c "$program" \
	>"$tmp/out" 2>"$tmp/err"
same "beside places: the exit status" $? 0
all=$(counted "$report" faults count) there=$(beside_places "$report" faults)
check "beside places: they have the faults" "$there of $all" between "$there" $((all * 8 / 10)) $((all * 11 / 10))
gapp-read report "$report.data" >"$report.txt"
sed -n 's/^ *each critical second: /# &/p' "$report.txt"
check "beside places: the report has them, too" "$(head -n 40 "$report.txt")" \
	grep -q '^    each critical second: faults [0-9.]*[kM]*, migrations [0-9.]*$' "$report.txt"
gapp-read report --format json "$report.data" >"$report.later"
same "beside places: a later report says the same" "$(beside_places "$report.later" faults)" "$there"

# The same after a second in which the shell sleeps.
report=$tmp/later.json
gapp-read -q --counters faults,migrations -o "$report.data" -o "$report" -o "$report.counters.csv" -- \
	sh -c "sleep 1; $program" >"$tmp/out" 2>"$tmp/err"
same "later: the exit status" $? 0
steps=$(grep -c ',all,' "$report.counters.csv")
check "later: there are about ten steps a second" "$steps" [ "$steps" -ge 8 ]
add_up later "$report" "$report.counters.csv" faults
early=$(of_steps "$report.counters.csv" all faults -1 0.95) late=$(of_steps "$report.counters.csv" all faults 0.95 9999)
check "later: hardly any fault comes in the first second" "$early early, $late late" [ "$early" -lt $((late / 5)) ]
check "later: the pages that were touched come behind it" "$early early, $late late" [ "$late" -ge $((PAGES * TIMES)) ]
gapp-read export -o "$report.later.counters.csv" "$report.data"
check "later: an export of the recording says the same" "" cmp -s "$report.counters.csv" "$report.later.counters.csv"

gapp-read -q -a -d 1 --counters faults -o "$tmp/all.data" -o "$tmp/all.json" -o "$tmp/all.counters.csv" \
	>"$tmp/out" 2>"$tmp/err" &
recording=$!
sh -c "$program"
wait $recording
same "the whole machine: the exit status" $? 0
check "the whole machine: faults of programs that nobody named" "$(counted "$tmp/all.json" faults count)" \
	[ "$(counted "$tmp/all.json" faults count)" -ge $PAGES ]
add_up "the whole machine" "$tmp/all.json" "$tmp/all.counters.csv" faults

gapp-read top -a -d 2 -i 0.5 --counters faults,cycles >"$tmp/top" 2>"$tmp/err" &
recording=$!
sh -c "$program"
wait $recording
same "top: the exit status" $? 0
sed -n 's/^Counters /# &/p' "$tmp/top"
looks=$(grep -c '^Counters     faults .*, now .*/s; node 0: .*; node 1: ' "$tmp/top")
check "top: running totals of both nodes" "$looks looks" [ "$looks" -ge 3 ]
same "top: totals never become less" "$(sed -n 's/^Counters     faults \([0-9]*\),.*/\1/p' "$tmp/top" | sort -nc 2>&1)" ""
if grep -q '^ *cycles ' "$tmp/top"; then
	skip "top says what is not counted" "this processor counts cycles"
else
	check "top says what is not counted" "$(tail -n 30 "$tmp/top")" grep -q 'not counted: cycles (' "$tmp/top"
fi

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
for name in instructions local-memory remote-memory; do
	add_up "a processor" "$report" "$report.counters.csv" $name
done
# of steps with few loads one more or less is much
of_node()
{
	awk -F, -v node="$1" -v least="$2" -v most="$3" 'NR > 1 && $3 == node && $5 + $6 > 1e6 {
			steps++; if ($7 < least || $7 > most) off++ }
		END { printf "%d steps, %d off", steps, off; exit !(steps && !off) }' "$report.counters.csv"
}
check "a processor: three quarters are local on node 0 at all times" "$(of_node 0 74.5 75.5)" eval 'of_node 0 74.5 75.5 >/dev/null'
check "a processor: half of them are on node 1 at all times" "$(of_node 1 49.5 50.5)" eval 'of_node 1 49.5 50.5 >/dev/null'
finish

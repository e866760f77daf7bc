#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In the guest: a program that is parallel but for half a second every few seconds. With --keep a condition
# dumps just then, the first place of that window is the code of the bad phase, and memory does not grow;
# gapp-read ctl by the same user and by others.
# brings: build/workloads/bad_phase
# shellcheck shell=dash disable=SC3043 # busybox has local
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

program=$here/../../build/workloads/bad_phase
culprit=rebuild_index
period_ms=$((3000 * slow)) bad_ms=$((500 * slow))
cd "$tmp" || exit 1

# json FILE REPORT
json()
{
	gapp-read report --format json "$1" >"$2" 2>"$2.err"
}

# window REPORT NAME
window()
{
	field "$1" window | sed -n "s/.*\"$2\": \([^,}]*\).*/\1/p"
}

# The function of the first place.
first_place()
{
	list "$1" places | sed -n 's/^\t\t{"rank": 1, .*"gain_bound_s": [^,]*, "function": "\([^"]*\)".*/\1/p'
}

# The bad phases are lines "BEGIN END" of the program, in seconds of CLOCK_MONOTONIC.
# whole REPORT: a bad phase lies in the window, and its end is not long before the window's
whole()
{
	local start end
	start=$(field "$1" start_ns) end=$(field "$1" stop_ns)
	awk -v from="$start" -v to="$end" -v bad="$bad_ms" '
		/^[0-9.]+ [0-9.]+$/ && $1 * 1e9 >= from && $2 * 1e9 <= to && to - $2 * 1e9 < bad * 1e6 { found = 1 }
		END { exit !found }' phases
}

# checks NAME FILE: what must hold of every window
checks()
{
	json "$2" report.json
	check "$1: shares + idle are its run time" "$(field report.json accounted_percent)" \
		between "$(field report.json accounted_percent)" 99 101
	check "$1: its span is its run time" "$(field report.json window), $(field report.json wall_s)" \
		between "$(awk -v a="$(window report.json end_s)" -v b="$(window report.json begin_s)" \
			-v c="$(field report.json wall_s)" 'BEGIN { print a - b - c }')" -0.001 0.001
	# all of it has a call path, but the part in which threads waited for a CPU
	check "$1: its critical time is on call paths" "$(grep unattributed_s report.json)" \
		between "$(awk -v a="$(list report.json places | grep -o '"rank": [^,]*, "kind": "ran", "critical_s": [0-9.]*' |
			awk '{ sum += $NF } END { print sum + 0 }')" -v b="$(field report.json critical_s)" \
			'BEGIN { print b ? a / b : 0 }')" 0.8 1.01
}

memory_of() # PID
{
	sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$1/status"
}

# Each bad phase but those too close behind one another makes a dump.
conditions()
{
	local reader workers early
	"$program" 4 $((40 * slow)) $period_ms $bad_ms >phases &
	workers=$!
	sleep 1
	gapp-read --keep $((5 * slow))s,1M --when "parallelism < 2 for $((100 * slow))ms" -o x.data -p $workers \
		>out 2>err </dev/null &
	reader=$!
	wait_until test -e x.data.1
	json x.data.1 1.json
	same "the condition's dump says so" "$(window 1.json cause)" "\"parallelism < 2 for $((100 * slow))ms\""
	check "the bad phase lies whole in its window" "$(cat phases) $(field 1.json window)" whole 1.json
	same "the first place is the bad phase's code" "$(first_place 1.json)" $culprit
	checks "by condition" x.data.1
	gapp-read ctl status >told 2>&1
	check "ctl status" "$(cat told)" grep -q "^process   $reader\$" told
	early=$(memory_of $reader)
	same "ctl dump prints the file" "$(gapp-read ctl dump 2>&1)" "$tmp/$(echo x.data.*[0-9] | sed 's/.* //')"
	check "ctl dump says so" "$(cat out)" grep -q "; dump [0-9]*: gapp-read ctl dump" out
	checks "by ctl" "$(echo x.data.*[0-9] | sed 's/.* //')"
	kill -USR2 $reader
	wait_until grep -q "; dump [0-9]*: SIGUSR2" out
	check "SIGUSR2 makes a dump" "$(cat err)" grep -q "; dump [0-9]*: SIGUSR2" out
	wait $workers
	wait $reader
	same "the end of the target ends it" $? 0
	checks "at the end" x.data
	check "more than one bad phase was dumped" "$(grep Window out)" \
		[ "$(grep -c "; dump [0-9]*: parallelism" out)" -ge 2 ]
	check "nothing else on standard error" "$(cat err)" sh -c "! grep -v '^gapp: dump [0-9]*: x.data' err"
	check "the socket is gone" "$(ls /run/gapp)" [ -z "$(ls /run/gapp)" ]
	echo "# memory $early KiB after the first dump"
}

# A program of many switches, with little room: memory stays, and the report says that it was too little.
bounded()
{
	local reader workers first second all queued known
	"$program" 8 $((30 * slow)) 4 1 >/dev/null &
	workers=$!
	gapp-read -q --keep 60s,1M --min-critical 0 --level trace --no-save -o room.json -o room.txt -p $workers \
		>out 2>err </dev/null &
	reader=$!
	sleep $((8 * slow))
	first=$(memory_of $reader)
	sleep $((14 * slow))
	second=$(memory_of $reader)
	gapp-read ctl status >told 2>&1
	check "records take 1 MiB at most" "$(cat told)" grep -q ", 1.0 of at most 1.0 MiB" told
	check "memory does not grow ($first, then $second KiB)" "by $((second - first))" \
		[ $((second - first)) -lt 2048 ]
	kill -INT $reader
	wait $reader
	check "what has no room is told" "$(cat err)" grep -q "^gapp: --keep: 1 MiB have room" err
	check "the head says so" "$(grep Window room.txt)" grep -q "memory had no room for more" room.txt
	# of time before the first record figures would have what no place has
	all=$(sed -n 's/^.*"critical_s": \([0-9.]*\),$/\1/p' room.json | head -n 1)
	queued=$(sed -n 's/^.*"run_queue": \([0-9.]*\),.*/\1/p' room.json)
	known=$(sed -n '/"places": \[/,/"paths": \[/s/.*"kind": "ran", "critical_s": \([0-9.]*\),.*/\1/p' room.json |
		awk -v queued="$queued" '{ sum += $1 } END { print sum + queued }')
	check "it begins with the records: places and run queues have $known of $all critical seconds" "$(grep Window room.txt)" \
		awk -v all="$all" -v known="$known" 'BEGIN { exit !(all > 0 && known >= 0.9 * all) }'
	end $workers
}

as_user()
{
	su user -c "XDG_RUNTIME_DIR= $*"
}

# Who may talk to whom.
others()
{
	local reader target
	sleep 1000 &
	target=$!
	gapp-read --keep 1s -s "$tmp/open" --no-save -p $target >/dev/null 2>err </dev/null &
	reader=$!
	wait_until test -S "$tmp/open"
	same "the socket's mode" "$(stat -c %a "$tmp/open")" 600
	chmod 755 "$tmp"
	as_user gapp-read ctl stop -s "$tmp/open" >out 2>&1
	same "another user is refused by the socket's mode" "$?" 125
	check "it says why" "$(cat out)" grep -q "another user's" out
	chmod 666 "$tmp/open"
	as_user gapp-read ctl stop -s "$tmp/open" >out 2>&1
	same "and where the mode lets him, by his credentials" "$?" 125
	check "it says why" "$(cat out)" grep -q "only root and that user" out
	check "the recording goes on" "$(cat err)" kill -0 $reader
	same "root may" "$(gapp-read ctl stop -s "$tmp/open" >/dev/null 2>&1; echo $?)" 0
	wait $reader
	gapp-read --keep 1s --no-save -p $target >/dev/null 2>err </dev/null &
	reader=$!
	wait_until test -S /run/gapp/$reader
	same "root's folder" "$(stat -c %a /run/gapp)" 700
	as_user gapp-read ctl status $reader >out 2>&1
	same "another user does not find it" "$?" 125
	kill -KILL $reader
	wait $reader 2>/dev/null
	check "a killed one leaves its socket" "$(ls /run/gapp)" test -S /run/gapp/$reader
	gapp-read ctl status >out 2>&1
	check "which ctl does not take for one that listens" "$(cat out)" grep -q "^gapp: no gapp-read of [a-z']* can be told" out
	check "and removes" "$(ls /run/gapp)" [ ! -e /run/gapp/$reader ]
	end $target
}

# Nothing is recorded before start, and stop ends it.
start_and_stop()
{
	local reader
	gapp-read --wait-for-ctl -q -o y.data -- "$program" 2 $((6 * slow)) >/dev/null 2>err </dev/null &
	reader=$!
	wait_until test -S /run/gapp/$reader
	sleep 1
	check "it waits" "$(sessions)" [ "$(sessions | grep -c ' running ')" = 0 ]
	same "ctl start" "$(gapp-read ctl start 2>&1)" "it records"
	check "it records" "$(sessions)" running 1
	sleep 1
	same "ctl stop" "$(gapp-read ctl stop 2>&1)" "$tmp/y.data"
	wait $reader
	same "the command's status" $? 0
	json y.data y.json
	check "what was recorded" "$(field y.json wall_s)" between "$(field y.json wall_s)" 0.5 $((5 * slow))
}

conditions
bounded
others
start_and_stop
finish

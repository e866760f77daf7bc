#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC3043 # busybox has local
# In the guest: from records to rows, whatever the targets are and however they come and go.
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

# Seven workers wait while main computes, so often.
rounds=20
[ $slow = 1 ] || rounds=10

first_path() # REPORT
{
	sed -n 's/^\t\t{"rank": 1, \(.*\)$/\1/p' "$1"
}

# What all wait for is what main() has inlined.
names_main() # NAME REPORT
{
	local row
	row=$(first_path "$2")
	case $row in
	*'"kind": "ran"'*'"frames": [{"function": "burn", "module": "'*'"file": "'*'/tests/workloads/work.h"'*'{"function": "main", '*'serial_broadcast.c'*)
		ok "$1: the first row is burn() in main(), with file and line"
		;;
	*) not_ok "$1: the first row is burn() in main(), with file and line" "$row$(cat "$2.err")" ;;
	esac
}

targets_come_and_go()
{
	local early reader
	serial_broadcast 7 $((rounds * 20)) &
	early=$!
	gapp-read -q --format json -a >"$tmp/all" 2>"$tmp/all.err" </dev/null &
	reader=$!
	sessions_are 1 "-a"
	serial_broadcast 7 $rounds
	serial_broadcast 7 $rounds
	kill -TERM $reader
	wait $reader
	healthy "-a" "$tmp/all"
	names_main "-a" "$tmp/all"
	same "-a: each process is a target, also those that came and went" \
		"$(list "$tmp/all" targets | grep -c '"comm": "serial_broadcas"')" 3
	check "-a: what they did is named when they have gone" "$(first_path "$tmp/all")" \
		sh -c "[ \$(grep -c '\"rank\": .*\"function\": \"main\"' $tmp/all) -ge 2 ]"
	record "$tmp/one" -a --as-one -d $((1 * slow))
	healthy "-a --as-one" "$tmp/one"
	same "-a --as-one: one target" "$(list "$tmp/one" targets)" ""
	end $early
}

by_program()
{
	local program=$tmp/a-program early reader
	cp "$(which serial_broadcast)" "$program"
	"$program" 3 100000 &
	early=$!
	gapp-read -q --format json -x "$program" >"$tmp/exe" 2>"$tmp/exe.err" </dev/null &
	reader=$!
	sessions_are 1 "-x"
	serial_broadcast 3 2
	"$program" 3 2
	# its file goes, not it
	rm "$program"
	kill -TERM $reader
	wait $reader
	end $early
	healthy "-x" "$tmp/exe"
	names_main "-x, of a file that is deleted meanwhile" "$tmp/exe"
	same "-x: those of now and of later, and no others" \
		"$(sed -n 's/^\t\t{"tid": [0-9]*, "tgid": \([0-9]*\),.*/\1/p' "$tmp/exe" | sort -u | wc -l)" 2
}

one_exec_after_another()
{
	record "$tmp/execs" -- sh -c "serial_broadcast 3 $rounds; exec serial_broadcast 3 $rounds"
	healthy "programs one after the other" "$tmp/execs"
	names_main "programs one after the other" "$tmp/execs"
}

# It waits until the session has begun: that is gapp-read's doing, and nothing to report.
launched()
{
	record "$tmp/launched" -- spin 2 300
	healthy "a command" "$tmp/launched"
	same "a command's wait for its start is no row" \
		"$(list "$tmp/launched" paths | grep -c '"wait": "pipe"')" 0
	record "$tmp/all-of-it" -n 64 --min-critical 0 -F 5000 -- spin 1 50
	healthy "all of a command" "$tmp/all-of-it" short
	check "all of a command: nothing of gapp-read's is in it" "$(grep -o '.*launch.c.*' "$tmp/all-of-it")" \
		sh -c "! grep -q 'gapp-read\|launch\.c\|execvp' $tmp/all-of-it"
	same "all of a command: its first thread is there from the begin" \
		"$(list "$tmp/all-of-it" threads | grep -c '"comm": "spin".*"joined_s": 0\.000000000')" 1
	gapp-read script -q -- spin 1 50 >"$tmp/listing" 2>"$tmp/listing.err"
	check "records of a command begin at its exec" "$(head -n 3 "$tmp/listing")" \
		sh -c "grep -q ' slice ' $tmp/listing && ! grep -q 'gapp-read' $tmp/listing"
	# shellcheck disable=SC2016 # awk's own
	check "times in a listing count from there" "$(head -n 3 "$tmp/listing")" \
		awk 'NR == 1 { exit !($1 + 0 >= 0 && $1 + 0 < 30) }' "$tmp/listing"
}

by_everything()
{
	local by
	for by in path slice-end function line thread process; do
		record "$tmp/by-$by" --by $by -- serial_broadcast 3 2
		check "--by $by has rows" "$(cat "$tmp/by-$by.err")" [ -n "$(first_path "$tmp/by-$by")" ]
	done
}

without()
{
	record "$tmp/unsampled" -F 0 -- serial_broadcast 7 $rounds
	healthy "-F 0" "$tmp/unsampled"
	same "-F 0: no samples" "$(field "$tmp/unsampled" samples)" 0
	check "-F 0: rows are where slices ended" "$(first_path "$tmp/unsampled")" \
		sh -c "grep -q '\"rank\": 1, .*\"stack_top\": true' $tmp/unsampled"
	record "$tmp/stats" --level stats -- serial_broadcast 7 2
	healthy "--level stats" "$tmp/stats"
	same "--level stats: no rows" "$(first_path "$tmp/stats")" ""
	# main() wakes the others before its slice ends: then it was not quite alone, on average
	record "$tmp/average" --criterion average -n 2 -- serial_broadcast 7 $rounds
	healthy "--criterion average" "$tmp/average"
	names_main "--criterion average" "$tmp/average"
}

# Records of all CPUs, each no earlier than the one before.
in_order()
{
	gapp-read script -q --level trace -k -- serial_broadcast 7 $rounds >"$tmp/script" 2>"$tmp/script.err"
	same "script: in the order of time" \
		"$(awk '/^[0-9]/ { if ($1 + 0 < last) bad++; last = $1 + 0 } END { print bad + 0 }' "$tmp/script")" 0
	check "script: slices and wake-ups" "$(head -n 5 "$tmp/script" "$tmp/script.err")" \
		sh -c "grep -q ' slice ' $tmp/script && grep -q ' wake ' $tmp/script"
	check "script -k: frames in the kernel" "$(head -n 20 "$tmp/script")" \
		grep -q '\[kernel\]' "$tmp/script"
	serial_broadcast 7 100000 &
	timeout $((20 * slow)) sh -c "gapp-read script -q -d 600 -p $! | head -n 1 >/dev/null"
	check "script ends with the reader of its pipe" "it does not" [ $? != 143 ]
	end $!
}

# A recording with its records: what is printed of them later adds up to the report's critical time.
records_are_kept()
{
	local level critical queue lost
	for level in critical trace; do
		record "$tmp/kept" --records -o "$tmp/kept.data" --level $level -k -- serial_broadcast 7 $rounds
		healthy "--records --level $level" "$tmp/kept"
		gapp-read script "$tmp/kept.data" >"$tmp/kept.txt" 2>"$tmp/kept.err"
		same "--records --level $level: the file's records are whole" "$? $(cat "$tmp/kept.err")" "0 "
		critical=$(field "$tmp/kept" critical_s)
		queue=$(sed -n 's/.*"run_queue": \([0-9.]*\),.*/\1/p' "$tmp/kept" | head -n 1)
		lost=$(sed -n 's/.*"lost": \([0-9.]*\),.*/\1/p' "$tmp/kept" | head -n 1)
		# shellcheck disable=SC2016 # awk's own
		check "--records --level $level: they are the report's critical time" "$(tail -n 3 "$tmp/kept.txt")" awk \
			-v critical="$critical" -v rest="$queue" -v lost="$lost" '
			/ slice / { split($0, part, " share="); sum += part[2] }
			END { off = sum / 1e9 + rest + lost - critical
			      exit !(sum > 0 && off < 1e-5 && off > -1e-5) }' "$tmp/kept.txt"
		check "--records --level $level: with names and the kernel's" "$(head -n 9 "$tmp/kept.txt")" \
			sh -c "grep -q 'main (serial_broadcast)' $tmp/kept.txt && grep -q '\[kernel\]' $tmp/kept.txt"
	done
	check "--records --level trace: wake-ups" "$(head -n 9 "$tmp/kept.txt")" grep -q ' wake ' "$tmp/kept.txt"
}

# A thread that computes alone is sampled on a CPU that has gone and come back.
sampled_again()
{
	local online=/sys/devices/system/cpu/cpu1/online target reader i
	[ -w $online ] || {
		skip "sampled on a CPU that came back" "only one CPU"
		return
	}
	spin 1 60000 &
	target=$!
	gapp-read script -q -p $target -d $((5 * slow)) >"$tmp/again" 2>"$tmp/again.err" &
	reader=$!
	sessions_are 1 "sampled again"
	for i in 1 2 3 4 5 6; do
		for task in "/proc/$target/task"/*; do
			taskset -p 2 "${task##*/}" >/dev/null
		done
		usleep $((300000 * slow))
		echo 0 >$online
		usleep 100000
		echo 1 >$online
	done
	wait $reader
	end $target
	# Of what ran there, the part that samples say: a tenth and less if it were the first stay's alone.
	# shellcheck disable=SC2016 # awk's own
	check "sampled on a CPU that came back, $i times" "$(grep slice "$tmp/again" | cut -c 1-160)" awk '
		/^[0-9]/ { cpu = $2; split($0, part, "own="); if (part[2] != "") own[cpu] += part[2] }
		/^\tsample/ { samples[cpu]++ }
		END { exit !(own["[001]"] > 0 && samples["[001]"] * 3003003 > own["[001]"] * 0.35) }' "$tmp/again"
}

# Its file has a path that leads nowhere outside, and it may end before its names are looked up.
in_a_container()
{
	local box=$tmp/box target
	unshare -m sh "$here/container.sh" "$box" 7 100000 &
	target=$!
	wait_until grep -q inner "/proc/$target/comm"
	record "$tmp/box.json" -p $target -d $((1 * slow))
	healthy "in a container" "$tmp/box.json"
	names_main "in a container" "$tmp/box.json"
	end $target
	unshare -m sh "$here/container.sh" "$box" 7 $((rounds * 10)) &
	target=$!
	wait_until grep -q inner "/proc/$target/comm"
	record "$tmp/box.json" -p $target
	names_main "in a container that has ended" "$tmp/box.json"
	wait $target
}

without_privilege()
{
	chmod 0666 /dev/gapp
	chmod 777 "$tmp"
	su user -c "gapp-read -q -o $tmp/user.json -- serial_broadcast 7 $rounds" >"$tmp/out" 2>"$tmp/user.err"
	mv "$tmp/user.json" "$tmp/user"
	chmod 0600 /dev/gapp
	healthy "a user without privilege" "$tmp/user"
	names_main "a user without privilege" "$tmp/user"
}

# Two threads on one CPU that give it to each other, each in a function of its own.
hands_over()
{
	local row count lost sum total text
	cd "$tmp" || return
	record "$tmp/hand" --view handover --records -- handover $((rounds * 100)) 500
	healthy "handovers" "$tmp/hand" short
	row=$(list "$tmp/hand" handovers | grep '"from": {.*"comm": "asker".*"to": {.*"comm": "answerer"' | head -n 1)
	case $row in
	*'"function": "asks"'*'handover.c", "line": '*'"to": {'*'"function": "answers"'*'handover.c", "line": '*)
		ok "handovers: from asks() to answers(), with file and line"
		;;
	*) not_ok "handovers: from asks() to answers(), with file and line" "$row$(cat "$tmp/hand.err")" ;;
	esac
	# by its sem_post(), if that thread is to run at once, or by the sem_wait() behind it
	count=$(list "$tmp/hand" handovers | grep '"from": {.*"comm": "asker".*"to": {.*"comm": "answerer"' |
		sed -n 's/.*"count": \([0-9]*\).*/\1/p' | awk '{ n += $1 } END { print n + 0 }')
	check "handovers: in nearly each round ($count)" "of $((rounds * 100))" between "$count" $((rounds * 75)) $((rounds * 200))
	lost=$(field "$tmp/hand" handovers_lost)
	total=$(field "$tmp/hand" handovers_total)
	sum=$(list "$tmp/hand" handovers | sed -n 's/.*"count": \([0-9]*\).*/\1/p' | awk '{ sum += $1 } END { print sum + 0 }')
	same "handovers: rows and what is lost are all" $((sum + lost)) "$total"
	text=$(gapp-read report --view handover 2>&1 | tr -s ' \n' ' ')
	case $text in
	*'asker ('*') in asks (handover.c:'*' hands the CPU to answerer ('*') in answers (handover.c:'*)
		ok "handovers: said of the recording later"
		;;
	*) not_ok "handovers: said of the recording later" "$text" ;;
	esac
	cd /
}

targets_come_and_go
by_program
one_exec_after_another
launched
by_everything
without
in_order
records_are_kept
hands_over
sampled_again
in_a_container
without_privilege
finish

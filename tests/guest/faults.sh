#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC3043 # busybox has local
# In the guest, with the module built with GAPP_FAULTS=1: an event is left out on purpose, and the
# checks of the report that owe nothing to events must see it.
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

faults_ko=$tests/faults-$GAPP_GUEST.ko

# with FAULT EVENTS: the module is loaded anew, with that fault after so many events, or without any
with()
{
	! loaded || rmmod gapp
	load "$faults_ko" "fault=$1" "fault_after=${2:-0}" || not_ok "insmod fault=$1" "it does not load"
}

begin() # PROGRAM ARGUMENT…: in $target, once it is ready
{
	"$@" >"$tmp/ready" &
	target=$!
	wait_until grep -q ready "$tmp/ready"
	usleep 100000
}

recording() # REPORT SECONDS: of $target; comes back when it runs
{
	record "$1" -p "$target" -d "$2" &
	reader=$!
	sessions_are 1 "$1"
}

over()
{
	wait "$reader"
	end "$target"
}

# The runs; each writes a report.
wakeup_until_stop() # REPORT
{
	begin fault_wakeup 1 6000
	recording "$1" 0.5
	kill -USR1 $target
	over
}

wakeup() # REPORT
{
	begin fault_wakeup 2 400
	recording "$1" 1.2
	kill -USR1 $target
	usleep 200000
	kill -USR1 $target
	over
}

switch_out_until_stop() # REPORT
{
	begin fault_switch_out
	recording "$1" 0.5
	kill -USR1 $target
	over
}

switch_out() # REPORT
{
	begin fault_switch_out
	recording "$1" 1
	kill -USR1 $target
	usleep 400000
	kill -USR1 $target
	over
}

thread() # REPORT
{
	begin fault_thread
	recording "$1" 0.5
	kill -USR1 $target
	over
}

told() # REPORT: what its checks say
{
	echo "recount $(field "$1" n_recount_ok), unexpected $(field "$1" unexpected)," \
		"kernel agrees $(field "$1" kernel_agrees_percent)," \
		"accounted $(field "$1" accounted_percent)"
}

saw_recount() # REPORT
{
	[ "$(field "$1" n_recount_ok)" = false ]
}

saw_unexpected() # REPORT
{
	[ "$(field "$1" unexpected)" -gt 0 ]
}

# Below the reader's own limit.
saw_accounts() # REPORT
{
	local agrees
	agrees=$(field "$1" kernel_agrees_percent)
	[ "$agrees" != null ] && between "$agrees" 0 94.99
}

# fault FAULT EVENTS RUN CHECK…: without the fault all is well; with it these checks see it
# A busy host may take the CPU away between the clock readings of the kernel and of gapp: once more.
fault()
{
	local name=$1 after=$2 run=$3 report=$tmp/$1-$3 by
	shift 3
	for by in 1 2 3; do
		with ""
		$run "$report-without"
		[ -n "$(ailments "$report-without")" ] || break
	done
	healthy "$run without a fault" "$report-without" short
	with "$name" "$after"
	$run "$report"
	for by; do
		check "$name, $run: the $by check sees it" "$(told "$report")" "saw_$by" "$report"
	done
	echo "# $name, $run: $(told "$report"); without: $(told "$report-without")"
	check "$name, $run: the text report warns" "it does not" warns "$name" "$after" "$run"
}

warns() # FAULT EVENTS RUN
{
	with "$1" "$2"
	format=text
	$3 "$tmp/text"
	format=json
	grep -qi "warning" "$tmp/text"
}

sum() # REPORT MEMBER: over all threads
{
	sed -n "s/^\t\t{\"tid\": .*\"$2\": \([0-9.]*\).*/\1/p" "$1" |
		awk '{ s += $1 } END { printf "%d\n", s }'
}

# Attach takes pauses, or leaves its look at all tasks often, or loses its place there now and then.
# How often threads are woken in a second depends on the machine: other than ten times is wrong.
attach_to() # FAULT NAME PROGRAM…: an attach with the fault gives the same as a quick one
{
	local fault=$1 name=$2 quick slow_report=$tmp/slow target
	shift 2
	"$@" &
	target=$!
	usleep 200000
	with ""
	record "$tmp/quick" -p $target -d 1
	healthy "quick attach to $name" "$tmp/quick" short
	with "$fault"
	record "$slow_report" -p $target -d 1
	healthy "$fault to $name" "$slow_report" short
	quick=$(sum "$tmp/quick" wakeups)
	check "$fault to $name: about as many wake-ups" \
		"$(sum "$slow_report" wakeups) with, $quick without" \
		between "$(sum "$slow_report" wakeups)" $((quick / 10 - 30)) $((quick * 10 + 100))
	kill -KILL $target
	end $target
}

compared() # REPORT VERDICT: how many paths
{
	sed -n "s/^\t\"verify\": {.*\"$2\": \([0-9]*\).*/\1/p" "$1"
}

wrong_paths()
{
	local report
	for report in right wrong_bias; do
		with "$(echo $report | sed 's/^right$//')"
		record "$tmp/$report" -n 64 --call-graph verify -- "$calls/deep"
		echo "# paths, $report: $(compared "$tmp/$report" equal) equal, $(compared "$tmp/$report" differ) differ"
	done
	check "without a fault: paths are libdwfl's" "$(compared "$tmp/right" equal)" \
		[ "$(compared "$tmp/right" equal)" -gt $((20 * $(compared "$tmp/right" differ))) ]
	check "wrong_bias: --call-graph verify sees it" "$(compared "$tmp/wrong_bias" equal)" \
		[ "$(compared "$tmp/wrong_bias" differ)" -gt "$(compared "$tmp/wrong_bias" equal)" ]
}

over_budget() # USER: paths that a session of the user's does not have, walks being slow
{
	local report=$tmp/slow-walk.$1/report.json
	rm -rf "${report%/*}"
	mkdir "${report%/*}"
	chmod 777 "${report%/*}"
	su "$1" -c "gapp-read -q -o $report --call-graph table -- $calls/deep 3 1600" >"$tmp/slow-walk" 2>&1
	sed -n 's/.*"lost": {.*"paths_over_budget": \([0-9]*\).*/\1/p' "$report"
}

# A user's session has less time for walks that take long; what walks use stays until they are over.
slow_walks()
{
	local users roots
	with slow_walk
	echo 10 >/sys/module/gapp/parameters/max_cpu_percent
	chmod 0666 /dev/gapp
	users=$(over_budget user)
	chmod 0600 /dev/gapp
	roots=$(over_budget root)
	check "slow_walk: a user's session leaves out walks, and says so" "$users, root's $roots" \
		[ "${users:-0}" -gt $((2 * ${roots:-0} + 2)) ]
	echo 100 >/sys/module/gapp/parameters/max_cpu_percent
	abi_test "storm of mappings"
}

# A CPU stops in the middle of some changes of n: the others post their events meanwhile.
held_integrals() # LEVEL
{
	local report=$tmp/held posts
	with hold_integrals
	record "$report" --level "$1" -- convoy
	healthy "hold_integrals, $1" "$report" short
	[ "$1" != stats ] || return
	posts=$(sed -n 's/.*"posts": \([0-9]*\).*/\1/p' "$report")
	check "hold_integrals, $1: events are posted" "${posts:-none}" [ "${posts:-0}" -gt 0 ]
}

parameter() # NAME [VALUE]: of the module
{
	if [ $# -gt 1 ]; then
		echo "$2" >"/sys/module/gapp/parameters/$1"
	else
		cat "/sys/module/gapp/parameters/$1"
	fi
}

overhead() # REPORT MEMBER
{
	sed -n "s/^\t\"overhead\": {.*\"$2\": \([0-9]*\).*/\1/p" "$1"
}

# No event goes on waiting for a CPU that stands still when it has waited for 2 us. That is counted:
# how long it is until an event looks at the clock again is up to the host.
waits_are_bounded()
{
	local report=$tmp/bounded late
	with hold_integrals
	record "$report" --level critical -- convoy
	late=$(parameter late_looks)
	same "hold_integrals: events that had waited for 2 us wait no longer" "$late" 0
	echo "# hold_integrals: an event waited for $(($(parameter longest_wait_ns) / 1000)) us at most"
	with hold_integrals_and_wait
	record "$report" --level critical -- convoy
	late=$(parameter late_looks)
	check "hold_integrals_and_wait: it is seen that they do" "$late" [ "$late" -gt 0 ]
}

# Who applies posts stands still with interrupts off, for as long as hundreds of events take.
held_merge() # MICROSECONDS
{
	local report=$tmp/held-merge
	with hold_integrals_and_merge
	parameter fault_us "$1"
	record "$report" --level critical -- pipeline 8 3000 1
	healthy "hold_integrals_and_merge, $1 us" "$report" short
	check "hold_integrals_and_merge, $1 us: events are posted" "$(overhead "$report" posts)" \
		[ "$(overhead "$report" posts)" -gt 0 ]
	same "hold_integrals_and_merge, $1 us: no event waits for a post" \
		"$(overhead "$report" post_waits)" 0
	echo "# hold_integrals_and_merge, $1 us: $(overhead "$report" posts) posts"
}

# The fourth change of N_min, by the last thread, finds no post: the worker sets it, though no other
# thread comes or goes before they exit.
late_threshold()
{
	local report=$tmp/late-n-min
	with late_n_min 3
	record "$report" -n half -- spin 7 3000
	healthy "late_n_min" "$report" short
	same "late_n_min: the worker sets the threshold" "$(field "$report" n_min_most)" 4
	same "late_n_min: it is counted" "$(overhead "$report" post_waits)" 1
}

# START, a rise of the number of CPUs, and STOP lock the table for one target at a time.
many_targets()
{
	local report=$tmp/many-targets pids=
	for _ in $(seq 100); do
		sleep 1000 &
		pids="$pids $!"
	done
	with ""
	record "$report" -a -d 0.5
	same "100 targets: the table is locked for one at a time" "$(parameter most_targets)" 1
	echo "# 100 targets: the table was locked for $(($(parameter longest_lock_ns) / 1000)) us at most"
	# shellcheck disable=SC2086 # a list
	end $pids
}

# A counter of the processor stands for one that this machine has not: it counts nanoseconds.
counted_by_the_processor()
{
	with count_nanoseconds
	abi_test tallies-faked
}

# Between the first look at a session's threads and the second one the session may end.
locks_of_ended_sessions()
{
	with hold_lock
	abi_test kernel-locks-rounds
}

# No time is set aside for others while a real-time thread computes.
echo -1 >/proc/sys/kernel/sched_rt_runtime_us
for server in /sys/kernel/debug/sched/fair_server/cpu*/runtime; do
	[ ! -e "$server" ] || echo 0 >"$server"
done

fault drop_wakeup 0 wakeup_until_stop recount
fault drop_wakeup 1 wakeup unexpected accounts
fault drop_switch_out 0 switch_out_until_stop recount
fault drop_switch_out 0 switch_out unexpected accounts
fault drop_thread 0 thread recount
attach_to slow_attach "busy threads" hand load 6
attach_to slow_attach "threads that come and go" churn 800 1000000
attach_to slow_attach "a fork storm" hand storm 1000000
attach_to slow_attach "more threads than CPUs" spin 8 100000
attach_to short_looks "threads that come and go" churn 800 1000000
attach_to short_looks "a fork storm" hand storm 1000000
attach_to lost_looks "busy threads" hand load 6
attach_to lost_looks "a fork storm" hand storm 1000000
wrong_paths
slow_walks
held_integrals stats
held_integrals critical
held_integrals trace
waits_are_bounded
held_merge 500
held_merge 5000
late_threshold
many_targets
counted_by_the_processor
locks_of_ended_sessions
rmmod gapp
load $KO
finish

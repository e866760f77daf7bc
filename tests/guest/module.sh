#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC3043 # busybox has local
# In the guest: the module comes and goes, and so do readers, targets, CPUs. Several threads compute
# all the time, so that what can race does.
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

crowd_begin()
{
	hand load 4 &
	crowd=$!
}

load_unload()
{
	local n=$((${GAPP_LOADS:-200} / slow)) i=0 bad=
	while [ $i -lt $n ] && [ -z "$bad" ]; do
		i=$((i + 1))
		rmmod gapp || bad="rmmod, the ${i}th time"
		load $KO || bad="insmod, the ${i}th time"
		[ $((i % 10)) != 0 ] || hand once $crowd 1 >"$tmp/once" || bad="$(cat "$tmp/once")"
	done
	check "loaded and unloaded $n times, with sessions between" "$bad" [ -z "$bad" ]
	check "the node comes back" "no /dev/gapp" [ -c /dev/gapp ]
}

rmmod_in_use()
{
	local holder before after
	hand hold $crowd >"$tmp/hold" &
	holder=$!
	sessions_are 1 "rmmod in use"
	check "rmmod refuses while a session is open" "it did not" sh -c '! rmmod gapp 2>/dev/null'
	before=$(cat $PROC/session-*/threads)
	sleep 1
	after=$(cat $PROC/session-*/threads)
	check "the session goes on after that" "the figures stand still" [ "$before" != "$after" ]
	end $holder
	check "rmmod works when it is closed" "$(lsmod | grep '^gapp ')" wait_until rmmod gapp
	check "and load again" "it does not" insmod $KO
}

# Probes stay for the next session, for as long as the module's parameter says.
probes_are() # IN-USE KEPT
{
	[ "$(tr '\n' ' ' <$PROC/probes)" = "in use: $1 kept: $2 " ]
}

probes_kept()
{
	local keep=/sys/module/gapp/parameters/keep_probes_s before holder
	before=$(cat $keep)
	rmmod gapp && load $KO
	echo 600 >$keep
	check "without a session there are no probes" "$(cat $PROC/probes)" probes_are 0 0
	hand hold $crowd >"$tmp/hold" &
	holder=$!
	sessions_are 1 "probes of a session"
	check "a session has probes" "$(cat $PROC/probes)" probes_are 1 0
	end $holder
	check "they are kept" "$(cat $PROC/probes)" wait_until probes_are 0 1
	hand once $crowd 1 >"$tmp/once"
	check "and used again" "$(cat $PROC/probes)" probes_are 0 1
	gapp-read -q -p $crowd -d 0.1 >"$tmp/out"
	check "by sessions of their kind only" "$(cat $PROC/probes)" probes_are 0 2
	echo 1 >$keep
	check "until their time is over" "$(cat $PROC/probes)" wait_until probes_are 0 0
	echo 0 >$keep
	hand once $crowd 1 >"$tmp/once"
	check "with keep_probes_s=0 none is kept" "$(cat $PROC/probes)" probes_are 0 0
	echo "$before" >$keep
}

reader_killed()
{
	local i reader
	for i in 1 2 3 4 5; do
		gapp-read -q -p $crowd >/dev/null 2>&1 &
		reader=$!
		sessions_are 1 "reader killed"
		kill -KILL $reader
		wait $reader 2>/dev/null
	done
	check "a reader killed by -9 leaves no session" "$(sessions)" wait_until no_session
	check "nor a folder" "$(ls $PROC)" sh -c "! ls -d $PROC/session-* 2>/dev/null"
	check "nor a use of the module" "$(lsmod | grep '^gapp ')" wait_until rmmod gapp
	load $KO
	# In the middle of START and STOP, too.
	for i in 1 2 3 4 5 6 7 8; do
		hand once $crowd 1000 >/dev/null 2>&1 &
		reader=$!
		usleep $((i * 37000))
		kill -KILL $reader
		wait $reader 2>/dev/null
	done
	check "killed in the middle of START or STOP, likewise" "$(sessions)" wait_until rmmod gapp
	load $KO
}

target_killed()
{
	local target reader status
	hand load 5 &
	target=$!
	record "$tmp/killed" -p $target &
	reader=$!
	sessions_are 1 "target killed"
	sleep 0.3
	end $target
	wait $reader
	status=$?
	same "a target killed by -9 ends the recording" $status 0
	healthy "target killed by -9" "$tmp/killed"
	same "all its threads are in the report" "$(thread_count "$tmp/killed")" 5
	# The last one tells the reader before it is switched out for good.
	check "all of them have left, but perhaps the last one" "$(cat "$tmp/killed")" \
		[ "$(grep -c '"left_s": null' "$tmp/killed")" -le 1 ]
}

mode()
{
	stat -c %a "$1"
}

share_of() # THREAD: its CMetric in microseconds, as /proc tells it
{
	awk -v tid="$1" '$1 == tid { sub(/\./, "", $4); print $4 + 0 }' $PROC/session-*/threads
}

# A user's recording, which root ends: the reader tells of it soon, and reports what there is.
ended_by_root() # LEVEL
{
	local load reader id
	hand load 2 >/dev/null &
	load=$!
	record "$tmp/ended" --level "$1" -p $load &
	reader=$!
	sessions_are 1 "ended by root"
	usleep 500000
	id=$(sessions | awk '{ print $1 }')
	echo 1 >$PROC/session-"$id"/end
	# the target runs on: nothing else ends the recording
	check "root ends a session of level $1: gapp-read ends, too" "it goes on" wait_until no_session
	kill -INT $reader 2>/dev/null
	wait $reader
	same "and the status of gapp-read" $? 0
	check "and what it says" "$(cat "$tmp/ended.err")" grep -q "root has ended the session" "$tmp/ended.err"
	check "and its report" "$(head -c 300 "$tmp/ended")" grep -q '"n_recount_ok": true' "$tmp/ended"
	end $load
	wait_until no_session || not_ok "ended by root" "a session is left: $(sessions)"
}

proc_files()
{
	local holder id first second line
	same "mode of the node" "$(mode /dev/gapp)" 600
	same "mode of /proc/gapp" "$(mode $PROC)" 500
	same "mode of version" "$(mode $PROC/version)" 400
	same "mode of sessions" "$(mode $PROC/sessions)" 400
	same "the first line of version" "$(sed -n 1p $PROC/version)" "version: $(modinfo_version)"
	same "the second line of version" "$(sed -n 2p $PROC/version)" "abi: 1.21"
	same "no session yet" "$(session_count)" 0

	hand hold $crowd >"$tmp/hold" &
	holder=$!
	sessions_are 1 "proc files"
	wait_until [ -s "$tmp/hold" ]
	id=$(cat "$tmp/hold")
	same "mode of a session's folder" "$(mode $PROC/session-"$id")" 500
	same "mode of its threads" "$(mode $PROC/session-"$id"/threads)" 400
	same "mode of its end" "$(mode $PROC/session-"$id"/end)" 200
	line=$(sessions)
		# shellcheck disable=SC2086 # columns
	set -- $line
	same "its line in sessions" "$1 $2 $3 $6 $7 $8 $9" "$id running $holder 4 4 0 0"
	same "a line for each thread, and a title" "$(wc -l <$PROC/session-"$id"/threads)" 5
	first=$(share_of $crowd)
	usleep 300000
	second=$(share_of $crowd)
	check "the CMetric grows between two looks" "$first, then $second" [ "$second" -gt "$first" ]
	check "an ordinary user sees nothing of it" "he does" \
		sh -c "! su user -c 'cat $PROC/version $PROC/sessions' 2>/dev/null | grep ."
	exec 3<$PROC/session-"$id"/threads
	end $holder
	check "an open file of a session that is gone tells nothing" "it does" \
		sh -c '! cat <&3 2>/dev/null | grep .'
	exec 3<&-
	wait_until no_session
}

modinfo_version()
{
	strings $KO | sed -n 's/^version=//p'
}

names()
{
	local target holder text
	hand named "$(printf 'a\\b\nc\td\033[1m\303\244')" &
	target=$!
	wait_until grep -qxF 'a\b' /proc/$target/comm
	hand hold $target >"$tmp/hold" &
	holder=$!
	sessions_are 1 "names"
	text=$(tail -n +2 $PROC/session-*/threads)
	same "a name cannot make a line of its own" "$(echo "$text" | wc -l)" 1
		same "a name is escaped" "$(echo "$text" | awk '{ print $NF }')" \
		'a\\b\nc\td\e[1m\303\244'
	end $holder $target
	wait_until no_session
}

child_of() # PID
{
	cat /proc/[0-9]*/stat 2>/dev/null | awk -v parent="$1" '$4 == parent { print $1 }'
}

child_has_threads() # PID COUNT
{
	grep -q "^Threads:.$2\$" "/proc/$(child_of "$1")/status" 2>/dev/null
}

# Everything of a shell that runs as init of a pid namespace of its own.
namespaces()
{
	local outer inner holder id
	hand hold $crowd >"$tmp/hold" &
	holder=$!
	sessions_are 1 "namespaces"
	wait_until [ -s "$tmp/hold" ]
	id=$(cat "$tmp/hold")
	unshare -p -f -m --mount-proc sh "$here/module-ns.sh" "$id" >"$tmp/ns.out" 2>&1
	cat "$tmp/ns.out"
	check "the part in a pid namespace ran to its end" "$(tail -n 1 "$tmp/ns.out")" \
		grep -q '^ok - .*to the end' "$tmp/ns.out"
	end $holder
	wait_until no_session

	unshare -p -f hand load 3 &
	outer=$!
	wait_until child_has_threads $outer 3
	inner=$(child_of $outer)
	record "$tmp/ns" -p "$inner" -d 0.5
	healthy "target in another pid namespace" "$tmp/ns"
	same "its ids are those of here" "$(grep -c "\"tgid\": $inner, \"comm\": [^,]*, \"cmetric_s\"" "$tmp/ns")" 3
	kill -KILL "$inner"
	end $outer
}

hotplug()
{
	local online=/sys/devices/system/cpu/cpu1/online reader i
	[ -w $online ] || {
		skip "CPUs go and come back" "only one CPU"
		return
	}
	record "$tmp/hotplug" -p $crowd -d $((2 + slow)) &
	reader=$!
	sessions_are 1 "hotplug"
	for i in 1 2 3 4 5; do
		echo 0 >$online || not_ok "CPUs go and come back" "CPU 1 does not go"
		usleep 100000
		echo 1 >$online || not_ok "CPUs go and come back" "CPU 1 does not come back"
		usleep 100000
	done
	wait $reader
	healthy "CPUs go and come back $i times" "$tmp/hotplug"
	echo 0 >$online
	record "$tmp/hotplug" -p $crowd -d 0.5
	same "a CPU that is off is not counted" "$(field "$tmp/hotplug" cpus)" $(($(nproc)))
	healthy "with a CPU off" "$tmp/hotplug"
	echo 1 >$online
}

execs()
{
	record "$tmp/execs" -- hand execs 50
	healthy "50 times exec" "$tmp/execs"
	same "it remains one thread" "$(field "$tmp/execs" threads_total)" 1
	record "$tmp/threadexec" -- threadexec 8 20000 20000
	healthy "exec by a thread that is not the leader" "$tmp/threadexec"
	same "it has the leader's id then" \
		"$(sed -n 's/^\t\t{"tid": \([0-9]*\), "tgid": \1, "comm": "exe".*/one/p' \
			"$tmp/threadexec")" one
}

storm()
{
	record "$tmp/storm" -- hand storm $((1000 / slow))
	healthy "fork storm" "$tmp/storm" short
	same "all processes of the storm were followed" "$(field "$tmp/storm" threads_total)" \
		$((1000 / slow + 1))
}

# STOP in the middle of the storm: what comes and goes must not look like a difference.
storm_stopped()
{
	local target bad='' i
	hand storm 100000 &
	target=$!
	for i in 1 2 3 4 5; do
		record "$tmp/stopped" -p $target -d 0.2
		bad=$bad$(ailments "$tmp/stopped")
	done
	check "stopped $i times in the middle of a fork storm: every check passes" "$bad" [ -z "$bad" ]
	kill -KILL $target
	end $target
}

# Who waits for a CPU as one begins has waited longer than it lasts, by the kernel's accounts.
at_once()
{
	local target
	spin 6 600000 &
	target=$!
	sleep 1
	hand once $target 10 >"$tmp/once"
	end $target
	same "sessions that are stopped at once" "$(grep -v '^ok' "$tmp/once")" ""
}

five()
{
	local i readers=
	for i in 1 2 3 4 5; do
		record "$tmp/five$i" -p $crowd &
		readers="$readers $!"
	done
	sessions_are 5 "five sessions"
	killall -TERM gapp-read
		# shellcheck disable=SC2086 # words
	wait $readers
	for i in 1 2 3 4 5; do
		healthy "session $i of five on one target" "$tmp/five$i"
	done
}

# Memory is refused now and then, where the kernel can do that.
starve()
{
	local failslab=/sys/kernel/debug/failslab
	[ -d $failslab ] || {
		skip "memory is refused" "this kernel has no failslab"
		return
	}
	echo Y >$failslab/task-filter
	echo 5 >$failslab/probability
	echo -1 >$failslab/times
	echo 0 >$failslab/verbose
	echo N >$failslab/ignore-gfp-wait
	hand starve $crowd 100 >"$tmp/starve"
	grep '^not ok\|every session' "$tmp/starve" | sed 's/ - / - module: /'
	echo 0 >$failslab/probability
	check "no session is left after that" "$(sessions)" wait_until no_session
}

crowd_begin
starve
proc_files
names
namespaces
rmmod_in_use
probes_kept
ended_by_root critical
ended_by_root stats
reader_killed
target_killed
at_once
five
hotplug
execs
storm
storm_stopped
load_unload
end $crowd
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs inside the guest (busybox sh): every workload of the oracle once, under gapp-read and the
# kernel's own sched tracepoints at the same time. Leaves for each case in OUT/CASE:
#
#	trace.txt	the trace, as tracefs prints it
#	stats.txt	the trace buffers' counters, CPU by CPU
#	NAME.json	what gapp-read says, session by session
#	sessions.txt	lines "NAME command GAPP_READ_PID" or "NAME attach PID,PID..."
#	after.txt	the same trace, each event stamped after gapp has seen it (with --after); with --waits
#			with the kernel's path of each thread that is switched out asleep
#	error.txt	what went wrong here, if anything did
#	skip.txt	why the case cannot run in this guest, if so
#
# Usage: oracle.sh [--after] [--trace] [--waits PROGRAMS] [--programs FOLDER] [--scheduler NAME FOLDER] OUT CASE...
# With --trace gapp writes a record of every event, and takes no call path. With --waits it adds up waits
# and wakers besides, the trace has system calls, and the programs of the truth suite are in PROGRAMS.
# With --programs others than the usual ones are run. With --scheduler ext a program of BPF schedules, with core
# the programs do not share cores with others; FOLDER has what does that.
set -u

tracing=/sys/kernel/tracing
instance=$tracing/instances/oracle
after=$tracing/instances/oracle-after
gate=/tmp/gate
buffer_kb=8192
events="sched/sched_switch sched/sched_waking sched/sched_wakeup sched/sched_wakeup_new
	sched/sched_process_exec sched/sched_process_exit sched/sched_process_fork
	task/task_newtask task/task_rename"

# of who goes to sleep
paths='stacktrace if prev_state & 0xff'

twice=
rows="--by thread"
records=
programs=
scheduler=
alone=
while :; do
	case $1 in
	--after) twice=yes ;;
	--trace) records="--level trace --call-graph none" ;;
	--waits)
		rows="--view wakers"
		records="--level trace --call-graph none --waits"
		events="$events raw_syscalls/sys_enter raw_syscalls/sys_exit"
		buffer_kb=32768
		programs=$2
		shift
		;;
	--programs)
		PATH=$2:$PATH
		shift
		;;
	--scheduler)
		scheduler=$2
		PATH=$3:$PATH
		shift 2
		;;
	*) break ;;
	esac
	shift
done
out=$1
shift
cpus=$(grep -c ^processor /proc/cpuinfo)

fail()
{
	echo "$*" >>"$dir/error.txt"
}

tracing_set_up()
{
	[ -d $tracing/instances ] || mount -t tracefs tracefs $tracing || return 1
	for each in $instance $after; do
		mkdir -p "$each" || return 1
		echo 0 >"$each"/tracing_on
		echo mono >"$each"/trace_clock
		# A full buffer loses the newest events and says so; it never forgets the oldest.
		echo 0 >"$each"/options/overwrite
		echo $buffer_kb >"$each"/buffer_size_kb
	done
	enable_events $instance
}

tracing_tear_down()
{
	echo 0 >$instance/events/enable
	rmdir $instance $after
}

enable_events()
{
	for event in $events; do
		echo 1 >"$1/events/$event/enable" || return 1
	done
}

case_begin()
{
	dir=$out/$1
	mkdir -p "$dir"
	: >"$dir/sessions.txt"
	echo >$instance/trace
	echo >$after/trace
	echo 1 >$instance/tracing_on
	[ -z "$programs" ] || begin_second_trace
}

case_end()
{
	# in this order, so that the first one has all that the second one has
	echo 0 >$after/tracing_on
	echo 0 >$instance/tracing_on
	[ -z "$programs" ] || echo "!$paths" >$after/events/sched/sched_switch/trigger
	echo 0 >$after/events/enable
	cat $instance/trace >"$dir/trace.txt"
	cat $after/trace >"$dir/after.txt"
	for cpu in "$instance"/per_cpu/cpu* "$after"/per_cpu/cpu*; do
		echo "${cpu##*/}"
		cat "$cpu/stats"
	done >"$dir/stats.txt"
}

# record NAME gapp-read's-arguments: starts it, in $gapp_pid
record()
{
	name=$1
	shift
	# shellcheck disable=SC2086 # words, or none
	gapp-read --format json -o "$dir/$name.json" $rows $threshold $records "$@" \
		>"$dir/$name.out" 2>"$dir/$name.err" </dev/null &
	gapp_pid=$!
}

record_end()
{
	wait "$2"
	status=$?
	[ $status = 0 ] || fail "$1: exit status $status: $(cat "$dir/$1.err")"
}

# launch NAME program arguments: under gapp-read, in $gapp_pid; it begins when release is called
launch()
{
	session=$1
	shift
	mkfifo $gate."$session"
	# shellcheck disable=SC2016,SC2086 # the inner shell's; a word, or none
	record "$session" -- sh -c 'read -r _ <"$0"; exec "$@"' $gate."$session" $alone "$@"
	echo "$session command $gapp_pid" >>"$dir/sessions.txt"
}

# The kernel calls a tracepoint's probes in the order in which they came: gapp's must be there.
begin_second_trace()
{
	[ -n "$twice" ] || return 0
	echo 1 >$after/tracing_on
	enable_events $after || fail "$after cannot be enabled"
	[ -z "$programs" ] || echo "$paths" >$after/events/sched/sched_switch/trigger ||
		fail "no paths in the kernel"
}

# release NAME...: what was launched begins, when all these sessions have begun.
release()
{
	while kill -0 "$gapp_pid" && [ "$(grep -c running /proc/gapp/sessions)" != $# ]; do
		sleep 0.01
	done
	[ -n "$programs" ] || begin_second_trace
	for session; do
		! kill -0 "$gapp_pid" || [ ! -p $gate."$session" ] || echo >$gate."$session"
		rm -f $gate."$session"
	done
}

# run program arguments: the usual case, one program from its begin to its end
run()
{
	launch gapp "$@"
	release gapp
	record_end gapp "$gapp_pid"
}

# For what has to be stopped in the middle.
end_quietly()
{
	kill -KILL "$1"
	wait "$1" 2>/dev/null
}

case_foreign()
{
	spin $((2 * cpus)) 60000 &
	foreign=$!
	sleep 0.05
	run convoy 4 60
	[ -z "$alone" ] || grep -q '^core_sched.force_idle_usec [1-9]' /sys/fs/cgroup/cpu.stat ||
		fail "no CPU was kept idle: $(cat /sys/fs/cgroup/cpu.stat)"
	end_quietly $foreign
}

case_uring()
{
	uring 1 1 1 2>"$dir/uring.err"
	case $? in
	0) run uring ;;
	77) cp "$dir/uring.err" "$dir/skip.txt" ;;
	*) fail "uring: $(cat "$dir/uring.err")" ;;
	esac
}

# All threads are stopped again and again by the freezer of their cgroup, wherever they are.
case_frozen()
{
	group=/sys/fs/cgroup/frozen
	[ -e /sys/fs/cgroup/cgroup.procs ] || mount -t cgroup2 cgroup2 /sys/fs/cgroup ||
		fail "cgroup2 cannot be mounted"
	mkdir -p $group
	# shellcheck disable=SC2016 # the inner shell's
	launch gapp sh -c 'echo $$ >"$0"/cgroup.procs && exec barrier 4 60' $group
	release gapp
	frozen=0
	while kill -0 "$gapp_pid" 2>/dev/null && [ $frozen -lt 40 ]; do
		echo 1 >$group/cgroup.freeze
		sleep 0.01
		! grep -q 'frozen 1' $group/cgroup.events || frozen=$((frozen + 1))
		echo 0 >$group/cgroup.freeze
		sleep 0.02
	done
	record_end gapp "$gapp_pid"
	[ $frozen -ge 3 ] || fail "frozen $frozen times only"
	rmdir $group
}

# One target goes to sleep all the time, the other never. The probes of a session stay for the next
# one of its kind, so the second trace has begun when the session does that is compared.
case_attach()
{
	barrier 4 100000 &
	busy=$!
	spin 2 60000 &
	busier=$!
	sleep 0.2
	record before -- true
	record_end before "$gapp_pid"
	begin_second_trace
	record gapp -p $busy,$busier -d 0.4
	echo "gapp attach $busy,$busier" >>"$dir/sessions.txt"
	record_end gapp "$gapp_pid"
	end_quietly $busy
	end_quietly $busier
}

# A thread that fills a pipe slowly is of the target, too.
case_slow_pipe()
{
	# shellcheck disable=SC2016 # the inner shell's
	run sh -c '"$0" | exec "$1"' "$programs/tools/feed" "$programs/pie/slow_pipe"
}

case_two()
{
	launch first pipeline 3 200
	first=$gapp_pid
	launch second convoy 4 150
	release first second
	record_end first "$first"
	record_end second "$gapp_pid"
}

run_case()
{
	case_begin "$1"
	program=${1%%-*}
	threshold=${1#"$program"}
	threshold=${threshold:+-n ${threshold#-}}
	case $program in
	foreign | uring | attach | two | slow_pipe | frozen) "case_$program" ;;
	faults) run faults /disk/pages ;;
	hot_mutex | commit_path | fault_storm) run "$programs/pie/$program" ;;
	spin) run spin 8 400 $((cpus < 2 ? cpus : 2)) ;;
	serial_broadcast | barrier | convoy | pipeline | kpreempt | signals | forkexec | \
	threadexec | churn | shifts | sockets | rwlock | sleeps | kernel_locks) run "$program" ;;
	*) fail "no such case" ;;
	esac
	case_end
}

# Another scheduler, or another rule of it, for all that follows.
schedule()
{
	case $scheduler in
	ext)
		take_over >/tmp/taken 2>&1 &
		while ! grep -q . /tmp/taken; do
			sleep 0.1
		done
		[ "$(cat /sys/kernel/sched_ext/state)" = enabled ] || why=$(cat /tmp/taken)
		;;
	core)
		echo 1 >/proc/sys/kernel/sched_schedstats
		alone=cookie
		why=$(cookie true 2>&1)
		;;
	esac
}

# What has changed the scheduler has to be there to the end.
still_scheduled()
{
	[ "$scheduler" != ext ] || [ "$(cat /sys/kernel/sched_ext/state)" = enabled ]
}

mkdir -p "$out"
why=
schedule
if [ -n "$why" ]; then
	echo "$why" >"$out/error.txt"
	exit 1
fi
if ! tracing_set_up; then
	echo "tracefs cannot be set up" >"$out/error.txt"
	exit 1
fi
if [ -n "$programs" ]; then
	# The probes of a session stay for the next one of its kind: so the second trace can begin first.
	dir=$out
	threshold=
	record before -- true
	record_end before "$gapp_pid"
fi
for name; do
	run_case "$name"
	still_scheduled || fail "the kernel has taken the scheduler back"
done
tracing_tear_down

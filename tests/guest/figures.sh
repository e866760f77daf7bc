#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC3043 # busybox has local
#
# Runs inside the guest: programs of OpenMP at once, under gapp-read and the kernel's own sched_switch at the
# same time, and with the NAME sections its events of write(), too. Leaves in OUT/NAME what gapp-read says
# (cores.csv, run.json, run.html) and trace.txt; error.txt if it failed.
# usage: figures.sh OUT NAME GAPP-READ'S-ARGUMENTS -- "PROGRAM ARGUMENTS"…
set -u

tracing=/sys/kernel/tracing
instance=$tracing/instances/figures
out=$1/$2
name=$2
shift 2
words=
while [ "$1" != -- ]; do
	words="$words $1"
	shift
done
shift
mkdir -p "$out"

set_up()
{
	[ -d $tracing/instances ] || mount -t tracefs tracefs $tracing || return 1
	mkdir -p $instance || return 1
	echo mono >$instance/trace_clock
	echo 0 >$instance/options/overwrite
	echo 16384 >$instance/buffer_size_kb
	echo 1 >$instance/events/sched/sched_switch/enable || return 1
	[ "$name" != sections ] || echo 1 >$instance/events/syscalls/sys_enter_write/enable || return 1
	[ "$name" != sections ] || echo 1 >$instance/events/syscalls/sys_exit_write/enable
}

set_up || echo "tracefs cannot be used" >"$out/error.txt"
all=
for program; do
	all="$all $program >/dev/null &"
done
# shellcheck disable=SC2086 # words
gapp-read -q --level trace --no-libs $words -o "$out/run.data" -o "$out/run.cores.csv" -o "$out/run.json" -o "$out/run.html" \
	-- sh -c "$all wait" >"$out/run.txt" 2>>"$out/error.txt" ||
	echo "gapp-read: exit status $?" >>"$out/error.txt"
echo 0 >$instance/tracing_on
cat $instance/trace >"$out/trace.txt"
echo 0 >$instance/events/enable
rmdir $instance
[ -s "$out/error.txt" ] || rm "$out/error.txt"

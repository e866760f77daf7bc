#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs inside the guest (busybox sh): three sessions on one run of a program, two of them with the
# smallest rings and readers that are stopped for the first two seconds.
#
# usage: loss.sh TOOLS PROGRAM OUT
#
# Leaves in OUT large.txt and small.txt, what `gapp-read script` printed, small.json, and *.err.
set -u

tools=$1
program=$2
out=$3
mkdir -p "$out"
loops=$("$tools/calibrate") || exit 1
# Four times the work: the program must run on when its readers do, for what was lost is told before the
# next record that finds room.
export TRUTH_LOOPS_PER_MS=$((loops * 4))
export TRUTH_CPU="$out/cpu"

running()
{
	[ "$(grep -c ' running ' /proc/gapp/sessions)" = "$1" ]
}

"$program" &
target=$!
kill -STOP $target

gapp-read script -q -p $target -m 32M >"$out/large.txt" 2>"$out/large.err" &
large=$!
gapp-read script -q -p $target -m 16K >"$out/small.txt" 2>"$out/small.err" &
small=$!
gapp-read -q --format json --top 100000 --level trace -p $target -m 16K \
	>"$out/small.json" 2>"$out/json.err" &
json=$!

left=200
until running 3; do
	left=$((left - 1))
	if [ $left = 0 ]; then
		echo "no three sessions are running: $(cat "$out"/*.err)" >"$out/error"
		break
	fi
	usleep 50000
done
kill -STOP $small $json
kill -CONT $target
sleep 2
kill -CONT $small $json
wait $target
for session in $large $small $json; do
	wait "$session" || echo "exit status $? of a session: $(cat "$out"/*.err)" >>"$out/error"
done

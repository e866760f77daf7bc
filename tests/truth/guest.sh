#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs inside the guest (busybox sh): the programs of a plan under gapp-read, one after the other.
#
# usage: guest.sh TOOLS PLAN OUT
#
# A line of the plan is NAME|REPORT|FEED|OPTIONS|COMMAND: REPORT is json, text or both, FEED a program
# of TOOLS whose output COMMAND gets for its standard input, OPTIONS are gapp-read's; - is none. COMMAND
# may begin with variables, which gapp-read has, too, so that it knows the program before it begins. Leaves
# in OUT for each: NAME.json, NAME.txt or both, NAME.err, NAME.status, and NAME.cpu, what TRUTH_CPU
# asks the program for, and the recording NAME.data.
set -u

tools=$1
plan=$2
out=$3

mkdir -p "$out"
TRUTH_LOOPS_PER_MS=$("$tools/calibrate") || exit 1
export TRUTH_LOOPS_PER_MS
echo "$TRUTH_LOOPS_PER_MS" >"$out/loops_per_ms"

report()
{
	# shellcheck disable=SC2086 # options and command are words
	set -- $command
	variables=
	while [ "${1#*=}" != "$1" ]; do
		variables="$variables $1"
		shift
	done
	# shellcheck disable=SC2086
	env $variables gapp-read -q $outputs $options -- "$@"
}

while IFS='|' read -r name kind feed options command; do
	[ "$options" != - ] || options=
	case $kind in
	json) outputs="-o $out/$name.json" ;;
	text) outputs="-o $out/$name.txt" ;;
	*) outputs="-o $out/$name.json -o $out/$name.txt" ;;
	esac
	outputs="$outputs -o $out/$name.data"
	export TRUTH_CPU="$out/$name.cpu"
	if [ "$feed" = - ]; then
		report </dev/null >"$out/$name.out" 2>"$out/$name.err"
	else
		"$tools/$feed" | report >"$out/$name.out" 2>"$out/$name.err"
	fi
	echo $? >"$out/$name.status"
done <"$plan"

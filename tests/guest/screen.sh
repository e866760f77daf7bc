#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC3043 # busybox has local
# What a person sees: the default report of the truth suite's programs on the screen of a terminal
# multiplexer, in three widths. Nothing is wider than the screen, it has at most 24 lines, and no name
# is cut.
# brings: /usr/bin/tmux /usr/lib/locale/C.utf8 /lib/terminfo/s /lib/terminfo/d build/truth/pie build/truth/tools
set -u
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

programs=$here/../../build/truth/pie
TRUTH_LOOPS_PER_MS=$("$here/../../build/truth/tools/calibrate")
export TRUTH_LOOPS_PER_MS TERM=screen LC_ALL=C.UTF-8
lines_max=24 wait_s=$((60 * slow))

# Leaves the report in $tmp/seen as the screen has it, and in $tmp/whole with lines that the screen broke.
show() # COLUMNS COMMAND…
{
	local columns=$1 left=$wait_s
	shift
	tmux -L gapp -f /dev/null new-session -d -x "$columns" -y 200 \
		"gapp-read -q -- $* </dev/null; echo; echo that is all; sleep 1000"
	until tmux -L gapp capture-pane -p | grep -q '^that is all'; do
		left=$((left - 1))
		[ $left -gt 0 ] || break
		sleep 1
	done
	tmux -L gapp capture-pane -p | sed '/^that is all/,$d' >"$tmp/seen"
	tmux -L gapp capture-pane -p -J | sed '/^that is all/,$d; s/ *$//' >"$tmp/whole"
	tmux -L gapp kill-server
	[ $left -gt 0 ]
}

# The command on the line of what was recorded is no name.
is_right()
{
	why=
	[ "$(sed '$d' "$tmp/seen" | wc -l)" -le $lines_max ] || why="more than $lines_max lines"
	[ "$(wc -l <"$tmp/seen")" = "$(wc -l <"$tmp/whole")" ] || why="a line that is too long"
	! grep -v '^Recorded' "$tmp/whole" | grep -q '~' || why="a name that is cut"
	grep -q '^Checks' "$tmp/seen" || why="no report"
	[ -z "$why" ]
}

if ! command -v tmux >/dev/null; then
	skip "reports on a screen" "this machine has no tmux: scripts/setup screen"
else
	check "the programs of the truth suite are there" "tests/truth/run --make builds them" [ -x "$programs/hot_mutex" ]
	for program in "$programs"/*; do
		case $program in
		*_mended | */commit_path*) continue ;; # twins, and what needs a disk
		esac
		for columns in 80 100 160; do
			why='it does not end'
			show $columns "$program" && is_right
			check "$(basename "$program"), $columns columns" "$why: $(cat "$tmp/whole")" [ -z "$why" ]
		done
	done
fi
finish

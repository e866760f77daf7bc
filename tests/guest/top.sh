#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC3043 # busybox has local
# gapp-read top on a program with a known bottleneck, as plain text and on the screen of a terminal
# multiplexer: the culprit is named, keys work, and the terminal is as it was before.
# brings: /usr/bin/tmux /usr/lib/locale/C.utf8 /lib/terminfo/s /lib/terminfo/d build/truth/pie build/truth/tools
set -u
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

program=$here/../../build/truth/pie/hot_mutex culprit=insert_entry
TRUTH_LOOPS_PER_MS=$("$here/../../build/truth/tools/calibrate")
export TRUTH_LOOPS_PER_MS TERM=screen LC_ALL=C.UTF-8
wait_s=$((60 * slow))

# Until the program ends, and after it.
plain()
{
	local blocks
	gapp-read top -i 1 -- "$program" >"$tmp/plain" 2>"$tmp/err" </dev/null
	same "plain: the exit status" $? 0
	same "plain: nothing on standard error" "$(cat "$tmp/err")" ""
	blocks=$(grep -c '^So far' "$tmp/plain")
	check "plain: a block each second" "$blocks blocks" [ "$blocks" -ge 2 ]
	check "plain: $culprit is named" "$(tail -n 30 "$tmp/plain")" grep -q "$culprit" "$tmp/plain"
	check "plain: $culprit is the first place at the end" "$(tail -n 30 "$tmp/plain")" \
		sh -c "sed -n '/code that held/{n;h};\${x;p}' $tmp/plain | grep -q $culprit"
	check "plain: nothing that a terminal obeys" "$(head -n 5 "$tmp/plain")" \
		sh -c "! grep -q '$(printf '\033')' $tmp/plain"
	gapp-read top -i 1 -d 2 -p $$ >"$tmp/plain" 2>&1 </dev/null
	same "-d ends it: the exit status" $? 0
}

seen()
{
	tmux -L gapp capture-pane -p >"$tmp/seen" 2>/dev/null
	grep -q -- "$1" "$tmp/seen"
}

# wait_for PATTERN: on the screen
wait_for()
{
	local left=$wait_s
	until seen "$1"; do
		[ $((left -= 1)) -gt 0 ] || return 1
		sleep 1
	done
}

shows() # NAME PATTERN
{
	wait_for "$2"
	check "$1" "$(cat "$tmp/seen")" seen "$2"
}

press()
{
	tmux -L gapp send-keys "$1"
}

lines_drawn()
{
	tmux -L gapp capture-pane -p >"$tmp/seen"
	[ "$(grep -n 'q quit' "$tmp/seen" | cut -d: -f1)" = "$1" ]
}

screen()
{
	cat >"$tmp/session" <<-EOF
		stty -g >$tmp/before
		sh -c 'while :; do $program; done' &
		gapp-read top -i 1 -p \$!
		stty -g >$tmp/after
		echo that is all
		sleep 1000
	EOF
	tmux -L gapp -f /dev/null new-session -d -x 80 -y 24 "sh $tmp/session"
	shows "screen: $culprit is named" "$culprit"
	shows "screen: the keys are named" "q quit"
	check "screen: it has the terminal's lines" "$(cat "$tmp/seen")" lines_drawn 24
	press s
	shows "s: another order" "sort: places now"
	press s
	shows "s: threads" "sort: threads so far"
	press p
	shows "p: pause" "PAUSED"
	tmux -L gapp capture-pane -p >"$tmp/paused"
	sleep 3
	tmux -L gapp capture-pane -p >"$tmp/seen"
	check "p: the screen stays" "$(diff "$tmp/paused" "$tmp/seen")" cmp -s "$tmp/paused" "$tmp/seen"
	press p
	press h
	shows "h: help" "pause: the screen stays"
	press h
	shows "h: the figures again" "thread by its CMetric"
	tmux -L gapp resize-window -x 120 -y 40
	wait_until lines_drawn 40
	check "another size" "$(cat "$tmp/seen")" lines_drawn 40
	press q
	shows "q: it ends" "that is all"
	same "the terminal's settings are as before" "$(cat "$tmp/after")" "$(cat "$tmp/before")"
	tmux -L gapp capture-pane -p -S - >"$tmp/seen"
	check "what was seen last stays" "$(cat "$tmp/seen")" grep -q "$culprit" "$tmp/seen"
	check "the bar is gone" "$(cat "$tmp/seen")" sh -c "! grep -q 'q quit' $tmp/seen"
	tmux -L gapp kill-server
}

if [ ! -x "$program" ]; then
	not_ok "the programs of the truth suite are there" "tests/truth/run --make builds them"
else
	plain
	if command -v tmux >/dev/null; then
		screen
	else
		skip "top on a screen" "this machine has no tmux: scripts/setup screen"
	fi
fi
finish

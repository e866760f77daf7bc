#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In the guest: how long a thread is in a busy-wait loop that is timed exactly, by its own clock and by
# the session. An instruction takes a nanosecond, so that a breakpoint takes about as long as on a
# processor. Then the module can be unloaded. A report with --spin exact names the loop, and so does its
# recording.
# counts instructions
# brings: /usr/lib/x86_64-linux-gnu/libcapstone.so.4 build/workloads
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

library=/usr/lib/x86_64-linux-gnu/libcapstone.so.4
program=$here/../../build/workloads/spin_budget
LOOP='"function": "spin_for_lock", "module": "spin_budget",.*"given_up": false}'

if [ -e $library ]; then
	# once before: then the loops of the program are known from the begin
	gapp-read -q --no-save -- "$program" 2 1 1000 0 >/dev/null 2>&1
	gapp-read -q --level trace --spin exact -o "$tmp/x.json" -o "$tmp/x.txt" -o "$tmp/x.data" \
		-- "$program" 3 40 4000 0 >/dev/null 2>"$tmp/err"
	same "exact: the exit status" $? 0
	sed 's/^/# /' "$tmp/x.txt"
	check "exact: the report names the loop" "$(cat "$tmp/err")" \
		grep -q '^Exact .* 1 busy-wait loop timed by breakpoints: spin_for_lock in spin_budget' "$tmp/x.txt"
	check "exact: so does JSON" "it does not" grep -q "$LOOP" "$tmp/x.json"
	gapp-read report --format json "$tmp/x.data" >"$tmp/again.json"
	check "exact: so does the recording" "it does not" grep -q "$LOOP" "$tmp/again.json"
else
	skip "exact: reports" "no $library"
fi
abi_test exact-counted
wait_until no_session || not_ok "exact" "a session is left: $(sessions)"
check "rmmod works after that" "$(lsmod | grep '^gapp ')" wait_until rmmod gapp
check "and load again" "it does not" load $KO
finish

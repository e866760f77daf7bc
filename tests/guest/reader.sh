#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC3043 # busybox has local
# In the guest: what gapp-read says and returns when something is wrong with the module, the target
# or the command.
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

# refused NAME CAUSE CURE COMMAND…: status 125, both in the message, nothing on standard output
refused()
{
	local name="$1" cause="$2" cure="$3" status
	shift 3
	"$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
	if [ $status != 125 ]; then
		not_ok "$name: exit status 125" "it is $status: $(cat "$tmp/err")"
	elif [ -s "$tmp/out" ]; then
		not_ok "$name: nothing on standard output" "$(head -n 3 "$tmp/out")"
	elif ! grep -qi -- "$cause" "$tmp/err" || ! grep -qi -- "$cure" "$tmp/err"; then
		not_ok "$name: the message names cause and cure" "$(cat "$tmp/err")"
	else
		ok "$name: status 125, cause and cure are named"
	fi
}

# returns STATUS NAME COMMAND…: of gapp-read -- COMMAND
returns()
{
	local wanted="$1" name="$2"
	shift 2
	gapp-read -q -- "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	same "$name: the exit status" $? "$wanted"
}

as_user()
{
	su user -c "$1"
}

no_module()
{
	rmmod gapp
	refused "module not loaded" "not loaded" "modprobe gapp" gapp-read -p 1
	refused "module not loaded, with a command" "not loaded" "modprobe gapp" gapp-read -- true
	check "the version is told all the same" "it is not" sh -c \
		"gapp-read --version | grep -q 'not loaded'"
	if [ -e "$tests/other-abi-$GAPP_GUEST.ko" ]; then
		load "$tests/other-abi-$GAPP_GUEST.ko"
		refused "module of another ABI" "ABI 2\." "rmmod gapp" gapp-read -p 1
		check "the version of both is told" "$(gapp-read --version)" sh -c \
			"gapp-read --version | grep -q 'ABI 2\.'"
		rmmod gapp
	else
		skip "module of another ABI" "not built"
	fi
	mknod /dev/gapp c 10 255
	refused "a node that is none of the module's" "not loaded" "modprobe gapp" gapp-read -p 1
	rm /dev/gapp
	ln -s /dev/null /dev/gapp
	refused "another device in its place" "gapp.s module" "load the module" gapp-read -p 1
	rm /dev/gapp
	load $KO
}

targets()
{
	local zombie gone
	hand zombie >"$tmp/zombie" &
	zombie=$!
	wait_until [ -s "$tmp/zombie" ]
	sleep 0 &
	gone=$!
	wait $gone
	refused "pid of nobody" "4999999: no such process" "" gapp-read -p 4999999
	refused "pid of a process that has exited" "$gone: no such process\|$gone: .*exited" "" \
		gapp-read -p $gone
	refused "a zombie" "exited" "" gapp-read -p "$(cat "$tmp/zombie")"
	refused "a kernel thread" "kernel thread" "only .*programs" gapp-read -p 2
	refused "itself" "itself" "" sh -c 'exec gapp-read -p $$'
	refused "one good pid and a bad one" "no such process" "" gapp-read -p $zombie,4999999
	end $zombie
}

permissions()
{
	refused "an ordinary user" "you may not" "sudo" as_user 'gapp-read -p $$'
	chmod 666 /dev/gapp
	refused "root's process, by a user" "not yours" "sudo" as_user 'gapp-read -p 1'
	refused "a kernel thread, by a user" "kernel thread" "only .*programs" as_user 'gapp-read -p 2'
	chmod 777 "$tmp"
	as_user "gapp-read -o $tmp/user.json -- hand storm 20" >"$tmp/out" 2>"$tmp/user.err"
	mv "$tmp/user.json" "$tmp/user"
	healthy "a user's own command" "$tmp/user" short
	same "its processes were followed" "$(field "$tmp/user" threads_total)" 21
	locked_memory
	chmod 600 /dev/gapp
}

# A user with a low limit of locked memory, and nothing free beside it.
locked_memory()
{
	local limit=/sys/module/gapp/parameters/mlock_kib before
	before=$(cat $limit)
	echo 0 >$limit
	as_user "ulimit -l 6144; gapp-read -q -o $tmp/user.json -- hand storm 20" >"$tmp/out" 2>"$tmp/err"
	same "a user with a low limit of locked memory: the exit status" $? 0
	same "the message names the limit, once" "$(grep -c 'ulimit -l' "$tmp/err")" 1
	mv "$tmp/user.json" "$tmp/user"
	healthy "and what was recorded" "$tmp/user" short
	refused "a user with a lower one" "limit of locked memory" "ulimit -l" \
		as_user 'ulimit -l 512; gapp-read -- true'
	refused "a user who asks for large buffers" "limit of locked memory" "smaller -m" \
		as_user 'ulimit -l 1024; gapp-read -m 1M -- true'
	echo "$before" >$limit
	as_user 'gapp-read -q --no-save -- true' >"$tmp/out" 2>"$tmp/err"
	same "with the usual limits nothing is said" "$(cat "$tmp/err")" ""
}

# words REPORT: on one line, however the report was wrapped
words()
{
	tr '\n' ' ' <"$1"
}

# A program with root's rights that a user starts: gapp does not follow it, and says so.
set_id()
{
	local program=$tmp/set-id out cause
	cp "$tests/hand" "$program"
	chmod 4755 "$program"
	chmod 777 "$tmp"
	chmod 666 /dev/gapp
	as_user "gapp-read -q -o $tmp/set-id.json -- $program storm 20" >"$tmp/out" 2>"$tmp/err"
	same "a set-id program of a user: the exit status" $? 0
	out=$(words "$tmp/out")
	cause="which runs with other rights than yours (set-id): run gapp-read with sudo."
	check "it says why nothing was recorded, and the cure" "$out" \
		[ "${out#Nothing was recorded: you may not follow the program, "$cause"}" != "$out" ]
	check "and claims nothing else" "$out" sh -c "! grep -q 'nobody\|max-threads\|Parallelism' $tmp/out"
	same "JSON: nobody was followed" "$(field "$tmp/set-id.json" threads_total)" 0
	same "JSON: the cause" "$(field "$tmp/set-id.json" not_followed_denied)" 1
	as_user "gapp-read -q -- sh -c '$program storm 20; true'" >"$tmp/out" 2>"$tmp/err"
	same "one that a shell starts: the first line" "$(head -n 1 "$tmp/out")" \
		"Warning: 1 thread with other rights (set-id) not followed: use sudo"
	check "then not that nobody ran" "$(cat "$tmp/out")" sh -c "! grep -q 'nobody ran\|max-threads' $tmp/out"
	chmod 600 /dev/gapp
	gapp-read -q -- "$program" storm 20 >"$tmp/out" 2>"$tmp/err"
	check "root follows it" "$(cat "$tmp/out")" sh -c "! grep -q 'not followed\|Nothing' $tmp/out"
}

statuses()
{
	returns 0 "a command that succeeds" true
	returns 3 "a command that exits with 3" sh -c 'exit 3'
	returns 255 "a command that exits with 255" sh -c 'exit 255'
	returns 137 "a command killed by signal 9" sh -c 'kill -9 $$'
	returns 134 "a command killed by signal 6" sh -c 'kill -6 $$'
	returns 127 "a command that is not found" no-such-command
	check "it is named" "$(cat "$tmp/err")" grep -q 'no-such-command: command not found' "$tmp/err"
	returns 127 "a path that does not exist" /no/such/path
	returns 126 "a file that is no program" /etc/passwd
	check "the reason is told" "$(cat "$tmp/err")" grep -qi 'permission denied' "$tmp/err"
	returns 126 "a folder" /etc
	gapp-read >"$tmp/out" 2>"$tmp/err"
	same "no target: the exit status" $? 2
	gapp-read -p 1 -- true >"$tmp/out" 2>"$tmp/err"
	same "two kinds of target: the exit status" $? 2
	check "no process is left behind" "$(ps)" sh -c '! ps | grep -q "[n]o-such-command"'
}

sudo_user()
{
	local out
	mkdir -p "$tmp/home"
	chmod 777 "$tmp" "$tmp/home"
	out=$(SUDO_UID=1000 SUDO_GID=1000 gapp-read -q -- sh -c \
		"id -u; id -g; id -G; echo \$HOME; echo x >$tmp/home/file" 2>&1 | head -n 4)
	same "under sudo the command runs as the user" "$(echo "$out" | tr '\n' ' ')" \
		"1000 1000 1000 /home/user "
	same "its files belong to the user" "$(stat -c %u:%g "$tmp/home/file")" 1000:1000
	same "without sudo it runs as root" "$(gapp-read -q -- id -u | head -n 1)" 0
	refused "a SUDO_UID that is no number" "SUDO_UID" "unset" env SUDO_UID=x gapp-read -- true
	refused "a SUDO_UID without SUDO_GID" "SUDO_GID" "unset" env SUDO_UID=1000 gapp-read -- true
	SUDO_UID=1000 SUDO_GID=1000 as_json "$tmp/sudo" gapp-read -q -- hand storm 20 2>"$tmp/sudo.err"
	healthy "a command under sudo" "$tmp/sudo" short
	same "the report belongs to the user, too" "$(stat -c %u:%g "$tmp/sudo")" 1000:1000
}

no_module
targets
permissions
set_id
statuses
sudo_user
finish

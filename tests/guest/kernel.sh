#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC3043 # busybox has local
# In the guest: programs that the kernel holds up, and kernel threads: the report names the system
# call, and with -k the function of the kernel, in its first place.
# boots with a disk: 100
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

work_ko=$tests/work-$GAPP_GUEST.ko
ms=$((1500 * slow))

first() # REPORT
{
	sed -n '/^\t"paths"/,$ s/^\t\t{"rank": 1, \(.*\)$/\1/p' "$1" | head -n 1
}

# of_first REPORT MEMBER: a number
of_first()
{
	first "$1" | sed 's/, "frames": .*//' | sed -n "s/.*\"$2\": \([0-9.]*\)[,}].*/\1/p"
}

most() # PART WHOLE
{
	awk -v part="${1:-0}" -v whole="${2:-0}" 'BEGIN { exit !(whole > 0 && part >= 0.7 * whole) }'
}

# calls NAME REPORT KIND CALL: the first place is the program's own code, and says that it is in CALL
calls()
{
	local row
	row=$(first "$2")
	case $row in
	*"\"kind\": \"$3\""*"\"function\": \"$5\""*) ok "$1: the first place is below $5()" ;;
	*) not_ok "$1: the first place is below $5()" "$row $(cat "$2.err")" ;;
	esac
	check "$1: without -k no frame is the kernel's" "$row" sh -c \
		"! grep '\"rank\": 1,' '$2' | grep -q '\"module\": \"\[kernel\]\"'"
	check "$1: most of it is in the kernel" "$row" \
		most "$(of_first "$2" kernel_s)" "$(of_first "$2" critical_s)"
	check "$1: in $4" "$row" most "$(of_first "$2" "$4")" "$(of_first "$2" critical_s)"
}

# functions NAME REPORT KIND FUNCTION... USER: the first path has one of the functions above USER
functions()
{
	local name=$1 report=$2 kind=$3 row function
	shift 3
	row=$(first "$report")
	for function; do
		[ "$function" != "$last" ] || break
		case $row in
		*"\"kind\": \"$kind\""*"\"function\": \"$function\", \"module\": \"[kernel]\""*"\"function\": \"$last\""*)
			ok "$name: -k: $function() above $last()"
			return
			;;
		*"\"kind\": \"$kind\""*"\"function\": \"$function\", \"module\": \"[ext4]\""*"\"function\": \"$last\""*)
			ok "$name: -k: $function() of a module above $last()"
			return
			;;
		esac
	done
	not_ok "$name: -k: $* above $last()" "$row $(cat "$report.err")"
}

# workload MODE KIND CALL USER PATH FUNCTION...
workload()
{
	local mode=$1 kind=$2 call=$3 last=$4 path=$5
	shift 5
	record "$tmp/$mode" -- in_kernel "$mode" $ms ${path:+"$path"}
	healthy "$mode" "$tmp/$mode" short
	calls "$mode" "$tmp/$mode" "$kind" "$call" "$last"
	record "$tmp/$mode-k" -k -- in_kernel "$mode" $ms ${path:+"$path"}
	healthy "$mode, -k" "$tmp/$mode-k" short
	functions "$mode" "$tmp/$mode-k" "$kind" "$@" "$last"
	check "$mode: -k: the calls are told all the same" "$(first "$tmp/$mode-k")" \
		most "$(of_first "$tmp/$mode-k" "$call")" "$(of_first "$tmp/$mode-k" critical_s)"
	format=text record "$tmp/$mode-text" -k --by function -- in_kernel "$mode" $ms ${path:+"$path"}
	check "$mode: -k: every line fits" "$(cat "$tmp/$mode-text")" \
		sh -c "[ -s '$tmp/$mode-text' ] && ! grep -q '.\{101\}' '$tmp/$mode-text'"
}

kernel_threads()
{
	local reader row
	if [ ! -e "$work_ko" ]; then
		skip "kernel threads" "no module with work"
		return
	fi
	gapp-read -q --format json --kthreads 'kworker/*' -d $((3 * slow)) >"$tmp/kworker" \
		2>"$tmp/kworker.err" </dev/null &
	reader=$!
	sessions_are 1 "--kthreads"
	insmod "$work_ko"
	wait $reader
	rmmod gapp_work
	healthy "--kthreads" "$tmp/kworker" short
	row=$(first "$tmp/kworker")
	case $row in
	*'"kind": "ran"'*'"complete": true'*'"comm": "kworker/'*'"function": "gapp_work_crunch", "module": "[gapp_work]"'*)
		ok "--kthreads: the first place is the work's function, and its path is whole"
		;;
	*)
		not_ok "--kthreads: the first place is the work's function, and its path is whole" \
			"$row $(cat "$tmp/kworker.err")"
		;;
	esac
	check "--kthreads: all of it is in the kernel" "$row" \
		most "$(of_first "$tmp/kworker" kernel_thread)" "$(of_first "$tmp/kworker" critical_s)"
	gapp-read -q --kthreads 'no such*' >"$tmp/none" 2>&1 </dev/null
	same "--kthreads of a name that nobody has: the status" $? 125
	check "and the message" "$(cat "$tmp/none")" grep -q "no kernel thread is called 'no such\*'" "$tmp/none"
	chmod 666 /dev/gapp
	su user -c "gapp-read -q --kthreads 'kworker/*' -d 1" >"$tmp/users" 2>&1 </dev/null
	same "--kthreads by a user: the status" $? 125
	check "and the cure" "$(cat "$tmp/users")" grep -q "sudo" "$tmp/users"
	chmod 600 /dev/gapp
}

# A kernel thread that begins while gapp records is found within a second.
later_kernel_threads()
{
	local reader
	[ -e "$work_ko" ] || return 0
	insmod "$work_ko"
	gapp-read -q --format json --kthreads "*gapp_work*" -d 4 >"$tmp/later" \
		2>"$tmp/later.err" </dev/null &
	reader=$!
	wait $reader
	rmmod gapp_work
	check "--kthreads by the work that they do" "$(cat "$tmp/later.err")$(first "$tmp/later")" \
		[ "$(thread_count "$tmp/later")" -ge 1 ]
}

hidden()
{
	local before
	before=$(cat /proc/sys/kernel/kptr_restrict)
	echo 2 >/proc/sys/kernel/kptr_restrict
	format=text record "$tmp/hidden" -k -- in_kernel read $ms
	check "hidden addresses: the cause and the cure are told" "$(cat "$tmp/hidden")" \
		grep -q "^Warning: no kernel frames: .*sysctl kernel.kptr_restrict=1$" "$tmp/hidden"
	check "the system call is told all the same" "$(cat "$tmp/hidden")" \
		grep -q "^    kernel [0-9]* %: pread64" "$tmp/hidden"
	echo "$before" >/proc/sys/kernel/kptr_restrict
	chmod 666 /dev/gapp
	su user -c "gapp-read -q -k -- in_kernel read $ms" >"$tmp/user" 2>&1 </dev/null
	chmod 600 /dev/gapp
	check "by a user, too" "$(cat "$tmp/user")" \
		grep -q "^Warning: no kernel frames: .*use sudo$" "$tmp/user"
	check "and the system call" "$(cat "$tmp/user")" \
		grep -q "^    kernel [0-9]* %: pread64" "$tmp/user"
}

workload read ran pread64 read_file "" shmem_file_read_iter
workload faults ran page_faults touch_pages "" handle_mm_fault
kernel_threads
hidden
if [ "${GAPP_KERNEL:-}" = all ]; then
	later_kernel_threads
	in_kernel fill 100000 /tmp/folder
	workload list ran getdents64 list_folder /tmp/folder iterate_dir
	workload flush waited fdatasync flush_file /disk/file ext4_sync_file
fi
finish

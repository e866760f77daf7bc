#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC3043 # busybox has local
# In the guest: programs that the kernel holds up, and kernel threads: the report names the system
# call, and with -k the function of the kernel, in its first place.
# Without detours for indirect jumps: an emulated CPU takes most interrupts in them, and 6.1 cannot
# unwind from there.
# boots with: spectre_v2=off
# boots with a disk: 100
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

work_ko=$tests/work-$GAPP_GUEST.ko
ms=$((1500 * slow))

# The first place of a report.
first() # REPORT
{
	sed -n '/^\t"places"/,/^\t"paths"/ s/^\t\t{"rank": 1, \(.*\)$/\1/p' "$1"
}

# of_first REPORT MEMBER: a number of the first place itself, and not of what it did
of_first()
{
	first "$1" | grep -o "\"$2\": [0-9.]*" | head -n 1 | sed 's/.* //'
}

# uninterrupted REPORT: the critical time of the first place without interrupts, whose share depends on how busy
# the machine is that emulates this one
uninterrupted()
{
	awk -v all="$(of_first "$1" critical_s)" -v part="$(of_first "$1" interrupts)" \
		'BEGIN { printf "%.9f\n", all - part }'
}

# path_of_first REPORT: its functions, innermost first, and what it did
path_of_first()
{
	first "$1" | sed 's/.*"path": \[\(.*\)\], "lines": .*/\1/'
}

most() # PART WHOLE
{
	awk -v part="${1:-0}" -v whole="${2:-0}" 'BEGIN { exit !(whole > 0 && part >= 0.7 * whole) }'
}

# sentence_names NAME REPORT FUNCTION: as a word
sentence_names()
{
	local verdict
	verdict=$(field "$2" verdict)
	case " $verdict " in
	*" $3 "*) ok "$1: the first sentence names $3()" ;;
	*) not_ok "$1: the first sentence names $3()" "$verdict" ;;
	esac
}

# calls NAME REPORT KIND CALL USER: the first place is the program's own code, and says that it is in CALL
calls()
{
	local row
	row=$(first "$2")
	case $row in
	"\"kind\": \"$3\", "*"\"function\": \"$5\", \"object\": "*"\"path\": [{\"function\": \"$5\", "*)
		ok "$1: the first place is $5()"
		;;
	*) not_ok "$1: the first place is $5()" "$row $(cat "$2.err")" ;;
	esac
	sentence_names "$1" "$2" "$5"
	check "$1: without -k no function is the kernel's" "$row" sh -c \
		"! grep -q '\[kernel\]' '$2'"
	check "$1: most of it is in the kernel" "$row" \
		most "$(of_first "$2" kernel_s)" "$(of_first "$2" critical_s)"
	check "$1: in $4" "$row" most "$(of_first "$2" "$4")" "$(uninterrupted "$2")"
}

# functions NAME REPORT KIND USER THROUGH FUNCTION...: the first place is one of the functions, which is in the
# kernel and below THROUGH, which USER leads to, and the first sentence says so. FUNCTION/ is what it calls.
functions()
{
	local name=$1 report=$2 kind=$3 user=$4 through=$5 row place caller verdict
	shift 5
	row=$(first "$report")
	place=$(echo "$row" | sed 's/.*"percent": [0-9.]*, "gain_bound_s": [0-9.nul]*, "function": "\([^"]*\)".*/\1/')
	caller=$(echo "$row" | sed 's/.*"path": \[{"function": "[^"]*"[^{]*{"function": "\([^"]*\)".*/\1/')
	case $row in
	"\"kind\": \"$kind\""*"\"path\": [{\"function\": \"$place\", \"object\": \"["*"\"function\": \"$user\""*"\"doing\": "*) ;;
	*) not_ok "$name: -k: the first place is the kernel's, below $user()" "$row $(cat "$report.err")" ;;
	esac
	case $row in
	*"\"path\": ["*"{\"function\": \"$through\", \"object\": \"["*"\"function\": \"$user\""*"\"doing\": "*) ;;
	*) not_ok "$name: -k: the first place is below $through()" "$row" ;;
	esac
	case " $* " in
	*" $place "* | *" $caller/ "*) ok "$name: -k: the first place is $place(), called by $caller()" ;;
	*) not_ok "$name: -k: the first place is $(echo "$*" | sed 's/ /() or /g')()" "$place: $row" ;;
	esac
	verdict=$(field "$report" verdict)
	case $verdict in
	*" $place from $user "* | *" $place ["*"] from $user "*) ok "$name: -k: the first sentence says so" ;;
	*) not_ok "$name: -k: the first sentence says so" "$place: $verdict" ;;
	esac
}

# workload MODE TIMES KIND CALL USER PATH THROUGH FUNCTION...: with -k it runs TIMES as long
workload()
{
	local mode=$1 times=$2 kind=$3 call=$4 last=$5 path=$6
	shift 6
	record "$tmp/$mode" -- in_kernel "$mode" $ms ${path:+"$path"}
	healthy "$mode" "$tmp/$mode" short
	calls "$mode" "$tmp/$mode" "$kind" "$call" "$last"
	record "$tmp/$mode-k" -k -- in_kernel "$mode" $((ms * times)) ${path:+"$path"}
	healthy "$mode, -k" "$tmp/$mode-k" short
	functions "$mode" "$tmp/$mode-k" "$kind" "$last" "$@"
	check "$mode: -k: the calls are told all the same" "$(first "$tmp/$mode-k")" \
		most "$(of_first "$tmp/$mode-k" "$call")" "$(uninterrupted "$tmp/$mode-k")"
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
	'"kind": "ran", '*'"function": "gapp_work_crunch", "object": "[gapp_work]"'*'"complete": true, "path": '*'"comm": "kworker/'*)
		ok "--kthreads: the first place is the work's function, and its path is whole"
		;;
	*)
		not_ok "--kthreads: the first place is the work's function, and its path is whole" \
			"$row $(cat "$tmp/kworker.err")"
		;;
	esac
	sentence_names "--kthreads" "$tmp/kworker" gapp_work_crunch
	case $(field "$tmp/kworker" verdict) in
	*"process kworker"*) not_ok "--kthreads: it is a kernel thread's" "$(field "$tmp/kworker" verdict)" ;;
	*" is in kernel thread kworker/"*) ok "--kthreads: it is a kernel thread's" ;;
	*)
		# on a slow kernel several of them have done the work, and the sentence names none
		check "--kthreads: it is a kernel thread's" "$(field "$tmp/kworker" verdict)" \
			[ "$(of_first "$tmp/kworker" thread_count)" -gt 1 ]
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
	# names of ksoftirqd/0 and others, and gapp_later's; not kthreadd's, whose children are followed
	gapp-read -q --format json --kthreads "[gk][as][po]*" -d $((4 * slow)) >"$tmp/later" \
		2>"$tmp/later.err" </dev/null &
	reader=$!
	sessions_are 1 "--kthreads, later"
	insmod "$work_ko" thread=1
	wait $reader
	rmmod gapp_work
	check "--kthreads: a thread that begins later is followed" \
		"$(cat "$tmp/later.err")$(list "$tmp/later" threads)" \
		sh -c "grep -q '^		{\"tid\": .*\"gapp_later\"' '$tmp/later'"
	sentence_names "--kthreads, later" "$tmp/later" gapp_later_crunch
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

# Below shmem_file_read_iter() there are copies.
workload read 1 ran pread64 read_file "" shmem_file_read_iter shmem_file_read_iter
# The innermost of these that the compiler has left, or what gets memory for it. Where 0.5 % of the time are faults of the start, the
# place would end before them: what has several callers is a part of their work.
if [ "$slow" = 1 ]; then
	workload faults 4 ran page_faults touch_pages "" handle_mm_fault \
		do_anonymous_page __handle_mm_fault handle_mm_fault do_anonymous_page/ __handle_mm_fault/ handle_mm_fault/
else
	# with all checks on, the lock of the mapping takes as long as what the fault is for, or getting the
	# page takes most of it
	workload faults 4 ran page_faults touch_pages "" do_user_addr_fault \
		do_user_addr_fault do_user_addr_fault/ __handle_mm_fault handle_mm_fault handle_mm_fault/ \
		__folio_alloc_noprof __folio_alloc_noprof/
fi
kernel_threads
hidden
if [ "${GAPP_KERNEL:-}" = all ]; then
	later_kernel_threads
	in_kernel fill 100000 /tmp/folder
	# the file system's function, on 6.1 the latter, or what it calls for an entry: that is flat
	workload list 1 ran getdents64 list_folder /tmp/folder iterate_dir \
		offset_readdir offset_readdir/ dcache_readdir dcache_readdir/
	# the disk writes the inode, and before it the file's page
	workload flush 1 waited fdatasync flush_file /disk/file ext4_sync_file \
		__sync_dirty_buffer file_write_and_wait_range
fi
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In the guest: what gapp-read doctor says of the module, of a user's rights and of programs. Perf
# events of threads, which doctor tries, have the kernel patch its scheduler: QEMU's CPUs take turns.
# lets the kernel patch
# brings: build/6.1/gapp.ko
# shellcheck shell=dash disable=SC3043 # busybox has local
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

release=$(uname -r)
folder=/lib/modules/$release/extra
other=$here/../../build/6.1/gapp.ko

# says STATUS NAME COMMAND…: of gapp-read doctor, whose lines then are in $tmp/out
says()
{
	local status="$1" name="$2"
	shift 2
	"$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	same "$name: the exit status" $? "$status"
	same "$name: nothing on standard error" "$(cat "$tmp/err")" ""
}

# line NAME LEVEL CHECK TEXT: there is such a line
line()
{
	check "$1" "$(grep "  $3  " "$tmp/out")" grep -q "^$2  *$3  .*$4" "$tmp/out"
}

installed() # MODULE: as `make install` does, without depmod
{
	mkdir -p "$folder"
	cp "$1" "$folder/gapp.ko"
}

works()
{
	says 0 "all is well" gapp-read doctor
	line "loaded" ok loaded "the module is loaded"
	line "the device may be opened" ok device "/dev/gapp"
	line "the ABI fits" ok abi "fits this gapp-read"
	line "a recording can be set up" ok session "default buffers"
	line "root may all" ok rights "every process"
	line "the breakpoints are tried" ok breakpoints "each CPU tells who stores"
	line "PAUSE is measured" ok PAUSE "cycles of the TSC"
	check "no session is left" "$(sessions)" no_session
}

not_loaded()
{
	rmmod gapp
	says 1 "not loaded" gapp-read doctor
	line "it is told, with the command" problem loaded "not loaded; run: sudo "
	installed "$KO"
	says 1 "not loaded, but there" gapp-read doctor
	line "the command names the file" problem loaded \
		"not loaded; run: sudo insmod $folder/gapp.ko"
	line "it is for this kernel" ok "built for" "$release"
	echo "extra/gapp.ko:" >"$folder/../modules.dep"
	says 1 "not loaded, but installed" gapp-read doctor
	line "modprobe will do" problem loaded "not loaded; run: sudo modprobe gapp"
	line "it is installed" ok installed "$folder/gapp.ko"
}

# Of another release, which the kernel refuses: the command that is told first is to build it again.
wrong_kernel()
{
	if [ -e "$other" ] && [ "$GAPP_GUEST" != 6.1 ]; then
		installed "$other"
		says 1 "a module of 6.1" gapp-read doctor
		line "for which kernel is told" problem "built for" \
			"was built for kernel 6\.1\..*, and this one is $release; run: "
		check "the kernel refuses it, too" "it does not" sh -c "! insmod $folder/gapp.ko 2>/dev/null"
	fi
	sed "s/vermagic=$release/vermagic=9${release#?}/" "$KO" >"$tmp/other.ko"
	installed "$tmp/other.ko"
	says 1 "a module of another release" gapp-read doctor
	line "the release is told" problem "built for" "was built for kernel 9${release#?}, and"
	installed "$KO"
	load "$folder/gapp.ko"
	says 0 "loaded again" gapp-read doctor
}

ordinary_user()
{
	says 1 "an ordinary user" su user -c 'gapp-read doctor'
	line "the device is refused" problem device "you (user 1000) may not open /dev/gapp.*run: sudo"
	line "what is lacking is told" warning rights "without CAP_PERFMON a session is restricted"
	line "and for the kernel's code" warning "kernel paths" "CAP_SYSLOG"
	chmod 666 /dev/gapp
	says 0 "a user who may open it" su user -c 'gapp-read doctor'
	line "a recording can be set up" ok session "default buffers"
	line "the limit is told" ok "locked memory" "of your limit"
	echo 0 >/sys/module/gapp/parameters/mlock_kib
	says 1 "one whose limit is low" su user -c 'ulimit -l 512; gapp-read doctor'
	line "the cure is told" problem session "too low.*mlock_kib"
	echo 4096 >/sys/module/gapp/parameters/mlock_kib
	says 1 "root's process, by a user" su user -c 'gapp-read doctor -p 1'
	line "it may not be followed" problem process "process 1: you may not follow it.*run: sudo"
	chmod 600 /dev/gapp
}

programs()
{
	says 1 "a kernel thread" gapp-read doctor -p 2
	line "what it is" problem process "it is a kernel thread"
	says 0 "programs and a process" gapp-read doctor hand hand-stripped -p $$
	line "the process may be followed" ok process "process $$: you may follow it"
	line "a program's lines are known" ok "debug information" "hand: its source lines are known"
	line "its names are known" ok symbols "hand: .* have names"
	line "it can be unwound" ok "unwind table" "hand: its unwind table has"
	line "a stripped one is told" warning symbols "hand-stripped: it is stripped"
	line "it has no lines" warning "debug information" "hand-stripped: it has none"
	line "it can be unwound all the same" ok "unwind table" "hand-stripped: its unwind table has"
}

works
not_loaded
wrong_kernel
ordinary_user
programs
rm -r "$folder" "$folder/../modules.dep"
finish

# SPDX-License-Identifier: GPL-2.0
# Sourced by secure_boot.sh and lockdown.sh: a kernel that takes only signed modules. The words of docs/secure-boot.md are
# what modprobe, the kernel and gapp-read doctor say. That a module whose key is enrolled is loaded needs firmware, and
# is not shown.
# shellcheck shell=dash disable=SC2034,SC2154,SC3043 # of lib.sh, for the scripts; local is there

release=$(uname -r)
folder=/lib/modules/$release/extra
signed=$here/../../build/signed/gapp.ko
page=$here/../../docs/secure-boot.md
enforce=/sys/module/module/parameters/sig_enforce
security=/sys/kernel/security
mount -t securityfs securityfs $security

installed() # MODULE: as `make install` does
{
	mkdir -p "$folder"
	cp "$1" "$folder/gapp.ko"
	echo "extra/gapp.ko:" >"$folder/../modules.dep"
}

# refused NAME MODULE INSMOD'S WORDS KERNEL'S WORDS
refused()
{
	dmesg -c >"$tmp/before"
	if insmod "$2" >"$tmp/insmod" 2>&1; then
		not_ok "$1 is refused" "it is loaded"
		rmmod gapp
	else
		check "$1 is refused" "$(cat "$tmp/insmod")" grep -q "$3" "$tmp/insmod"
	fi
	dmesg >"$tmp/dmesg"
	check "$1: the kernel says why" "$(cat "$tmp/dmesg")" grep -q "$4" "$tmp/dmesg"
	check "$1: the page has these words" "$3, $4" sh -c "grep -q '$3' '$page' && grep -q '$(echo "$4" | sed 's/insmod/modprobe/')' '$page'"
}

# told NAME STATUS LEVEL CHECK TEXT: gapp-read doctor ends with the status, and has such a line
told()
{
	gapp-read doctor >"$tmp/doctor" 2>&1 </dev/null
	same "$1: the exit status of gapp-read doctor" $? "$2"
	check "$1: gapp-read doctor says so" "$(grep "  $4  " "$tmp/doctor")" grep -q "^$3  *$4  .*$5" "$tmp/doctor"
}

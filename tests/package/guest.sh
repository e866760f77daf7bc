#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In a guest of a Debian where the packages are installed: the module loads, a program is profiled, and what
# is purged is gone.
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:$PATH

check() { # NAME COMMAND
	if sh -c "$2" >/tmp/said 2>&1; then
		echo "ok - $1"
	else
		sed 's/^/# /' /tmp/said
		echo "not ok - $1"
	fi
}

program=/opt/gapp/bin/serial_broadcast
# an emulated CPU takes tens of times as long for a call path
check "modprobe loads the module" "modprobe gapp max_switch_us=50000 max_cpu_percent=100"
check "it is DKMS's, for this kernel" "modinfo -n gapp | grep '/updates/dkms/'"
check "gapp-read doctor finds no problem" "/usr/bin/gapp-read doctor"
check "a program is profiled, and main holds its threads up" \
	"/usr/bin/gapp-read --no-save -- $program >/tmp/report && cat /tmp/report && grep -q '^ *1 .*main ' /tmp/report"
check "apt purges both packages" "apt-get -q -y purge gapp gapp-dkms"
check "the module is not loaded any more" "[ ! -e /sys/module/gapp ] && [ ! -e /dev/gapp ]"
check "no file of theirs is left" \
	"! find / -xdev -name '*gapp*' ! -path '/opt/*' ! -path '/tmp/*' ! -path '/run/*' ! -path '/var/log/*' ! -path '/work/*' ! -path '$(dirname "$0")*' | grep ."
check "the kernel is in order" "! dmesg | grep -E 'BUG|Oops|Call Trace'"
echo 'done'

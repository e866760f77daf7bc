#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In a guest of a Debian where the packages are installed: the module loads, a program is profiled, the packages
# are upgraded under a loaded module, and what is purged is gone.
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
check "modprobe loads the module" "/usr/sbin/modprobe gapp max_switch_us=50000 max_cpu_percent=100"
check "it is DKMS's, for this kernel" "modinfo -n gapp | grep '/updates/dkms/'"
check "gapp-read doctor finds no problem" "/usr/bin/gapp-read doctor"
check "a program is profiled, and main holds its threads up" \
	"/usr/bin/gapp-read --no-save -- $program >/tmp/report && cat /tmp/report && grep -q '^ *1 .*main ' /tmp/report"
# compilers are slow here: for this kernel alone
for build in /lib/modules/*/build; do
	[ "$build" = "/lib/modules/$(uname -r)/build" ] || mv "$build" "$build-later"
done
before=$(cat /sys/module/gapp/srcversion)
check "apt upgrades both packages under a loaded module, and says how to load the new one" \
	"apt-get -q -y -o Dpkg::Use-Pty=0 --no-install-recommends install /opt/packages/rebuilt/*.deb >/tmp/upgrade 2>&1; status=\$?; cat /tmp/upgrade
	grep 'the module that is loaded is the one from before the upgrade' /tmp/upgrade && exit \$status"
check "the loaded module is the one from before, and another one is installed" \
	"cat /sys/module/gapp/srcversion; /usr/sbin/modinfo -n gapp; /usr/sbin/modinfo -F srcversion gapp; echo $before
	grep -qx $before /sys/module/gapp/srcversion && modinfo -n gapp | grep -q '/updates/dkms/' && /usr/sbin/modinfo -F srcversion gapp >/tmp/new && [ -s /tmp/new ] && ! grep -qx $before /tmp/new"
# by kmod's modprobe: this shell has one of its own
load=$(sed -n 's/.*until: //; s,sudo modprobe,/usr/sbin/modprobe,gp' /tmp/upgrade)
check "the command that it says loads the new one" \
	"grep gapp /lib/modules/\$(uname -r)/modules.dep; [ -n '$load' ] && $load && /usr/sbin/modinfo -F srcversion gapp | grep -qx \"\$(cat /sys/module/gapp/srcversion)\""
check "gapp-read doctor finds no problem after the upgrade" "/usr/bin/gapp-read doctor"
/usr/bin/gapp-read --no-save -- sleep 1000 >/tmp/open 2>/tmp/open.said &
reader=$!
check "the package is removed while a session is open, and says that the module stays" \
	"tries=100; while [ \$(cat /sys/module/gapp/refcnt) = 0 ] && [ \$tries -gt 0 ]; do sleep 0.1; tries=\$((tries - 1)); done
	apt-get -q -y -o Dpkg::Use-Pty=0 remove gapp-dkms >/tmp/remove 2>&1; status=\$?; cat /tmp/remove
	grep 'in use and stays loaded' /tmp/remove && [ -e /sys/module/gapp ] && exit \$status"
kill -INT $reader
wait $reader
check "the session has gone on, and ends with its report" "cat /tmp/open.said; [ -s /tmp/open ]"
unload=$(sed -n 's/.*stays loaded: sudo //; s/, later//p' /tmp/remove)
check "the module is unloaded by the command that it said" "[ -n '$unload' ] && $unload"
check "apt purges both packages" "apt-get -q -y -o Dpkg::Use-Pty=0 purge gapp gapp-dkms"
check "the module is not loaded any more" "[ ! -e /sys/module/gapp ] && [ ! -e /dev/gapp ]"
check "no file of theirs is left" \
	"! find / -xdev -name '*gapp*' ! -path '/opt/*' ! -path '/tmp/*' ! -path '/run/*' ! -path '/var/log/*' ! -path '/work/*' ! -path '$(dirname "$0")*' | grep ."
check "the kernel is in order" "! dmesg | grep -E 'BUG|Oops|Call Trace'"
echo 'done'

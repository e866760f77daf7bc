#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In a guest whose kernel has CONFIG_KUNIT: loads gapp_kunit.ko, which runs its tests, and leaves
# the results of all its suites in /out/kunit.ktap: kunit/guest.sh PATH/gapp_kunit.ko
set -u

mkdir -p /out
insmod "$1" || exit 1
cat /sys/kernel/debug/kunit/gapp*/results >/out/kunit.ktap 2>/dev/null ||
	dmesg >/out/kunit.ktap
rmmod gapp_kunit

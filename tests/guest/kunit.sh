#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In a guest whose kernel has CONFIG_KUNIT: loads gapp_kunit.ko, which runs its tests, and leaves
# their results in /out/kunit.ktap: guest/kunit.sh PATH/gapp_kunit.ko
set -u

mkdir -p /out
results=/sys/kernel/debug/kunit/gapp/results
insmod "$1" || exit 1
if [ -r "$results" ]; then
	cat "$results" >/out/kunit.ktap
else
	dmesg >/out/kunit.ktap
fi
rmmod gapp_kunit

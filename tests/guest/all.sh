#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC3043 # busybox has local
# In the guest: runs scripts one after the other; tests/guest/run calls it.
# usage: all.sh SCRIPT…
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"
for script; do
	sh "$script"
	status=$?
	[ $status = 0 ] || echo "not ok - $(basename "$script" .sh): the script ended well (status $status)"
done

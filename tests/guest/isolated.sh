#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In a guest whose CPU 1 is set aside for a program that must not be disturbed: sessions do not.
# boots with: isolcpus=domain,managed_irq,1 nohz_full=1 rcu_nocbs=1 irqaffinity=0
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

same "CPU 1 is isolated" "$(cat /sys/devices/system/cpu/isolated)" 1
abi_test apart
finish

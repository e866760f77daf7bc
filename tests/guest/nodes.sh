#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In a guest with two NUMA nodes: memory lies where it is used.
# has nodes: 2
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

same "there are two nodes" "$(cat /sys/devices/system/node/online)" 0-1
abi_test nodes
finish

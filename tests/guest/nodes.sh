#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In a guest with two NUMA nodes: memory lies where it is used, and a recording has the node of each CPU.
# has nodes: 2
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

same "there are two nodes" "$(cat /sys/devices/system/node/online)" 0-1
abi_test nodes

# node_of CPU: as the kernel has it
node_of()
{
	basename "$(echo /sys/devices/system/cpu/cpu"$1"/node[0-9]*)" | sed 's/node//'
}

# shellcheck disable=SC2016 # for the inner shell
gapp-read -q --level trace -o "$tmp/nodes.data" -o "$tmp/nodes.cores.csv" -o "$tmp/nodes.html" -- \
	sh -c 'for i in 1 2 3 4 5 6 7 8; do (i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); done) & done; wait' \
	>"$tmp/nodes.out" 2>"$tmp/nodes.err"
same "nodes: the exit status" $? 0
said=$(sed 1d "$tmp/nodes.cores.csv" | awk -F, '{ print $1 " " $NF }' | sort -u)
wanted=$(sed 1d "$tmp/nodes.cores.csv" | cut -d, -f1 | sort -u | while read -r cpu; do echo "$cpu $(node_of "$cpu")"; done)
same "nodes: each CPU of the table has the kernel's node" "$said" "$wanted"
same "nodes: both nodes had threads" "$(echo "$said" | sed 's/.* //' | sort -u | tr '\n' ' ')" "0 1 "
same "nodes: the page has the same" "$(sed -n 's/^"cpus"://p' "$tmp/nodes.html" | tr '{' '\n' |
	sed -n 's/.*"cpu":\([0-9]*\),"node":\([0-9]*\).*/\1 \2/p' | sort)" "$wanted"
finish

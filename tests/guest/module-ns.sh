#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC3043 # busybox has local
# Called by module.sh as init of a pid namespace, with a /proc of its own: which ids it sees there.
# usage: module-ns.sh NUMBER-OF-A-SESSION-OUTSIDE
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"
part=module

hand load 2 &
target=$!
wait_until grep -q "^Threads:.2$" /proc/$target/status
same "in a pid namespace: a session outside shows no thread, but a title" \
	"$(awk '{ print $1 }' "$PROC/session-$1/threads")" tid
same "in a pid namespace: a session outside is not listed" "$(sessions)" ""
hand hold $target >"$tmp/ns-hold" &
holder=$!
sessions_are 1 "in a pid namespace"
wait_until [ -s "$tmp/ns-hold" ]
id=$(cat "$tmp/ns-hold")
same "in a pid namespace: its threads have the ids of here" \
	"$(awk -v pid=$target 'NR > 1 && $2 == pid' "$PROC/session-$id/threads" | wc -l)" 2
same "in a pid namespace: and so has its owner" \
	"$(sessions | awk -v id="$id" '$1 == id { print $3 }')" "$holder"
end $holder
record "$tmp/inner" -p $target -d 0.5
healthy "in a pid namespace" "$tmp/inner"
same "in a pid namespace: the report has the ids of here" \
	"$(grep -c "\"tgid\": $target, \"comm\": [^,]*, \"cmetric_s\"" "$tmp/inner")" 2
end $target
ok "in a pid namespace: to the end"

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In a guest that counts instructions: what the probe of context switches takes, by how paths are
# walked and how long they are. A line for each: FRAMES WAY INSTRUCTIONS
# usage: guest.sh HANDOVER ROUNDS
set -eu

number() { # NAME: in the report
	sed -n "s/.*\"$1\": \([0-9.]*\).*/\1/p" /tmp/report.json | head -n 1
}

for frames in 8 16 32; do
	for way in none fp table; do
		gapp-read -q --min-critical 0 -F 0 -m 16M --call-graph "$way" --max-stack "$frames" \
			--format json -o /tmp/report.json -- "$1" "$2" >/dev/null
		awk -v f="$frames" -v w="$way" -v s="$(number probe_s)" -v n="$(number probe_calls)" \
			'BEGIN { printf "%d %s %.0f\n", f, w, s * 1e9 / n }'
	done
done

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In a guest with more virtual CPUs than the host has: how long events wait for the integrals while
# the host halts virtual CPUs, and a fault has some stop in the middle of a change. Usage: crowded.sh
set -u
parameter=/sys/module/gapp/parameters/longest_wait_ns
echo 0 >$parameter
report=/tmp/report.json
gapp-read --level critical -o $report -- convoy 32 20 >/tmp/report.out 2>/tmp/report.err || cat /tmp/report.err
posts=$(sed -n 's/.*"posts": \([0-9]*\).*/\1/p' $report)
switches=$(sed -n 's/^\t"switches": \([0-9]*\).*/\1/p' $report)
accounted=$(sed -n 's/.*"accounted_percent": \([0-9.]*\).*/\1/p' $report)
recount=$(sed -n 's/.*"n_recount_ok": \([a-z]*\).*/\1/p' $report)
echo "crowded: $(cat $parameter) $posts $switches $accounted $recount"

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC3043 # busybox has local
# In the guest: how long a switch takes at most, with the module's parameters as they are on a
# machine, by its own clock and by the kernel's irqs-off tracer. An instruction takes a nanosecond.
# counts instructions
# boots with: memmap=4M$0x10000000
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

TRACING=/sys/kernel/tracing
# memory that the kernel was told to leave alone
device=$(sed -n 's/.*memmap=4M\$\(0x[0-9a-f]*\).*/\1/p' /proc/cmdline)

# The longest time that the tracer has seen.
show() # WHO
{
	[ -z "$traces" ] || sed -n -e 's/^# *\(latency: .*\)/\1/p' -e 's/^# *\(=> .*\)/\1/p' \
		-e '/^ *[^#]/p' $TRACING/trace | head -n 60 | sed "s/^/# longest $1: /"
}

# With the module's functions in what the tracer shows. They take longer so.
functions()
{
	[ -n "$traces" ] || return 0
	echo ':mod:gapp' >$TRACING/set_ftrace_filter
	echo 1 >$TRACING/options/function-trace
	longest root "$device" >"$tmp/functions" 2>&1
	show "root, its functions"
}

if [ -b /dev/ram0 ]; then
	mkswap /dev/ram0 >/dev/null
	swapon /dev/ram0
fi
rmmod gapp
insmod $KO timed_calls=1
chmod 666 /dev/gapp
traces=
if grep -qw irqsoff $TRACING/available_tracers; then
	traces=1
	echo 0 >$TRACING/tracing_on
	echo 0 >$TRACING/options/function-trace
	echo irqsoff >$TRACING/current_tracer
fi
for who in root user without; do
	longest $who "$device"
	show $who
done
functions
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC3043 # busybox has local
# In the guest: the programs of tests/abi.
# has device memory
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

# Of no session that is.
no_table()
{
	[ "$(tail -n +3 $PROC/tables | wc -l)" = 0 ]
}

# A program that dies without a word must show.
program() # NAME ARGUMENT…
{
	if "$@" >"$tmp/out" 2>&1 || grep -q '^not ok' "$tmp/out"; then
		cat "$tmp/out"
	else
		cat "$tmp/out"
		not_ok "$*" "ended with an error: $(tail -n 1 "$tmp/out")"
	fi
	wait_until no_session || not_ok "$*" "a session is left: $(sessions)"
	wait_until no_table || not_ok "$*" "a table is left: $(tail -n +3 $PROC/tables)"
}

# /proc/gapp is for root alone: each of its files says so, not only the folder.
modes()
{
	same "modes of version, sessions, tables and probes" \
		"$(cd $PROC && stat -c %a . version sessions tables probes | tr '\n' ' ')" \
		"500 400 400 400 400 "
}

# A user's tables have a limit that is reached soon.
restricted_user()
{
	rmmod gapp && load $KO table_mib=40
	program restricted "$tests/hand"
	rmmod gapp && load $KO
}

modes

# What comes and goes while others look, for kernels with all checks on, which take their time; some
# is these, and what asks a kernel for most.
if [ "${GAPP_ABI:-}" = few ] || [ "${GAPP_ABI:-}" = some ]; then
	program abi_test order sessions descendants executed selections "control groups" "at exec" "at a later exec" "at no exec" closed fork wakers handovers "files of waits" "kernel locks" spins exact marks tallies "everybody apart" \
		locked "table limits" "mappings in order" "paths by table" tail "any tables, busy" \
		"storm of sessions" "leaving threads" hostile "nth fault" "no memory"
	# for tests/mutate
	if [ "$slow" = 1 ] || [ "$GAPP_ABI" = some ]; then
		program abi_test maps alone sleep charged "given back" half "kernel paths" "without rights" samples children
		restricted_user
	fi
	program chaos 4 1
	program bomb churn $((1000 / slow))
	finish
	exit
fi

program abi_test
restricted_user
program chaos 10 1
program bomb threads "${GAPP_BOMB:-$((2000 / slow))}"
program bomb busy $((1000 / slow))
program bomb forks 200
program bomb churn $((3000 / slow))
[ -z "${GAPP_BOMB:-}" ] || program bomb forks 5000
finish

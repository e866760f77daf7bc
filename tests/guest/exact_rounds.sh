#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In the guest: loops are timed exactly while their processes and the sessions end in every way, a
# thousand times. No breakpoint is left in a program, and the module can be unloaded.
# may take: 5400
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

abi_test exact-rounds
wait_until no_session || not_ok "exact" "a session is left: $(sessions)"
check "rmmod works after that" "$(lsmod | grep '^gapp ')" wait_until rmmod gapp
check "and load again" "it does not" load $KO
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In the guest: loops are timed exactly while their processes and the sessions end in every way, three
# hundred times. No breakpoint is left in a program, and the module can be unloaded.
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

abi_test exact-rounds
wait_until no_session || not_ok "exact" "a session is left: $(sessions)"
check "rmmod works after that" "$(lsmod | grep '^gapp ')" wait_until rmmod gapp
check "and load again" "it does not" load $KO
finish

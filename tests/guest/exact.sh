#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In the guest: how long a thread is in a busy-wait loop that is timed exactly, by its own clock and by
# the session. An instruction takes a nanosecond, so that a breakpoint takes about as long as on a
# processor. Then the module can be unloaded.
# counts instructions
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

abi_test exact-counted
wait_until no_session || not_ok "exact" "a session is left: $(sessions)"
check "rmmod works after that" "$(lsmod | grep '^gapp ')" wait_until rmmod gapp
check "and load again" "it does not" load $KO
finish

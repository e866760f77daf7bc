#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In the guest: who stores into a word is seen, and what an instruction stores is told. With
# GAPP_WATCH=rounds both go on while their processes and the sessions end in every way, a thousand times.
# Then no breakpoint of the processors is used, and the module can be unloaded. QEMU translates code again
# at each store into a watched word, and dies of that now and then if its CPUs run at the same time: so they
# take turns here.
# lets the kernel patch
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

abi_test watch
[ "${GAPP_WATCH:-}" != rounds ] || abi_test watch-rounds
abi_test "store points"
[ "${GAPP_WATCH:-}" != rounds ] || abi_test store-points-rounds
wait_until no_session || not_ok "watch" "a session is left: $(sessions)"
check "rmmod works after that" "$(lsmod | grep '^gapp ')" wait_until rmmod gapp
check "and load again" "it does not" load $KO
finish

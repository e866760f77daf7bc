#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In a guest whose kernel counts calls of its functions: what sessions must not have it do.
# lets the kernel patch
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

abi_test patches
abi_test bounds
wait_until no_session || not_ok "quiet" "a session is left: $(sessions)"
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In the guest: sequences of calls to the module that are made at random; on a kernel with KCOV those
# that reach new code are kept and made more of.
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

"$tests/explore" "${GAPP_EXPLORE:-180}" "${GAPP_SEED:-1}" >"$tmp/out" 2>&1 ||
	not_ok "explore" "ended with an error: $(tail -n 1 "$tmp/out")"
cat "$tmp/out"
wait_until no_session || not_ok "explore" "a session is left: $(sessions)"
finish

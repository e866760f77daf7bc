# SPDX-License-Identifier: GPL-2.0
# Sourced by the tests of packages: results, and the packages themselves.
# shellcheck shell=bash disable=SC2154 # $log is the script's that sources this
failed=0

# expect NAME COMMAND…: what it says is shown if it fails.
expect() {
	local name=$1
	shift
	if "$@" >"$log" 2>&1; then
		echo "ok - $name"
	else
		tail -n 60 "$log" | sed 's/^/# /'
		echo "not ok - $name"
		failed=1
	fi
}

# Shell text as a command of expect.
holds() {
	bash -o pipefail -c "$1"
}

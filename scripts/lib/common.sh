# SPDX-License-Identifier: GPL-2.0
# Sourced by the scripts: where things are and how to speak. Standard output belongs to the caller.
# shellcheck shell=bash

# shellcheck disable=SC2034 # for the scripts
GAPP_TOP=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
GAPP_CACHE=${GAPP_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/gapp}
GAPP_PROG=${0##*/}
export LC_ALL=C
# Debian's depmod, mke2fs and debugfs are in sbin, which an ordinary user's PATH lacks.
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
readonly GAPP_TOP GAPP_CACHE GAPP_PROG

say() {
	printf '%s: %s\n' "$GAPP_PROG" "$*" >&2
}

die() {
	say "$*"
	exit 1
}

# What this machine or its registries do not have, and so no test can do: status 77.
lack() {
	say "$*"
	exit 77
}

# need COMMAND GROUP: COMMAND must be there; GROUP is the group of scripts/setup that brings it.
need() {
	command -v "$1" >/dev/null || die "'$1' is missing: run scripts/setup $2"
}

cache_init() {
	mkdir -p "$GAPP_CACHE" || die "cannot create $GAPP_CACHE: set GAPP_CACHE to a folder of yours"
}

# as_root COMMAND…: as root, through sudo if need be.
as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo -- "$@"
	else
		die "must be root for '$1', and there is no sudo: run this as root"
	fi
}

# show_log FILE: the end of a log, for the report of a failure.
show_log() {
	sed 's/^/  | /' <(tail -n 25 "$1") >&2
	say "whole log: $1"
}

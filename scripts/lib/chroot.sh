# SPDX-License-Identifier: GPL-2.0
# Sourced: bare Debian trees and commands in them. Root.
# shellcheck shell=bash

# This machine's own sources of bookworm, whatever mirror they name.
chroot_sources() {
	local file
	for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
		[ -e "$file" ] || continue
		if grep -qE '^[^#]*\bbookworm(-security|-updates)?\b' "$file"; then
			echo "$file"
		fi
	done
}

# Lines of sources.list for other suites, from where this machine has its own.
chroot_other_sources() { # SUITE…
	local uri
	# shellcheck disable=SC2016 # for apt to expand
	uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Codename: bookworm' |
		head -n 1)
	[ -n "$uri" ] || die "no source of bookworm in /etc/apt: this needs a Debian 12 machine"
	printf "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri %s main\n" "$@"
}

# mmdebstrap, for TREE, with this machine's way to the registry.
chroot_bootstrap() { # TREE MMDEBSTRAP-ARGUMENT…
	local conf=$1.apt
	shift
	apt-config dump | grep -E '^Acquire::(https?::|Check-)' >"$conf" || :
	if ! mmdebstrap --quiet --variant=minbase --skip=cleanup/apt/lists --aptopt="$conf" \
		--dpkgopt=force-unsafe-io "$@" >"$conf.log" 2>&1; then
		cat "$conf.log" >&2
		rm -f "$conf" "$conf.log"
		die "mmdebstrap failed"
	fi
	rm -f "$conf" "$conf.log"
}

# chroot_make_other TREE SUITE SUITE2 [MMDEBSTRAP-OPTION…]: a bare Debian of SUITE, and packages of SUITE2.
chroot_make_other() {
	local tree=$1 suite=$2 sources
	readarray -t sources < <(chroot_other_sources "$2" "$3" | sort -u)
	shift 3
	[ -n "${sources[*]}" ] || die "no source of bookworm in /etc/apt: this needs a Debian 12 machine"
	chroot_bootstrap "$tree" "$@" "$suite" "$tree" "${sources[@]}"
}

# chroot_make TREE [MMDEBSTRAP-OPTION…]: a bare Debian 12; with CHROOT_SUITE=trixie Debian 13, from the
# same mirrors.
chroot_make() {
	local tree=$1 suite=${CHROOT_SUITE:-bookworm} files=() sources=$1.sources file
	shift
	readarray -t files < <(chroot_sources)
	[ -n "${files[*]}" ] || die "no source of bookworm in /etc/apt: this needs a Debian 12 machine"
	grep -qE '^[^#]*\bbookworm-security\b' "${files[@]}" ||
		die "bookworm-security is not among apt's sources, and linux 6.12 comes from there"
	rm -rf "$sources"
	mkdir "$sources"
	for file in "${files[@]}"; do
		sed "s/\bbookworm\b/$suite/g" "$file" >"$sources/${file##*/}"
	done
	chroot_bootstrap "$tree" "$@" "$suite" "$tree" "$sources"/*
	rm -rf "$sources"
	cp -L /etc/resolv.conf /etc/hosts "$tree/etc/"
}

# chroot_cached NAME KEY COMMAND…: COMMAND… TREE makes the tree, once; it is kept in the cache, as long as
# no other KEY is wanted for NAME. Sets chroot_tree.
chroot_cached() {
	local tree=$GAPP_CACHE/$1-$2 others=$GAPP_CACHE/$1 old
	shift 2
	exec 9>"$tree.lock"
	flock 9
	if [ ! -e "$tree.done" ]; then
		rm -rf --one-file-system "$tree"
		"$@" "$tree"
		rm -rf --one-file-system "$tree"/var/lib/apt/lists "$tree"/var/cache/apt
		touch "$tree.done"
	fi
	exec 9>&-
	for old in "$others"-*.done; do
		[ "$old" = "$tree.done" ] || rm -rf --one-file-system "${old%.done}" "$old" "${old%.done}.lock"
	done
	# shellcheck disable=SC2034 # for the caller
	chroot_tree=$tree
}

# chroot_run TREE COMMAND [FOLDER…]: by a shell, in namespaces of its own: mounts and processes end with it.
# What is mounted below TREE is there, and this machine's FOLDERs are at the same places.
chroot_run() {
	# shellcheck disable=SC2016 # for the inner shells
	unshare --mount --pid --fork --kill-child --propagation private bash -c '
		set -e
		mount --rbind "$1" "$1"
		mount --rbind /dev "$1/dev"
		mount -t proc proc "$1/proc"
		mount --rbind /sys "$1/sys"
		for folder in "${@:3}"; do
			mkdir -p "$1$folder"
			mount --rbind "$folder" "$1$folder"
		done
		exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
			TERM=dumb ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
			DEBIAN_FRONTEND=noninteractive chroot "$1" sh -c "$2"' bash "$@" </dev/null
}

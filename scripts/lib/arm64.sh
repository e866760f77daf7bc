# SPDX-License-Identifier: GPL-2.0
# Sourced, after common.sh and stock-kernel.sh: what is built for aarch64, on this machine, and run in a guest. Nothing
# of another processor is installed here: libraries and busybox are unpacked into the cache.
# shellcheck shell=bash

arm64_triplet=aarch64-linux-gnu
arm64_folder=$GAPP_CACHE/arm64
arm64_root=$arm64_folder/libraries/root
arm64_packages=(libdw-dev libdw1 libelf-dev libelf1 libiberty-dev zlib1g-dev zlib1g libzstd-dev libzstd1 libcapstone-dev
	libcapstone4 liblzma5 libbz2-1.0 libc6 libgcc-s1 busybox-static)

# The libraries, in a folder that is there as a whole or not at all.
arm64_libraries() {
	local new log=$arm64_folder/log
	[ ! -e "$arm64_folder/libraries" ] || return 0
	mkdir -p "$arm64_folder"
	new=$(mktemp -d "$arm64_folder/libraries.XXXXXX")
	if ! arm64_unpack "$new" >"$log" 2>&1; then
		rm -rf "$new"
		show_log "$log"
		die "arm64: the libraries cannot be had"
	fi
	mv -T "$new" "$arm64_folder/libraries"
}

arm64_unpack() { # FOLDER
	local package
	stock_use_suite arm64 && mkdir -p "$1/packages" &&
		(cd "$1/packages" && stock_download "$1/log" "${arm64_packages[@]}") || return 1
	for package in "$1"/packages/*.deb; do
		dpkg -x "$package" "$1/root" || return 1
	done
	rm -rf "$1/packages"
}

# A copy of the sources in which all that is made is for aarch64.
arm64_tree() { # FOLDER
	local file
	git ls-files --cached --others --exclude-standard | while read -r file; do
		cmp -s "$file" "$1/$file" || echo "$file"
	done | tr '\n' '\0' | xargs -0 -r cp --parents -t "$1"
}

# Runs COMMAND in that copy, with the cross compiler.
arm64_run() { # FOLDER COMMAND…
	local libraries=$arm64_root/usr/lib/$arm64_triplet:$arm64_root/lib/$arm64_triplet
	cd "$1" || return 1
	shift
	env CC=$arm64_triplet-gcc STRIP=$arm64_triplet-strip \
		CPPFLAGS="-isystem $arm64_root/usr/include -isystem $arm64_root/usr/include/$arm64_triplet" \
		LDFLAGS="-L$arm64_root/usr/lib/$arm64_triplet -L$arm64_root/lib/$arm64_triplet -Wl,-rpath-link,$libraries" \
		"$@"
}

# SPDX-License-Identifier: GPL-2.0
# Sourced by scripts/lab-kernel: Debian's own kernels, unpacked beside the system, never installed.
# shellcheck shell=bash

# The packages of one kernel, from its metapackages: "PACKAGE=VERSION" lines, the image's first.
stock_packages() { # NAME
	local meta headers image version name
	case $1 in
	6.1) meta=cloud-amd64 ;;
	rt) meta=6.12-rt-amd64 ;;
	rt-6.1) meta=rt-amd64 ;;
	*) meta=$1-cloud-amd64 ;;
	esac
	image=$(stock_depends "linux-image-$meta" linux-image-)
	headers=$(stock_depends "linux-headers-$meta" linux-headers-)
	if [ -z "$image" ] || [ -z "$headers" ]; then
		say "apt knows no linux-image-$meta with headers (needed for kernel $1)"
		stock_source_advice
		return 1
	fi
	version=$(stock_candidate "$image")
	echo "$image=$version"
	echo "$headers=$version"
	for name in linux-headers- linux-kbuild-; do
		name=$(apt-cache depends "$headers" 2>/dev/null |
			sed -n "s/^ *Depends: \\(${name}[^ ]*\\)\$/\\1/p" | head -n 1)
		[ -n "$name" ] || die "$headers: no common headers or kbuild package among its dependencies"
		echo "$name=$version"
	done
}

stock_depends() { # METAPACKAGE PREFIX
	apt-cache depends "$1" 2>/dev/null | sed -n "s/^ *Depends: \\($2[^ ]*\\)\$/\\1/p" | head -n 1
}

stock_candidate() { # PACKAGE
	apt-cache policy "$1" | sed -n 's/^ *Candidate: //p'
}

stock_source_advice() {
	if ! ls /var/lib/apt/lists/*_Packages* >/dev/null 2>&1; then
		say "the package lists are empty: run 'apt-get update' as root"
	elif ! grep -q 'n=bookworm-security' <<<"$(apt-cache policy)"; then
		say "bookworm-security is not among apt's sources: add 'bookworm-security main'" \
			"(see 'man sources.list'), run 'apt-get update', and try again"
	else
		say "run 'apt-get update' as root and try again"
	fi
}

stock_download() { # LOG PACKAGE=VERSION…: into the current folder
	local log=$1
	shift
	apt-get -q -o APT::Sandbox::User=root download "$@" >"$log" 2>&1
}

# Unpacks NAME's packages into DIR in the form scripts/lab-kernel promises.
stock_unpack() { # DIR PACKAGE=VERSION…
	local dir=$1 log=$1/download.log release deb make common
	shift
	mkdir -p "$dir/debs" "$dir/root" "$dir/modules"
	say "downloading $1 and its headers"
	if ! (cd "$dir/debs" && stock_download "$log" "$@"); then
		say "the download failed; once more with fresh package lists"
		as_root apt-get -q update >>"$log" 2>&1 || :
		if ! (cd "$dir/debs" && stock_download "$log" "$@"); then
			sed 's/^/  | /' "$log" >&2
			die "cannot download $*: check the network and apt's sources"
		fi
	fi
	for deb in "$dir"/debs/*.deb; do
		dpkg-deb -x "$deb" "$dir/root" || die "$deb does not unpack"
	done
	rm -rf "$dir/debs"

	release=${1#linux-image-}
	release=${release%%=*}
	# Debian names the common part by absolute path; everything else in there is relative.
	make=$dir/root/usr/src/linux-headers-$release/Makefile
	common=$(sed -n 's|^include /usr/src/\(.*\)/Makefile$|\1|p' "$make")
	[ -n "$common" ] || die "$make has changed its form: $(cat "$make")"
	# shellcheck disable=SC2016 # for make to expand
	printf 'include $(dir $(realpath $(lastword $(MAKEFILE_LIST))))../%s/Makefile\n' "$common" >"$make"

	mkdir -p "$dir/modules/lib/modules"
	mv "$dir/root/lib/modules/$release" "$dir/modules/lib/modules/"
	rm -f "$dir/modules/lib/modules/$release/build" "$dir/modules/lib/modules/$release/source"
	ln "$dir/root/boot/vmlinuz-$release" "$dir/vmlinuz"
	cp "$dir/root/usr/src/linux-headers-$release/.config" "$dir/config"
	ln -s "root/usr/src/linux-headers-$release" "$dir/build"
	echo "$release" >"$dir/release"
	depmod -b "$dir/modules" "$release" || die "depmod failed for $release"
	rm -rf "$dir/root/boot" "$dir/root/usr/share" "$log"
}

stock_get() { # NAME: prints the folder
	local name=$1 link=$GAPP_CACHE/kernels/$1 packages dir tmp
	# Ask apt again only when its lists are younger than the answer we have.
	if [ -e "$link/release" ] && ! [ /var/lib/apt/lists -nt "$GAPP_CACHE/kernels/.$name.resolved" ]; then
		readlink -f "$link"
		return
	fi
	if ! packages=$(stock_packages "$name"); then
		[ -e "$link/release" ] || exit 1
		say "using the kernel fetched before: $(cat "$link/release")"
		readlink -f "$link"
		return
	fi
	readarray -t packages <<<"$packages"
	dir=${packages[0]#linux-image-}
	dir=$GAPP_CACHE/kernels/${dir/=/_}
	if [ ! -e "$dir/release" ]; then
		need depmod lab
		tmp=$(mktemp -d "$dir.XXXXXX")
		# shellcheck disable=SC2064 # the folder of now
		trap "rm -rf '$tmp'" EXIT
		stock_unpack "$tmp" "${packages[@]}"
		chmod 755 "$tmp"
		mv -T "$tmp" "$dir"
		trap - EXIT
		say "kernel $name is $(cat "$dir/release")"
	fi
	ln -sfn "${dir##*/}" "$link"
	touch "$GAPP_CACHE/kernels/.$name.resolved"
	echo "$dir"
}

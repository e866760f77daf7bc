# SPDX-License-Identifier: GPL-2.0
# Sourced by scripts/lab-kernel: Debian's own kernels, unpacked beside the system, never installed.
# shellcheck shell=bash

# What apt is asked with, for a kernel of another Debian than this machine's, or for another processor.
stock_apt=()

# What stock_use_suite() must be given for the kernel NAME; nothing: this machine's own lists have it.
stock_suite() { # NAME
	case $1 in
	5.10) echo bullseye ;;
	newest) echo trixie-backports ;;
	arm64) echo arm64 ;;
	esac
}

# Sets stock_apt for a suite, or for aarch64; the package lists are in the cache, and at most a week old.
stock_use_suite() { # SUITE|arm64
	local dir=$GAPP_CACHE/apt-$1
	mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial"
	: >"$dir/status"
	stock_apt=(-o "Dir::State::lists=$dir/lists" -o "Dir::State::status=$dir/status" -o "Dir::Cache=$dir/cache")
	if [ "$1" = arm64 ]; then
		stock_apt+=(-o APT::Architecture=arm64 -o APT::Architectures=arm64)
	else
		chroot_other_sources "$1" >"$dir/sources.list" || return 77
		stock_apt+=(-o "Dir::Etc::sourcelist=$dir/sources.list" -o Dir::Etc::sourceparts=/dev/null)
	fi
	[ -z "$(find "$dir/updated" -mtime -7 2>/dev/null)" ] || return 0
	if stock_update >"$dir/log" 2>&1 && ls "$dir"/lists/*_Packages* >/dev/null 2>&1; then
		touch "$dir/updated"
	elif [ ! -e "$dir/updated" ]; then
		sed 's/^/  | /' "$dir/log" >&2
		say "no registry that apt reaches has the suite $1"
		return 77
	else
		say "no new package lists of $1: using those of $(date -r "$dir/updated" +%F)"
	fi
}

stock_update() {
	if [ ${#stock_apt[@]} -gt 0 ]; then
		apt-get -q "${stock_apt[@]}" -o APT::Sandbox::User=root update
	else
		as_root apt-get -q update
	fi
}

# The packages of one kernel, from its metapackages: "PACKAGE=VERSION" lines, the image's first.
stock_packages() { # NAME
	local meta headers image version name
	case $1 in
	5.10 | 6.1 | newest) meta=cloud-amd64 ;;
	rt) meta=6.12-rt-amd64 ;;
	rt-6.1) meta=rt-amd64 ;;
	arm64) meta=6.12-cloud-arm64 ;;
	*) meta=$1-cloud-amd64 ;;
	esac
	image=$(stock_depends "linux-image-$meta" linux-image-)
	headers=$(stock_depends "linux-headers-$meta" linux-headers-)
	if [ -z "$image" ] || [ -z "$headers" ]; then
		say "apt knows no linux-image-$meta with headers (needed for kernel $1)"
		[ ${#stock_apt[@]} -gt 0 ] || stock_source_advice
		return 1
	fi
	case $1 in
	rt-*) name=${1#rt-}. ;;
	rt | arm64) name=6.12. ;;
	newest) name= ;;
	*) name=$1. ;;
	esac
	[[ $image = linux-image-"$name"* ]] || {
		say "linux-image-$meta is $image here: is its package of backports installed?"
		return 1
	}
	version=$(stock_candidate "$image")
	echo "$image=$version"
	echo "$headers=$version"
	for name in linux-headers- linux-kbuild-; do
		name=$(stock_depends "$headers" "$name")
		[ -n "$name" ] || die "$headers: no common headers or kbuild package among its dependencies"
		echo "$name=$(stock_version "$name" "$version")"
	done
	# since 6.19 in packages of their own
	for name in linux-binary- linux-modules- linux-base-; do
		name=$(stock_depends "$image" "$name")
		[ -z "$name" ] || echo "$name=$version"
	done
}

stock_depends() { # PACKAGE PREFIX
	apt-cache "${stock_apt[@]}" depends "$1" 2>/dev/null | sed -n "s/^ *Depends: \\($2[^ ]*\\)\$/\\1/p" | head -n 1
}

stock_candidate() { # PACKAGE
	apt-cache "${stock_apt[@]}" policy "$1" | sed -n 's/^ *Candidate: //p'
}

# VERSION, if apt has it of PACKAGE. Otherwise the newest: for some hours after a release kbuild, which
# fits older headers, too, is there and the signed image is not, and the older kbuild has gone.
stock_version() { # PACKAGE VERSION
	if apt-cache "${stock_apt[@]}" madison "$1" | awk '{ print $3 }' | grep -xF "$2" >/dev/null; then
		echo "$2"
	else
		stock_candidate "$1"
	fi
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

# Into the current folder. Programs that build modules are those of this machine's processor.
stock_download() { # LOG PACKAGE=VERSION…
	local log=$1 package here=() there=()
	shift
	for package; do
		case "${stock_apt[*]} $package" in
		*=arm64\ linux-kbuild-*) here+=("$package") ;;
		*) there+=("$package") ;;
		esac
	done
	apt-get -q "${stock_apt[@]}" -o APT::Sandbox::User=root download "${there[@]}" >"$log" 2>&1 || return 1
	[ ${#here[@]} = 0 ] || apt-get -q -o APT::Sandbox::User=root download "${here[@]}" >>"$log" 2>&1
}

# Unpacks NAME's packages into DIR in the form scripts/lab-kernel promises.
stock_unpack() { # DIR PACKAGE=VERSION…
	local dir=$1 log=$1/download.log release deb make common boot here
	shift
	mkdir -p "$dir/debs" "$dir/root" "$dir/modules"
	say "downloading $1 and its headers"
	if ! (cd "$dir/debs" && stock_download "$log" "$@"); then
		say "the download failed; once more with fresh package lists"
		stock_update >>"$log" 2>&1 || :
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
	here='$(dir $(realpath $(lastword $(MAKEFILE_LIST))))'
	# since 6.13 kbuild must be told where its output is
	{
		! grep -q '^KBUILD_OUTPUT=' "$make" || echo "KBUILD_OUTPUT := $here"
		echo "include ${here}../$common/Makefile"
	} >"$make.new"
	mv "$make.new" "$make"

	mkdir -p "$dir/modules/lib/modules"
	for boot in lib usr/lib; do
		[ ! -e "$dir/root/$boot/modules/$release/kernel" ] ||
			mv "$dir/root/$boot/modules/$release" "$dir/modules/lib/modules/"
	done
	rm -f "$dir/modules/lib/modules/$release/build" "$dir/modules/lib/modules/$release/source"
	boot=$dir/root/boot/vmlinuz-$release
	[ -e "$boot" ] || boot=$dir/modules/lib/modules/$release/vmlinuz
	ln "$boot" "$dir/vmlinuz"
	cp "$dir/root/usr/src/linux-headers-$release/.config" "$dir/config"
	ln -s "root/usr/src/linux-headers-$release" "$dir/build"
	echo "$release" >"$dir/release"
	depmod -b "$dir/modules" "$release" || die "depmod failed for $release"
	rm -rf "$dir/root/boot" "$dir/root/usr/share" "$log"
}

# Modules for a kernel of another Debian are built in a small tree of that Debian: with its compiler, and
# with kbuild's programs, which this Debian's libc may be too old for.
stock_compiler_make() { # SUITE HEADERS=VERSION TREE
	local base=${1%-backports}
	say "making a tree of Debian $base with the compiler for $2"
	chroot_make_other "$3" "$base" "$1" --include="make,sparse,${2}"
}

# The folder's link compiler leads to the tree; none: modules are built on this machine.
stock_compiler() { # NAME DIR
	local suite key headers
	suite=$(stock_suite "$1")
	if [ -z "$suite" ] || [ "$suite" = arm64 ] || [ -e "$2/compiler/." ]; then
		return 0
	fi
	[ "$(id -u)" = 0 ] ||
		lack "modules for kernel $1 are built in a tree of Debian ${suite%-backports}, which only root can make"
	need mmdebstrap dkms
	headers=linux-headers-$(cat "$2/release")=${2##*_}
	key=$(echo "$headers" | sha256sum | cut -c -16)
	chroot_cached "compiler-$1" "$key" stock_compiler_make "$suite" "$headers"
	# shellcheck disable=SC2154 # chroot_cached sets it
	ln -sfn "$chroot_tree" "$2/compiler"
}

stock_get() { # NAME: prints the folder
	local dir
	dir=$(stock_get_kernel "$1")
	# in a shell of its own: the lock of the tree has the number of the one that is held here
	(stock_compiler "$1" "$dir")
	echo "$dir"
}

stock_get_kernel() { # NAME: prints the folder
	local name=$1 link=$GAPP_CACHE/kernels/$1 lists=/var/lib/apt/lists suite packages dir tmp
	suite=$(stock_suite "$name")
	if [ -n "$suite" ]; then
		if ! stock_use_suite "$suite"; then
			[ -e "$link/release" ] || exit 77
			readlink -f "$link"
			return
		fi
		lists=$GAPP_CACHE/apt-$suite/updated
	fi
	# Ask apt again only when its lists are younger than the answer we have.
	if [ -e "$link/release" ] && ! [ "$lists" -nt "$GAPP_CACHE/kernels/.$name.resolved" ]; then
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

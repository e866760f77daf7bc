#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In the tree of tests/bench/root: builds LTTng's modules for kernels. Their package does not install where
# they do not build, and Debian 12's are older than the kernels of its updates. So they are built here: these
# first, then Debian 13's, then Debian 13's without the probe of timers, which events of the scheduler do
# not need.
#
# usage: lttng.sh RELEASE...
#
# Leaves in /lttng/RELEASE a line "built: WHAT", if anything was, and for each that does not build a line
# "refused: WHAT: the compiler's reason".
set -eu

scratch=/tmp/lttng
mkdir -p "$scratch" /lttng

mirror() { # of bookworm itself
	# shellcheck disable=SC2016 # for apt
	apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' |
		sed -n 's/^bookworm //p' | head -n 1
}

fetch() { # SUITE
	mkdir -p "$scratch/$1/lists/partial"
	cd "$scratch/$1"
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(mirror) $1 main" >from.list
	set -- -q -o Dir::Etc::sourcelist="$PWD/from.list" -o Dir::Etc::sourceparts=/dev/null \
		-o Dir::State::lists="$PWD/lists" -o APT::Sandbox::User=root
	apt-get "$@" update
	apt-get "$@" download lttng-modules-dkms
	dpkg-deb -x lttng-modules-dkms_*.deb .
}

build() { # RELEASE SOURCE WHAT
	rm -rf "$scratch/build"
	cp -a "$2" "$scratch/build"
	case $3 in
	*timers) sed -i '/lttng-probe-timer/d' "$scratch/build/src/probes/Kbuild" ;;
	esac
	if make -j"$(nproc)" -C "/lib/modules/$1/build" M="$scratch/build" CONFIG_LTTNG=m modules \
		>"$scratch/log" 2>&1; then
		mkdir -p "/lib/modules/$1/updates/lttng"
		find "$scratch/build" -name '*.ko' -exec cp -t "/lib/modules/$1/updates/lttng" {} +
		depmod "$1"
		echo "built: $3" >>"/lttng/$1"
	else
		cat "$scratch/log"
		echo "refused: $3: $(sed -n "s|^$scratch/build/\(.*error: .*\)|\1|p" "$scratch/log" | head -n 1)" \
			>>"/lttng/$1"
		return 1
	fi
}

version() { # SUITE
	basename "$scratch/$1"/usr/src/lttng-modules-* | sed 's/lttng-modules-//'
}

try() { # RELEASE SUITE DEBIAN [REST]
	build "$1" "$scratch/$2/usr/src/lttng-modules-$(version "$2")" "$(version "$2") of Debian $3${4-}"
}

fetch bookworm
newer=1
fetch trixie || newer=
for release; do
	: >"/lttng/$release"
	try "$release" bookworm 12 && continue
	if [ -z "$newer" ]; then
		echo "refused: Debian 13's: they could not be fetched" >>"/lttng/$release"
		continue
	fi
	try "$release" trixie 13 || try "$release" trixie 13 ", without its probe of timers" || :
done
rm -rf "$scratch"

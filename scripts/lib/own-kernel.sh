# SPDX-License-Identifier: GPL-2.0
# Sourced by scripts/lab-kernel: kernels of our own configuration, from Debian's linux-source packages, or from
# sources that somebody has put on this machine.
# shellcheck shell=bash
# shellcheck disable=SC2154 # stock_apt is of stock-kernel.sh

# To be raised when what is done below gives another kernel.
OWN_RECIPE=1
OWN_SOURCE=linux-source-6.12
GAPP_SOURCES=${GAPP_SOURCES:-/usr/src}

# Of the sources that are used: the archive, or their folder, and what it is of.
own_tar=
own_version=

# Sources that no package has: the last by version of the folders and archives of that name in GAPP_SOURCES.
own_find_folder() { # linux-RELEASE
	own_tar=$(find "$GAPP_SOURCES/" -maxdepth 1 \( -name "$1" -o -name "$1[.-]*" \) \
		\( -type d -o -name '*.tar.xz' \) 2>/dev/null | sed 's/-rc/~rc/' | sort -V | tail -n 1 | sed 's/~rc/-rc/') || own_tar=
	[ -n "$own_tar" ] || lack "no sources of $1 in $GAPP_SOURCES: unpack them there, or say in GAPP_SOURCES where they are"
	# of a folder that somebody works in the newest change tells, too
	own_version="$own_tar $(find "$own_tar" -name .git -prune -o -type f -printf '%T@\n' | sort -n | tail -n 1)"
}

# Sets own_tar and own_version, for a kernel whose fragment has a line "# source: SUITE": the sources of the
# newest kernel of that Debian; "# source: linux-RELEASE": those that somebody has put here; none: those that this
# machine has installed.
own_find_source() { # SUITE
	local package dir
	if [[ $1 = linux-* ]]; then
		own_find_folder "$1"
		return
	fi
	if [ -z "$1" ]; then
		own_version=$(dpkg-query -W -f '${Version}' "$OWN_SOURCE" 2>/dev/null) || own_version=
		own_tar=/usr/src/$OWN_SOURCE.tar.xz
		[ -n "$own_version" ] && [ -e "$own_tar" ] ||
			die "package $OWN_SOURCE is missing: run scripts/setup debug-kernel"
		return
	fi
	stock_use_suite "$1" || exit
	package=$(stock_depends linux-source linux-source-)
	[ -n "$package" ] || die "$1 has no linux-source"
	own_version=$(stock_candidate "$package")
	dir=$GAPP_CACHE/sources/$1-$own_version
	own_tar=$dir/$package.tar.xz
	[ ! -e "$own_tar" ] || return 0
	say "downloading $package of $1"
	rm -rf "$dir"
	mkdir -p "$dir/root"
	(cd "$dir" && stock_download "$dir/log" "$package=$own_version") || die "no $package: see $dir/log"
	dpkg-deb -x "$dir"/*.deb "$dir/root"
	mv "$dir/root/usr/src/$package.tar.xz" "$own_tar"
	rm -rf "$dir/root" "$dir"/*.deb
}

# The options that a source knows at all.
own_known() { # SOURCE
	grep -rhoE --include='Kconfig*' '^[[:space:]]*(menu)?config [A-Z0-9_]+' "$1" | sed 's/.* /CONFIG_/' | sort -u
}

# The lines of the fragments that ask for something, each option's last one.
own_asked() { # FRAGMENT…
	awk '/^CONFIG_/ { split($1, name, "="); asked[name[1]] = $0 }
		/^# CONFIG_.* is not set$/ { asked[$2] = $0 }
		END { for (option in asked) print asked[option] }' "$@"
}

# Names every option of the fragments that SOURCE's .config does not have as asked; merging drops them silently.
# What two of them name is as the last one asks. own.config is for 6.12: what other sources do not know is not missing.
own_check_config() { # SOURCE FRAGMENT…
	local config=$1/.config known='' line option bad=0 src=$1
	shift
	! grep -qs '^# source: ' "$@" || known=$(own_known "$src")
	while read -r line; do
		option=${line#\# }
		option=${option%%[= ]*}
		if [ -n "$known" ] && ! grep -qxF "$option" <<<"$known"; then
			say "these sources do not know $option"
			continue
		fi
		case $line in
		'# '*)
			# what was a number before 6.10 is 0
			grep -q "^$option=[^0]" "$config" || continue
			say "asked for $option unset, got: $(grep "^$option=" "$config")"
			;;
		*)
			grep -qxF -- "$line" "$config" && continue
			say "asked for $line, got: $(grep -E "^(# )?${option}[ =]" "$config" || echo nothing)"
			;;
		esac
		bad=1
	done < <(own_asked "$@")
	[ "$bad" = 0 ] || die "the options above are not as $* want them: a dependency is missing there"
}

# Arguments for make that the fragments ask for: another compiler.
own_flags=()

own_make() { # SOURCE TARGET…
	local src=$1
	shift
	nice make -s -C "$src" -j "$(($(nproc) + 1))" "${own_flags[@]}" \
		KBUILD_BUILD_TIMESTAMP=1970-01-01 KBUILD_BUILD_USER=gapp KBUILD_BUILD_HOST=lab "$@"
}

own_configure() { # SOURCE FRAGMENT…
	local src=$1
	shift
	mkdir -p "$src"
	if [ -d "$own_tar" ]; then
		tar -C "$own_tar" --exclude-vcs -c . | tar -C "$src" -x
		own_make "$src" mrproper
	else
		tar -xJf "$own_tar" --strip-components=1 -C "$src"
	fi
	own_make "$src" tinyconfig
	(cd "$src" && scripts/kconfig/merge_config.sh -m .config "$@")
	own_make "$src" olddefconfig
	own_check_config "$src" "$@"
}

# These two run in a subshell, and all output goes to the log.

own_prepare() { # DIR FRAGMENT…
	local dir=$1
	shift
	own_configure "$dir/build" "$@"
	own_make "$dir/build" modules_prepare
	cp "$dir/build/.config" "$dir/config"
	cp "$dir/build/include/config/kernel.release" "$dir/release"
}

own_build() { # DIR FRAGMENT…
	local dir=$1 src=$1/src release
	shift
	own_configure "$src" "$@"
	own_make "$src" bzImage modules
	own_make "$src" INSTALL_MOD_PATH="$dir/modules" modules_install
	release=$(cat "$src/include/config/kernel.release")
	cp "$src/.config" "$dir/config"
	cp "$src/arch/x86/boot/bzImage" "$dir/vmlinuz"
	rm -f "$dir/modules/lib/modules/$release/build"
	if [ -e "$src/scripts/package/install-extmod-build" ]; then
		own_make "$src" run-command \
			KBUILD_RUN_COMMAND="\${srctree}/scripts/package/install-extmod-build $dir/build"
		cp "$src/.config" "$dir/build/.config"
		rm -rf "$src"
	else
		# before 6.5 nobody knows what of it modules are built with
		find "$src" -name '*.o' -not -path "$src/scripts/*" -not -path "$src/tools/*" -delete
		rm -f "$src"/vmlinux*
		mv "$src" "$dir/build"
	fi
	echo "$release" >"$dir/release"
}

own_get() { # NAME [prepared]: prints the folder
	local name=$1 suffix=${2:+-$2} dir tmp log compiler=gcc start=$SECONDS
	local make=own_build what="ten minutes on two processors, later two"
	local fragments=("$GAPP_TOP/scripts/lab/own.config" "$GAPP_TOP/scripts/lab/$name.config")
	if [ -n "$suffix" ]; then
		make=own_prepare what="its headers only: two minutes"
	fi
	own_find_source "$(sed -n 's/^# source: //p' "$GAPP_TOP/scripts/lab/$name.config")"
	read -ra own_flags < <(sed -n 's/^# builds with: //p' "${fragments[@]}" | tail -n 1) || true
	[[ ${own_flags[*]} != *LLVM=* ]] || compiler=clang${own_flags[0]#LLVM=}
	need "$compiler" "$([ "$compiler" = gcc ] && echo debug-kernel || echo clang-kernel)"
	dir=$GAPP_CACHE/kernels/$name$suffix-$({
		cat "${fragments[@]}"
		echo "$own_version $OWN_RECIPE"
		"$compiler" --version
	} | sha256sum | cut -c -16)
	if [ ! -e "$dir/release" ]; then
		local tool
		for tool in gcc make flex bison bc xz depmod; do
			need "$tool" debug-kernel
		done
		tmp=$(mktemp -d "$dir.XXXXXX")
		log=$GAPP_CACHE/kernels/$name$suffix-build.log
		# shellcheck disable=SC2064 # the folder of now
		trap "rm -rf '$tmp'" EXIT
		say "building kernel $name: $what (log: $log)"
		local status=0
		# not in a condition: bash would ignore set -e inside
		set +e
		(
			set -e
			"$make" "$tmp" "${fragments[@]}"
		) >"$log" 2>&1
		status=$?
		set -e
		if [ "$status" != 0 ]; then
			show_log "$log"
			die "building kernel $name failed"
		fi
		chmod 755 "$tmp"
		mv -T "$tmp" "$dir"
		trap - EXIT
		say "kernel $name is $(cat "$dir/release"), built in $((SECONDS - start)) s"
	fi
	ln -sfn "${dir##*/}" "$GAPP_CACHE/kernels/$name$suffix"
	echo "$dir"
}

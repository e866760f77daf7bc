# SPDX-License-Identifier: GPL-2.0
# Sourced by scripts/lab-kernel: the kernel with all checks on, from Debian's linux-source package.
# shellcheck shell=bash

# To be raised when what is done below gives another kernel.
DEBUG_RECIPE=1
DEBUG_SOURCE=linux-source-6.12

# Names every option of FRAGMENT that CONFIG does not have as asked; merging drops them silently.
debug_check_config() { # FRAGMENT CONFIG
	local line option bad=0
	while read -r line; do
		case $line in
		CONFIG_*)
			grep -qxF -- "$line" "$2" && continue
			option=${line%%=*}
			say "asked for $line, got: $(grep -E "^(# )?${option}[ =]" "$2" || echo nothing)"
			bad=1
			;;
		'# CONFIG_'*' is not set')
			option=${line#\# }
			option=${option%% *}
			grep -q "^$option=" "$2" || continue
			say "asked for $option unset, got: $(grep "^$option=" "$2")"
			bad=1
			;;
		esac
	done <"$1"
	[ "$bad" = 0 ] || die "the options above are not as $1 wants them: a dependency is missing there"
}

debug_make() { # SOURCE TARGET…
	local src=$1
	shift
	nice make -s -C "$src" -j "$(($(nproc) + 1))" CC="ccache gcc" HOSTCC="ccache gcc" \
		KBUILD_BUILD_TIMESTAMP=1970-01-01 KBUILD_BUILD_USER=gapp KBUILD_BUILD_HOST=lab "$@"
}

debug_build() { # DIR FRAGMENT: runs in a subshell, all output to the log
	local dir=$1 fragment=$2 src=$1/src release
	mkdir -p "$src"
	tar -xJf "/usr/src/$DEBUG_SOURCE.tar.xz" --strip-components=1 -C "$src"
	debug_make "$src" tinyconfig
	(cd "$src" && scripts/kconfig/merge_config.sh -m .config "$fragment")
	debug_make "$src" olddefconfig
	debug_check_config "$fragment" "$src/.config"
	debug_make "$src" bzImage modules
	debug_make "$src" INSTALL_MOD_PATH="$dir/modules" modules_install
	debug_make "$src" run-command \
		KBUILD_RUN_COMMAND="\${srctree}/scripts/package/install-extmod-build $dir/build"
	release=$(cat "$src/include/config/kernel.release")
	cp "$src/.config" "$dir/build/.config"
	cp "$src/.config" "$dir/config"
	cp "$src/arch/x86/boot/bzImage" "$dir/vmlinuz"
	rm -f "$dir/modules/lib/modules/$release/build"
	echo "$release" >"$dir/release"
	rm -rf "$src"
}

debug_get() { # prints the folder
	local fragment=$GAPP_TOP/scripts/lab/debug.config version dir tmp log start=$SECONDS
	version=$(dpkg-query -W -f '${Version}' "$DEBUG_SOURCE" 2>/dev/null) || version=
	if [ -z "$version" ] || [ ! -e "/usr/src/$DEBUG_SOURCE.tar.xz" ]; then
		die "package $DEBUG_SOURCE is missing: run scripts/setup debug-kernel"
	fi
	dir=$GAPP_CACHE/kernels/debug-$({
		cat "$fragment"
		echo "$version $DEBUG_RECIPE"
		gcc --version
	} | sha256sum | cut -c -16)
	if [ ! -e "$dir/release" ]; then
		local tool
		for tool in gcc make flex bison bc ccache xz depmod; do
			need "$tool" debug-kernel
		done
		tmp=$(mktemp -d "$dir.XXXXXX")
		log=$GAPP_CACHE/kernels/debug-build.log
		# shellcheck disable=SC2064 # the folder of now
		trap "rm -rf '$tmp'" EXIT
		say "building kernel debug: ten minutes on two processors, later two (log: $log)"
		export CCACHE_DIR=$GAPP_CACHE/ccache CCACHE_MAXSIZE=2G
		local status=0
		# not in a condition: bash would ignore set -e inside
		set +e
		(
			set -e
			debug_build "$tmp" "$fragment"
		) >"$log" 2>&1
		status=$?
		set -e
		if [ "$status" != 0 ]; then
			show_log "$log"
			die "building kernel debug failed"
		fi
		chmod 755 "$tmp"
		mv -T "$tmp" "$dir"
		trap - EXIT
		say "kernel debug is $(cat "$dir/release"), built in $((SECONDS - start)) s"
	fi
	ln -sfn "${dir##*/}" "$GAPP_CACHE/kernels/debug"
	echo "$dir"
}

# SPDX-License-Identifier: GPL-2.0
# Sourced, after common.sh: kbuild of a kernel that scripts/lab-kernel got, or of any other.
# shellcheck shell=bash source-path=SCRIPTDIR
. "$GAPP_TOP/scripts/lib/chroot.sh"

# kernel_make KDIR SOURCES ARGUMENT…: builds the modules in the folder SOURCES, with all processors. What
# kbuild says of its own goes to standard error, with the places of files below SOURCES.
kernel_make() {
	local kdir=$1 sources=$2 lab command release unsaid='/Skipping BTF generation/d'
	shift 2
	command=(make -s "-j$(nproc)" -C "$kdir" "M=$sources" modules "$@")
	# what clang has built takes modules of the same clang; Debian's programs have their release behind their names
	if grep -qsx CONFIG_CC_IS_CLANG=y "$kdir/.config"; then
		release=$(($(sed -n 's/^CONFIG_CLANG_VERSION=//p' "$kdir/.config") / 10000))
		if command -v "ld.lld-$release" > /dev/null; then
			command+=("LLVM=-$release")
		else
			command+=(LLVM=1)
		fi
	fi
	if grep -qsx CONFIG_ARM64=y "$kdir/.config" && [ "$(uname -m)" != aarch64 ]; then
		command+=(ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu-)
		# it is of the same release, but of another package
		unsaid+=';/^warning: the compiler differs/,/^  You are using:/d'
	fi
	lab=$(dirname "$kdir")
	if [ -e "$lab/compiler" ]; then
		[ "$(id -u)" = 0 ] || die "modules for $lab are built in a tree of another Debian, which needs root"
		chroot_run "$(realpath "$lab/compiler")" "${command[*]@Q}" "$(realpath "$lab")" \
			"$GAPP_CACHE" "$sources"
	else
		"${command[@]}"
	fi 2>&1 | sed -e "$unsaid" -e "s,$sources/,,g" >&2
}

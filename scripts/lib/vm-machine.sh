# SPDX-License-Identifier: GPL-2.0
# Sourced by scripts/vm: what depends on the processor that the guest has, which is the one that its kernel is for.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # the variables are those of scripts/vm
. "$GAPP_TOP/scripts/lib/chroot.sh"
. "$GAPP_TOP/scripts/lib/stock-kernel.sh"
. "$GAPP_TOP/scripts/lib/arm64.sh"

machine_choose() { # sets what follows
	machine=x86_64 machine_emulator=qemu-system-x86_64 machine_console=ttyS0
	machine_busybox=$(command -v busybox)
	machine_options=()
	# A machine that is busy for half a second makes the watchdog doubt the emulated TSC, which is right; every
	# clock reading is an access to the emulated HPET then, and takes far longer. And the test counts timer
	# interrupts for some milliseconds, in which a loaded machine may not run us.
	machine_cmdline="tsc=reliable no_timer_check"
	grep -qsx CONFIG_ARM64=y "$kdir/config" || return 0
	machine=aarch64 machine_emulator=qemu-system-aarch64 machine_console=ttyAMA0
	need "$machine_emulator" arm64
	(arm64_libraries)
	machine_busybox=$arm64_root/bin/busybox
	machine_options=(-machine virt)
	machine_cmdline=
}

# The shared libraries that the programs among FILE… need: where they are on this machine.
machine_libs() { # FILE…
	local root=$arm64_root triplet=$arm64_triplet
	if [ "$machine" = x86_64 ]; then
		ldd "$@" 2>/dev/null | sed -n 's|^[^/]*\(/[^ ]*\) (0x.*|\1|p' | sort -u
		return
	fi
	local name path seen=' ' files=("$@") found
	while [ ${#files[@]} -gt 0 ]; do
		found=()
		for name in $(readelf -d "${files[@]}" 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u); do
			[[ $seen != *" $name "* ]] || continue
			seen+="$name "
			for path in "$root/lib/$triplet/$name" "$root/usr/lib/$triplet/$name"; do
				[ ! -e "$path" ] || found+=("$path")
			done
		done
		[ ${#found[@]} = 0 ] || printf '%s\n' "${found[@]}"
		files=("${found[@]}")
	done | sort -u
	echo "$root/lib/ld-linux-aarch64.so.1"
}

# Where in the guest a library of machine_libs() is.
machine_place() { # PATH
	if [ "$machine" = aarch64 ]; then
		echo "${1#"$arm64_root"}"
	else
		echo "$1"
	fi
}

# SPDX-License-Identifier: GPL-2.0
# Sourced by scripts/vm: what the guest finds when it boots.
# shellcheck shell=bash
# shellcheck disable=SC2154 # the variables are those of scripts/vm

pack() { # FOLDER: as a cpio archive; uncompressed, because unpacking costs an emulated guest more
	(cd "$1" && find . -mindepth 1 | LC_ALL=C sort | cpio -o -H newc -R 0:0 --quiet)
}

quote() { # WORD…: for a shell to read back
	local word
	for word; do
		printf "'%s' " "${word//\'/\'\\\'\'}"
	done
}

# The part that is the same for every run, kept in the cache: busybox and the ordinary folders.
initramfs_base() { # prints the archive's path
	local busybox=$machine_busybox base dir
	if [ "$machine" = x86_64 ] && grep -q '=>' <<<"$(ldd "$busybox" 2>/dev/null)"; then
		die "$busybox is not static: run scripts/setup lab (package busybox-static)"
	fi
	base=$GAPP_CACHE/lab/base-$(cat "$busybox" "${BASH_SOURCE[0]}" | sha256sum | cut -c -16).cpio
	if [ ! -e "$base" ]; then
		dir=$work/base
		mkdir -p "$GAPP_CACHE/lab" "$dir/usr/bin" "$dir/usr/lib" "$dir/usr/lib64" "$dir/etc" "$dir/root" \
			"$dir/var/cache"
		ln -s usr/bin "$dir/bin"
		ln -s usr/bin "$dir/sbin"
		ln -s bin "$dir/usr/sbin"
		ln -s usr/lib "$dir/lib"
		ln -s usr/lib64 "$dir/lib64"
		cp "$busybox" "$dir/usr/bin/busybox"
		# that of another processor has the same
		busybox --list | grep -vx busybox | while read -r applet; do
			ln -s busybox "$dir/usr/bin/$applet"
		done
		printf '%s\n' 'root:x:0:0:root:/root:/bin/sh' 'user:x:1000:1000:user:/home/user:/bin/sh' \
			'nobody:x:65534:65534:nobody:/nonexistent:/bin/sh' >"$dir/etc/passwd"
		printf '%s\n' 'root:x:0:' 'user:x:1000:' 'nogroup:x:65534:' >"$dir/etc/group"
		echo '127.0.0.1 localhost gapp-lab' >"$dir/etc/hosts"
		# it stays: so none that was cut off, and none that is still being written
		pack "$dir" >"$base.$$" && mv "$base.$$" "$base" || {
			rm -f "$base.$$"
			die "cannot write $base"
		}
	fi
	echo "$base"
}

# The modules NAME… and what they depend on, in the order to load them.
initramfs_modules() { # DESTINATION NAME…
	local dest=$1 release moddir path deps n=10
	shift
	release=$(cat "$kdir/release")
	moddir=$kdir/modules/lib/modules/$release
	mkdir -p "$dest"
	[ -e "$moddir/modules.dep" ] || return 0
	for name; do
		deps=$(sed -n "s|^\\([^:]*/$name\\.ko[^:]*\\): *\\(.*\\)|\\1 \\2|p" "$moddir/modules.dep")
		# modules.dep lists a module first and then what it needs, the deepest last
		for path in $(echo "$deps" | tr ' ' '\n' | tac); do
			compgen -G "$dest/*-$(basename "${path%.ko*}").ko" >/dev/null && continue
			n=$((n + 1))
			initramfs_unpack "$moddir/$path" >"$dest/$n-$(basename "${path%.ko*}").ko"
		done
	done
}

initramfs_unpack() { # MODULE, maybe compressed
	case $1 in
	*.xz) xz -dc "$1" ;;
	*.zst) zstd -dcq "$1" ;;
	*.gz) gzip -dc "$1" ;;
	*) cat "$1" ;;
	esac
}

# The shared libraries that the programs among FILE… need, under DESTINATION.
initramfs_libs() { # DESTINATION FILE…
	local dest=$1 lib place gcc
	shift
	[ $# -gt 0 ] || return 0
	mkdir -p "$dest"
	machine_libs "$@" >"$work/libs" || :
	[ -s "$work/libs" ] || return 0
	# pthread_cancel and backtrace load it by name
	gcc=$(sed -n 's|/libc\.so\.6$|/libgcc_s.so.1|p' "$work/libs")
	[ ! -e "$gcc" ] || echo "$gcc" >>"$work/libs"
	sort -u "$work/libs" | while read -r lib; do
		place=$(machine_place "$lib")
		case $place in
		/usr/*) ;;
		*) [ ! -L "/${place:1:3}" ] && [ ! -L "/${place:1:5}" ] || place=/usr$place ;;
		esac
		[ -e "$dest$place" ] || install -D "$lib" "$dest$place"
	done
}

is_elf() {
	[ "$(head -c 4 "$1" | tr -d '\0')" = $'\177ELF' ]
}

initramfs_make() { # COMMAND…
	local stage=$work/stage pay libs file base modules="virtio_pci virtio_console" elf=()
	local lab=$stage/run/lab
	pay=$stage libs=$stage
	mkdir -p "$lab"
	if [ -n "$root" ]; then
		pay=$stage/payload libs=$stage/libs
	fi
	[ -z "$root$disk" ] || modules+=" virtio_blk crc32c_generic ext4"
	mkdir -p "$pay/opt/gapp/bin"

	for file in "$GAPP_TOP"/build/bin/* "$GAPP_TOP"/build/workloads/* "${GAPP_READ:-$GAPP_TOP/gapp-read}"; do
		if [ -f "$file" ] && [ -x "$file" ]; then
			cp -L "$file" "$pay/opt/gapp/bin/"
			is_elf "$file" && elf+=("$file")
		fi
	done
	[ -z "${GAPP_READ-}" ] || [ ! -x "$GAPP_READ" ] || cp -L "$GAPP_READ" "$pay/opt/gapp/bin/gapp-read"
	for file in "${ins[@]}"; do
		file=$(realpath -s "$file")
		mkdir -p "$pay${file%/*}"
		cp -aHT "$file" "$pay$file"
		while IFS= read -r -d '' file; do
			is_elf "$file" && elf+=("$file")
		done < <(find "$file/" "$file" -type f \( -perm /111 -o -name '*.so*' \) -print0 2>/dev/null)
	done
	initramfs_libs "$libs" "${elf[@]}"
	# shellcheck disable=SC2086 # words
	initramfs_modules "$lab/modules" $modules

	[ -z "$load" ] || cp -L "$ko" "$lab/gapp.ko"
	cp "$here/lab/init" "$stage/init"
	cp "$here/lab/init" "$lab/init"
	chmod 755 "$stage/init"
	sed -n 's/^\t{ "\([a-z_]*\)",.*/\1/p' "$GAPP_TOP/kmod/switch/probes.c" >"$lab/tracepoints"
	[ -s "$lab/tracepoints" ] || die "kmod/switch/probes.c names no tracepoint"
	{
		echo "LOAD=$load ROOT=${root:+1} ICOUNT=$icount OUT=${out:+1} DISK=${disk:+1} PATCH=$patch"
		echo "PARAMS=$(quote "$params")"
	} >"$lab/conf"
	{
		echo "export PATH=/opt/gapp/bin:\$PATH HOME=/root USER=root TERM=dumb LC_ALL=C GAPP_GUEST=$(quote "$kernel")"
		echo "cd $(quote "$PWD")2>/dev/null || cd /"
		echo "exec $(quote "$@")"
	} >"$lab/cmd"
	base=$(initramfs_base)
	{
		cat "$base"
		pack "$stage"
	} >"$work/initrd"
	rm -rf "$stage"
}

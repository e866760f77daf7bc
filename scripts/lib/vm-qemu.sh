# SPDX-License-Identifier: GPL-2.0
# Sourced by scripts/vm: the accelerator, the disk, and QEMU itself.
# shellcheck shell=bash
# shellcheck disable=SC2154 # the variables are those of scripts/vm

# /dev/kvm may be there and useless: only a guest that really boots proves it. Asked once.
accel_choose() { # prints kvm or tcg
	local answer known
	case ${GAPP_ACCEL-} in
	tcg | kvm) echo "$GAPP_ACCEL"; return ;;
	'') ;;
	*) die "GAPP_ACCEL is '$GAPP_ACCEL': must be tcg or kvm" ;;
	esac
	if [ ! -w /dev/kvm ] || [ "$machine" != "$(uname -m)" ]; then
		echo tcg
		return
	fi
	known=$GAPP_CACHE/lab/accel-$(qemu-system-x86_64 --version | cat - /proc/version | sha256sum | cut -c -16)
	if [ ! -e "$known" ]; then
		answer=tcg
		! accel_probe || answer=kvm
		mkdir -p "$GAPP_CACHE/lab"
		echo "$answer" >"$work/accel"
		mv "$work/accel" "$known"
		say "KVM was tried on this machine: guests use $answer"
	fi
	cat "$known"
}

accel_probe() {
	local dir=$work/probe
	mkdir -p "$dir/usr/bin" "$dir/dev"
	cp "$(command -v busybox)" "$dir/usr/bin/busybox"
	cat >"$dir/init" <<-'END'
	#!/usr/bin/busybox sh
	busybox mount -t devtmpfs dev /dev
	echo booted >/dev/ttyS1
	busybox poweroff -f
	END
	sed -i 's/^busybox/\/usr\/bin\/busybox/' "$dir/init"
	chmod 755 "$dir/init"
	pack "$dir" >"$work/probe.cpio"
	timeout -k 2 20 qemu-system-x86_64 -accel kvm -cpu host -smp 2 -m 512 -nodefaults -no-user-config \
		-display none -no-reboot -kernel "$kdir/vmlinuz" -initrd "$work/probe.cpio" \
		-append "console=ttyS0 quiet panic=-1" \
		-serial "file:$work/probe.console" -serial "file:$work/probe.token" \
		</dev/null >"$work/probe.log" 2>&1 || :
	grep -qs booted "$work/probe.token"
}

# An image of the tree of --root, made again only when something in the tree has changed.
root_image() { # prints its path
	local tree image stamp size old
	need mke2fs lab
	tree=$(realpath "$root")
	image=$GAPP_CACHE/lab/root-$(echo "$tree" | sha256sum | cut -c -16).img
	stamp=$(find "$tree" -xdev -printf '%P %C@ %s\n' | LC_ALL=C sort | sha256sum)
	mkdir -p "$GAPP_CACHE/lab"
	exec 8>"$image.lock"
	flock 8
	if [ ! -e "$image" ] || [ "$(cat "$image.stamp" 2>/dev/null)" != "$stamp" ]; then
		say "making a disk image of $tree"
		size=$(du -xsm "$tree" | cut -f 1)
		truncate -s "$((size + size / 4 + 1024))M" "$image.new"
		mke2fs -q -t ext4 -O ^has_journal -m 0 -E lazy_itable_init=1 -N "$(($(find "$tree" -xdev | wc -l) + 100000))" \
			-d "$tree" "$image.new" >&2 ||
			die "mke2fs cannot make an image of $tree (must all of it be readable? run as root)"
		echo "$stamp" >"$image.stamp"
		mv "$image.new" "$image"
	fi
	touch "$image"
	# those of other trees: the three used last stay
	find "$GAPP_CACHE/lab" -name 'root-*.img' -printf '%T@ %p\n' | sort -rn | tail -n +4 | cut -d ' ' -f 2- |
		while read -r old; do rm -f "$old" "$old.stamp"; done
	exec 8>&-
	echo "$image"
}

# An empty ext4. Without a journal: two writes and a flush for each fsync.
scratch_image() { # prints its path
	local image=$work/disk.img
	need mke2fs lab
	truncate -s "${disk_mb}M" "$image"
	mke2fs -q -t ext4 -O ^has_journal -m 0 -N 4096 -E lazy_itable_init=0 "$image" >&2 ||
		die "mke2fs cannot make a disk"
	echo "$image"
}

# Nodes of the same size, each a socket: where a node had only a part of one, the kernel would warn.
# Processor 0 is of node 0, and so on by turns.
qemu_nodes() { # adds to options
	local node cpu each=$((mem / nodes))
	options+=(-smp "$cpus,sockets=$cpus")
	for ((node = 0; node < nodes; node++)); do
		options+=(-object "memory-backend-ram,id=node$node,size=${each}M")
		options+=(-numa "node,nodeid=$node,memdev=node$node")
	done
	for ((cpu = 0; cpu < cpus; cpu++)); do
		options+=(-numa "cpu,node-id=$((cpu % nodes)),socket-id=$cpu")
	done
	mem=$((each * nodes))
}

qemu_run() {
	local accel cpu=max,la57=off options=("${machine_options[@]}") cmdline image
	accel=$(accel_choose)
	# by its own cipher, signatures of addresses take most of an emulated guest's time
	[ "$machine" = x86_64 ] || cpu=max,pauth-impdef=on
	[ ${#plugins[@]} = 0 ] || accel=tcg
	if [ -n "$icount" ]; then
		accel=tcg,thread=single
		# a REP string instruction would count once for each byte
		[ "$machine" != x86_64 ] || cpu+=,-erms,-fsrm
		options+=(-icount "shift=0,sleep=off")
	elif [ "$accel" = tcg ] && [ "$cpus" -gt 1 ] && { [ -n "$patch" ] || [ "$cpus" -gt "$(nproc)" ]; }; then
		# A race of the emulator, which the guest dies of: one CPU translates code while another one
		# patches it ("Oops: int3", docs/design.md). More threads of QEMU than CPUs widen it.
		accel=tcg,thread=single
	elif [ "$accel" = tcg ]; then
		accel=tcg,thread=multi
	else
		cpu=host
	fi
	if [ -n "$root" ]; then
		image=$(root_image) || exit 71
		options+=(-drive "file=$image,format=raw,if=virtio,snapshot=on,cache=unsafe")
		# A guest that counts instructions has a clock that leaps to its next timer while all wait:
		# where the machine's own disk is slow a read takes a minute of it, and the guest's watchdog
		# of tasks that hang ends it. So what it reads is in memory.
		[ -z "$icount" ] || cat "$image" >/dev/null
	fi
	if [ -n "$disk" ]; then
		image=$(scratch_image) || exit 71
		options+=(-drive "file=$image,format=raw,if=virtio,cache=unsafe,throttling.iops-total=$disk")
	fi
	if [ -n "$device_memory" ]; then
		options+=(-object memory-backend-memfd,id=device,size=1M,share=on -device ivshmem-plain,memdev=device)
	fi
	local plugin
	for plugin in "${plugins[@]}"; do
		options+=(-plugin "$plugin")
	done
	if [ "$nodes" -gt 1 ]; then
		qemu_nodes
	else
		options+=(-smp "$cpus,sockets=1,cores=$((cpus / threads)),threads=$threads")
	fi
	local name n=0
	for name in stdout stderr status out log; do
		n=$((n + 1))
		: >"$work/$name"
		options+=(-chardev "file,id=$name,path=$work/$name" -device "virtserialport,nr=$n,chardev=$name")
	done
	cmdline="console=$machine_console panic=-1 oops=panic softlockup_panic=1 rdinit=/init"
	case $kernel in
	# A race is a warning, and the kernel has races of its own: the log has them all. More accesses are
	# watched than by default, since few of them are the module's.
	kcsan) cmdline+=" loglevel=2 log_buf_len=16M kcsan.skip_watch=300" ;;
	*) cmdline+=" loglevel=5 panic_on_warn=1" ;;
	esac
	cmdline+=" $machine_cmdline"
	# the checks make the ACPI interpreter slow: routing the emulated PCI bus takes it half a minute
	case $kernel in
	debug | kcsan | rt-debug) cmdline+=" pci=noacpi" ;;
	esac
	cmdline+=$append

	: >"$work/console"
	# ioeventfd=off: what the guest has written is in the file when its write returns
	timeout -k 5 "$limit" "$machine_emulator" -accel "$accel" -cpu "$cpu" -m "$mem" \
		-nodefaults -no-user-config -display none -no-reboot \
		-kernel "$kdir/vmlinuz" -initrd "$work/initrd" -append "$cmdline" \
		-serial "file:$work/console" -device virtio-serial-pci,ioeventfd=off,max_ports=8 \
		"${options[@]}" </dev/null >"$work/qemu.log" 2>&1 &
	qemu_pid=$!
	local tails=()
	tail -q -s 0.05 --pid="$qemu_pid" -c +1 -f "$work/stdout" &
	tails+=($!)
	tail -q -s 0.05 --pid="$qemu_pid" -c +1 -f "$work/stderr" >&2 &
	tails+=($!)
	if [ -n "$verbose" ]; then
		tail -q -s 0.05 --pid="$qemu_pid" -c +1 -f "$work/console" >&2 &
		tails+=($!)
	fi
	qemu_status=0
	# shellcheck disable=SC2034 # verdict reads it
	wait "$qemu_pid" || qemu_status=$?
	qemu_pid=
	wait "${tails[@]}" || :
}

# SPDX-License-Identifier: GPL-2.0
# Sourced by scripts/vm: what the guest's status port and the kernel's log say about the run.
# shellcheck shell=bash
# shellcheck disable=SC2154 # the variables are those of scripts/vm

complaint='BUG:? |WARNING: |Oops: |Kernel panic|Call Trace:|UBSAN: |KASAN: |KCSAN: |INFO: (task|possible|suspicious)'
complaint+='|INFO: (trying to register|lockdep is)|\[gapp\] enqueued on deprecated|detected stall|soft lockup|hard LOCKUP|general protection fault,'
complaint+='|[Uu]nable to handle kernel|refcount_t: |corruption\. |kmemleak: [0-9]+ new|^unreferenced object'

told() { # WORD: the value the guest gave it on the status port
	sed -n "s/^$1 \\?//p" "$work/status" | tail -n 1
}

has_told() {
	grep -q "^$1\\( \\|\$\\)" "$work/status"
}

excerpt() { # FILE: from the first complaint on
	say "the kernel's log from there on:"
	grep -E -A 60 -m 1 -- "$complaint" "$1" | head -n 60 | tr -d '\r' | sed 's/^/  | /' >&2
}

console_end() {
	say "the end of the guest's console:"
	tail -n 20 "$work/console" | tr -d '\r' | sed 's/^/  | /' >&2
	[ ! -s "$work/qemu.log" ] || tail -n 5 "$work/qemu.log" | sed 's/^/  qemu| /' >&2
}

# The kernel's log comes whole at the end; after a panic there is only the console.
find_complaint() {
	local file
	for file in "$work/log" "$work/console"; do
		if grep -qE -- "$complaint" "$file"; then
			say "the kernel complained: $(grep -E -m 1 -- "$complaint" "$file" | tr -d '\r')"
			excerpt "$file"
			return 0
		fi
	done
	return 1
}

# The race of qemu_run, before the first process: nothing that is tested has run yet. Older kernels do not write "Oops: ".
died_of_emulator() {
	! has_told booted && grep -qE '(^|[] ])(Oops: )?int3: [0-9a-f]{4} \[#' "$work/console"
}

# The kernel has data races of its own: only reports of KCSAN stay whose title names the module.
keep_own_races() { # FILE
	awk '/BUG: KCSAN: / { inside = 1; own = index($0, "[gapp]") }
		!inside || own
		inside && /================/ { inside = 0 }' "$1" >"$1.own"
	mv "$1.own" "$1"
}

# Each race once, with how often it was reported.
name_races() { # FILE
	sed -n 's/.*BUG: KCSAN: //p' "$1" | tr -d '\r' | sort | uniq -c | sort -rn | sed 's/^/  KCSAN| /' >&2
}

verdict() {
	local complained=
	[ "$kernel" != kcsan ] || keep_own_races "$work/log"
	! find_complaint || complained=1
	[ "$kernel" != kcsan ] || name_races "$work/log"
	if has_told load; then
		say "the module did not load: $(told load)"
		tail -n 5 "$work/console" | tr -d '\r' | sed 's/^/  | /' >&2
		exit 70
	fi
	if has_told unload; then
		say "the module did not unload: $(told unload)"
		complained=1
	fi
	if has_told leak; then
		say "kmemleak found $(told leak) leaked objects"
		complained=1
	fi
	if [ -n "$out" ] && has_told finished; then
		mkdir -p "$out" || die "cannot create $out"
		tar -x --no-same-owner -C "$out" -f "$work/out" || die "cannot unpack the guest's /out into $out"
	fi
	# timeout's own statuses: it stopped QEMU, or had to kill it
	if [[ $qemu_status = 124 || $qemu_status = 137 ]] && ! has_told finished; then
		say "no end after $limit s: the guest was stopped (--timeout)"
		has_told booted || say "it had not booted"
		[ -n "$complained" ] || console_end
		[ -z "$complained" ] || exit 70
		exit 71
	fi
	[ -z "$complained" ] || exit 70
	! has_told fail || die "$(told fail)"
	if ! has_told finished; then
		say "the guest ended without a word (QEMU's status $qemu_status)"
		console_end
		exit 71
	fi
	exit "$(told exit)"
}

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests the lab itself: that scripts/vm tells what happened in the guest, and never says "fine" wrongly.
# usage: tests/guest/lab.sh [KERNEL]
# shellcheck disable=SC2317 # check calls the functions
set -euo pipefail

kernel=${1:-6.12}
top=$(cd -P "$(dirname "$0")/../.." && pwd)
vm=$top/scripts/vm
tmp=$(mktemp -d "${TMPDIR:-/tmp}/gapp-lab.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
failed=0
status=0

check() { # NAME CONDITION…: one line; the last run's messages if it failed
	local name=$1
	shift
	if "$@"; then
		echo "ok - lab $kernel: $name"
	else
		echo "not ok - lab $kernel: $name ($*; status $status: $(tail -n 1 "$tmp/err" | tr -d '\r'))"
		failed=1
	fi
}

run() { # OPTION… -- COMMAND…
	status=0
	"$vm" --kernel "$kernel" "$@" >"$tmp/stdout" 2>"$tmp/err" || status=$?
}

has() { # FILE TEXT
	grep -qF -- "$2" "$1"
}

is_about() { # FILE NUMBER: a little less, which is the file system's own
	[ "$(cat "$1")" -le "$2" ] && [ "$(cat "$1")" -ge $(($2 * 9 / 10)) ]
}

only() { # FILE TEXT: the file is exactly this
	[ "$(cat "$1")" = "$2" ]
}

unchanged() { # FILE FILE
	cmp -s "$1" "$2"
}

all_held() { # FILE: a line for each tracepoint; a kernel may lack those of locks
	has "$1" "hrtimer_expire_exit: 1" && ! grep -v -e ': 1$' -e '^contention_' "$1"
}

no_rest() {
	! compgen -G "$tmp/run/*" >/dev/null
}

# One boot for everything that a good run shows.
mkdir -p "$tmp/in dir/sub"
head -c 300000 /dev/urandom >"$tmp/in dir/sub/data"
cp /bin/ls "$tmp/in dir/dynamic"
echo one >"$tmp/file"
mkdir "$tmp/run"
# shellcheck disable=SC2016 # for the guest's shell
TMPDIR=$tmp/run run --no-load --cpus 2 --disk 0,700 --in "$tmp/in dir" --in "$tmp/file" --out "$tmp/out" -- sh -c '
	echo "to stdout"
	echo "to stderr" >&2
	cp "$1/sub/data" /out/
	mkdir /out/folder
	"$1/dynamic" / >/out/folder/ls
	nproc >/out/nproc
	df -m /disk | awk "END { print \$2 }" >/out/disk
	cat "$2" >/out/file
	su user -c "id -u" >/out/uid
	ls /sys/kernel/tracing/events/sched >/out/tracing
	ping -c 1 -W 2 127.0.0.1 >/dev/null && echo up >/out/lo
	grep -c "^gapp " /proc/modules >/out/loaded
	while read -r event; do
		echo "$event: $(cat /sys/kernel/tracing/instances/hold-2/events/*/"$event"/enable)"
	done </run/lab/tracepoints >/out/held
	exit 37' sh "$tmp/in dir" "$tmp/file"
check "the exit status passes through" [ "$status" = 37 ]
check "--disk 0,700 is a disk of about 700 MB" is_about "$tmp/out/disk" 700
check "standard output passes through, alone" only "$tmp/stdout" "to stdout"
check "standard error passes through" has "$tmp/err" "to stderr"
check "--in and --out bring a file there and back" unchanged "$tmp/in dir/sub/data" "$tmp/out/data"
check "--in takes a single file" only "$tmp/out/file" one
check "a program of --in finds its libraries" has "$tmp/out/folder/ls" proc
check "--cpus" only "$tmp/out/nproc" 2
check "an ordinary user" only "$tmp/out/uid" 1000
check "scheduler trace events" has "$tmp/out/tracing" sched_switch
check "the loopback interface is up" only "$tmp/out/lo" up
check "--no-load" only "$tmp/out/loaded" 0
check "tracepoints that gapp probes are held" all_held "$tmp/out/held"
check "nothing is left behind" no_rest

run --no-load -- sh -c 'seq 200000; seq 200000 >&2'
check "much output arrives whole" [ "$status $(wc -l <"$tmp/stdout")" = "0 200000" ]
check "much error output arrives whole" [ "$(grep -c '^[0-9]*$' "$tmp/err")" = 200000 ]

run --no-load -- sh -c 'echo "<4>WARNING: CPU: 0 PID: 1 at lab test" >/dev/kmsg'
check "a warning of the kernel fails a good command" [ "$status" = 70 ]
check "... and is shown" has "$tmp/err" "at lab test"

run --no-load -- sh -c 'echo before; echo c >/proc/sysrq-trigger; sleep 60'
check "a panic is a complaint" [ "$status" = 70 ]
check "... after the output until then" only "$tmp/stdout" before

run --no-load -- poweroff -f
check "a guest that just ends is no success" [ "$status" = 71 ]

if [ "$kernel" = kcsan ]; then
	for race in 'one / other' 'one [gapp] / other'; do
		# shellcheck disable=SC2016 # the guest expands it
		run --no-load -- sh -c 'for line in ====================== "BUG: KCSAN: data-race in $1" \
			" Call Trace:" ======================; do echo "<3>$line" >/dev/kmsg; done' sh "$race"
		case $race in
		*gapp*) check "a data race of the module fails a good command" [ "$status" = 70 ] ;;
		*) check "a data race of the kernel's own does not" [ "$status" = 0 ] ;;
		esac
	done
	check "... and is named" has "$tmp/err" "data-race in one [gapp] / other"
fi

limit=15
case $kernel in
debug | kcsan | rt-debug) limit=40 ;;
esac
run --no-load --timeout "$limit" -- sleep 1000
check "a timeout is no success" [ "$status" = 71 ]
check "... and is named" has "$tmp/err" "no end after $limit s"

echo nonsense >"$tmp/bad.ko"
GAPP_KO=$tmp/bad.ko run -- true
check "a module that does not load fails the run" [ "$status" = 70 ]
check "... with the reason" has "$tmp/err" "did not load"

GAPP_KO=$tmp/none.ko run -- true
check "a module that is not built is named" has "$tmp/err" "$tmp/none.ko does not exist"

run --no-load --icount --out "$tmp/icount" -- sh -c 'nproc >/out/nproc'
check "--icount has one processor" only "$tmp/icount/nproc" 1

if command -v mke2fs >/dev/null; then
	root=$tmp/root
	mkdir -p "$root/bin" "$root/etc"
	cp "$(command -v busybox)" "$root/bin/busybox"
	ln -s busybox "$root/bin/sh"
	echo 'root:x:0:0:root:/root:/bin/sh' >"$root/etc/passwd"
	echo there >"$root/marker"
	run --no-load --root "$root" --in "$tmp/file" --out "$tmp/out2" -- sh -c \
		"cp /marker '$tmp/file' /out/; touch /changed; exit 5"
	check "--root: the exit status passes through" [ "$status" = 5 ]
	check "--root: runs in the tree, with --in and --out" only "$tmp/out2/marker" there
	check "--root: the tree stays as it is" [ ! -e "$root/changed" ]
else
	echo "skip - lab $kernel: --root (no mke2fs: scripts/setup lab)"
fi
exit "$failed"

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In a guest: programs with fixed work, with gapp and without, in turn. Prints a line of JSON for each run:
#
#	{"name": NAME, "pair": N, "how": "on"|"off", "span": {...}}
#
# span is what tests/bench/span wrote.
# Pair -1 comes first: files come into memory then, and gapp-read makes the tables that it keeps.
# Or {"name": NAME, "missing": REASON}.
#
# usage: programs.sh SPAN SOURCES PAIRS NAME...
# SOURCES is a folder with a Makefile, for the small make.
set -u

span=$1
sources=$2
pairs=$3
shift 3
# Debian's own before the lab's busybox
PATH=/opt/gapp/bin:/usr/sbin:/usr/bin:/sbin:/bin
work=/tmp/work
report=/tmp/report
err=/tmp/err
out=/tmp/out
socket=/tmp/mariadb.socket
oltp="sysbench oltp_read_write --db-driver=mysql --mysql-socket=$socket --mysql-user=root --mysql-db=bench
	--tables=2 --table-size=2000 --threads=4 --time=0 --events=400 --rand-seed=1"
server=

missing() { # REASON
	printf '{"name": "%s", "missing": "%s"}\n' "$name" "$(printf %s "$1" | tr '"\\\n\t' "'/  ")"
}

# Of the system's own files, which are what they are.
text() { # BYTES
	find /usr/bin /usr/lib -xdev -type f 2>/dev/null | sort | xargs cat 2>/dev/null | head -c "$1"
}

wait_for() { # TENTHS COMMAND...
	n=$1
	shift
	until "$@"; do
		n=$((n - 1))
		[ "$n" -gt 0 ] || return 1
		sleep 0.1
	done
}

recording() {
	grep -q ' running ' /proc/gapp/sessions
}

answers() {
	mariadb-admin --socket="$socket" ping >/dev/null 2>&1
}

# On a memory file system: what a disk takes is not instructions.
start_mariadb() {
	mkdir -p "$work/db"
	mariadb-install-db --no-defaults --user=root --datadir="$work/db" --auth-root-authentication-method=normal \
		--skip-test-db >"$out" 2>&1 || return
	mariadbd --no-defaults --user=root --datadir="$work/db" --socket="$socket" --skip-networking \
		--innodb-flush-method=fsync --innodb-buffer-pool-size=64M --innodb-log-file-size=48M \
		--pid-file="$work/mariadb.pid" >"$out" 2>&1 &
	server=$!
	wait_for 3000 answers || return
	mariadb --socket="$socket" -e 'create database bench' >"$out" 2>&1 || return
	# shellcheck disable=SC2086 # words
	$oltp prepare >"$out" 2>&1
}

stop_mariadb() {
	kill "$server"
	wait "$server"
	server=
}

prepare() {
	rm -rf "$work"
	mkdir -p "$work"
	cd "$work" || return
	case $name in
	pigz) text 16000000 >input ;;
	xz) text 4000000 >input ;;
	sort) seq 1 1000000 | awk '{ print ($1 * 7919) % 6000011, "a line of text", $1 }' >input ;;
	make) cp -r "$sources/." . ;;
	mariadb) start_mariadb ;;
	esac
}

finish() {
	[ -z "$server" ] || stop_mariadb
	cd / && rm -rf "$work"
}

command_of() { # prints the program, its arguments without blanks
	case $name in
	pigz) echo pigz -k -f -p 2 input ;;
	xz) echo xz -k -f -3 -T2 --block-size=1MiB input ;;
	sort) echo sort --parallel=2 -S 100M -o sorted input ;;
	make) echo make -s -B -j2 ;;
	cpu) echo sysbench cpu --threads=2 --time=0 --events=1500 --cpu-max-prime=10000 run ;;
	threads) echo sysbench threads --threads=4 --time=0 --events=1200 --thread-yields=100 --thread-locks=2 run ;;
	mutex) echo sysbench mutex --threads=4 --mutex-num=4 --mutex-locks=40000 --mutex-loops=4000 run ;;
	mariadb) echo "$oltp" run ;;
	*) return 1 ;;
	esac
}

# Each leaves the program's span in $work.span; gapp-read as its user starts it.
off() {
	"$span" $work.span alone "$@" >"$out" 2>"$err"
}

on() {
	if [ -n "$server" ]; then
		on_server "$@"
	else
		"$span" $work.span launched gapp-read -q -- "$@" >"$report" 2>"$err"
	fi
}

on_server() {
	gapp-read -q -p "$server" >"$report" 2>"$err" &
	reader=$!
	wait_for 600 recording || return
	"$span" $work.span "$reader" "$@" >"$out" 2>&1 || return
	kill -INT "$reader"
	wait "$reader"
}

run() { # on|off PAIR
	# shellcheck disable=SC2046 # words
	if ! "$1" $(command_of); then
		missing "$1: $(tail -n 3 "$err" "$out")"
		return 1
	fi
	if [ "$1" = on ] && ! grep -q '^Parallelism' "$report"; then
		missing "gapp-read's report has no line 'Parallelism': $(head -n 3 "$report")"
		return 1
	fi
	printf '{"name": "%s", "pair": %d, "how": "%s", "span": %s}\n' "$name" "$2" "$1" "$(cat $work.span)"
}

pairs_of() {
	pair=-1
	while [ "$pair" -lt "$pairs" ]; do
		if [ $((pair % 2)) = 0 ]; then
			run on "$pair" && run off "$pair" || return
		else
			run off "$pair" && run on "$pair" || return
		fi
		pair=$((pair + 1))
	done
	echo "# $name: $(head -n 1 "$report")" >&2
}

for name; do
	if ! command_of >/dev/null; then
		echo "programs.sh: unknown name '$name'" >&2
		exit 2
	fi
	if prepare; then
		pairs_of
	else
		missing "its data or its server could not be made: $(tail -n 3 "$out")"
	fi
	finish
done

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Run in a guest by tests/databases/run: servers of Debian's packages, their load, and gapp-read's reports on
# them, which are left in /out.
# usage: guest.sh FOLDER SERVER…    FOLDER has the scripts of the servers
set -eu
# Debian's own programs before the lab's busybox. (Its shell takes its own ones all the same, unless it is
# given a path.)
PATH=/usr/sbin:/usr/bin:$PATH
export PATH
folder=$1
shift
out=/out

say() {
	echo "$(cut -d ' ' -f 1 /proc/uptime) $*"
}

fail() { # LOG WORD…
	sed 's/^/# /' "$1" | tail -n 40
	shift
	echo "failed: $*"
	exit 1
}

# What gapp-read prints, NAME.txt, with the command in its first line; and NAME.json. What it says besides
# is NAME.err, its status NAME.status.
report() { # NAME OPTION…
	files=$out/$1 status=0
	shift
	say "gapp-read $*"
	echo "\$ gapp-read $*" >"$files.txt"
	gapp-read -q --no-save -o "$files.json" "$@" </dev/null >>"$files.txt" 2>"$files.err" || status=$?
	echo $status >"$files.status"
}

# Waits for a server that was started by this shell.
answers() { # PID LOG COMMAND…
	asked=$1 log=$2 left=600
	shift 2
	until "$@" >/dev/null 2>&1; do
		left=$((left - 1))
		if ! kill -0 "$asked" 2>/dev/null || [ $left = 0 ]; then
			fail "$log" "$* gets no answer"
		fi
		sleep 0.5
	done
	say "$*: answers"
}

# Ends what this shell has started.
end() { # PID…
	for pid; do
		kill -9 "$pid" 2>/dev/null || :
		wait "$pid" 2>/dev/null || :
	done
}

for server; do
	say "$server"
	# shellcheck source=/dev/null # each of them
	. "$folder/$server.sh"
	say "$server: done"
done
echo "done"

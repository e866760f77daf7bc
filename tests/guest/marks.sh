#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC3043 # busybox has local
# In the guest: marks of programs in C, shell and Python, made by the examples, are among the records that
# gapp-read script prints, of a user without privilege, too.
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"
# brings: build/libgapp/marks build/libgapp/sections tests/libgapp/examples
# brings: /usr/bin/python3.11 /usr/lib/python3.11/encodings
# brings: /usr/lib/python3.11/os.py /usr/lib/python3.11/stat.py /usr/lib/python3.11/posixpath.py
# brings: /usr/lib/python3.11/genericpath.py /usr/lib/python3.11/codecs.py /usr/lib/python3.11/io.py
# brings: /usr/lib/python3.11/abc.py /usr/lib/python3.11/_collections_abc.py

top=$(cd "$here/../.." && pwd)
examples=$top/tests/libgapp/examples

# What a run's marks say: kind and text, a line each.
said() # FILE
{
	sed -n 's/.* mark image=.* kind=\([a-z]*\) text=\(.*\)$/\1 \2/p' "$1"
}

told() # LANGUAGE COMMAND…
{
	local language=$1
	shift
	gapp-read script -- "$@" >"$tmp/script" 2>"$tmp/err"
	same "marks of $language" "$(said "$tmp/script")" "begin from $language
mark half way
end from $language"
	gapp-read -o "$tmp/x.data" --records -- "$@" >/dev/null 2>>"$tmp/err"
	gapp-read script "$tmp/x.data" >"$tmp/kept" 2>>"$tmp/err"
	same "marks of $language, kept in a recording" "$(said "$tmp/kept")" "$(said "$tmp/script")"
}

same "anybody may make marks" "$(stat -c %a /dev/gapp_mark)" 666
told C "$top/build/libgapp/marks"
told shell sh "$examples/marks.sh"
if [ -x /usr/bin/python3.11 ]; then
	told Python /usr/bin/python3.11 -I -S "$examples/marks.py"
else
	skip "marks of Python" "the host has no python3.11"
fi

# of SECTION MEMBER: from a JSON report
figure()
{
	sed -n "s/.*\"name\": \"$1\".*\"$2\": \([0-9.]*\).*/\1/p" "$tmp/sections.json" | head -n 1
}

sections() # LEVEL
{
	local function
	gapp-read --level "$1" -o "$tmp/$1.data" -- "$top/build/libgapp/sections" >/dev/null 2>"$tmp/err"
	gapp-read report --format json "$tmp/$1.data" >"$tmp/sections.json" 2>>"$tmp/err"
	for name in alone both asleep; do
		same "$1: section $name began twice" "$(figure $name begins)" 2
		check "$1: and lasted so long" "$(figure $name time_s) s" between "$(figure $name time_s)" 0.199 1000
	done
	# the only thread there is
	check "$1: one thread was active in one" "$(figure alone active_average)" \
		between "$(figure alone active_average)" 0.98 1.001
	check "$1: two at most in another" "$(figure both active_average)" \
		between "$(figure both active_average)" 1 2.001
	check "$1: and fewer than one in the third" "$(figure asleep active_average)" \
		between "$(figure asleep active_average)" 0 0.99
	# slices are longer than sections here, and divided by time
	check "$1: a thread alone has critical time" "$(figure alone critical_s) s" \
		between "$(figure alone critical_s)" 0.02 1000
	function=$(sed -n '/"name": "alone"/,/{"function"/s/.*{"function": "\([^"]*\)".*/\1/p' "$tmp/sections.json" | head -n 1)
	same "$1: the first place of that section" "$function" burn_alone
	gapp-read report --view sections "$tmp/$1.data" >"$tmp/sections.txt" 2>>"$tmp/err"
	check "$1: the sections of a recording are shown later" "$(cat "$tmp/sections.txt")" \
		grep -q ' 2  alone: burn_alone' "$tmp/sections.txt"
	sed 's/^/# /' "$tmp/sections.txt"
}

sections critical
sections trace

# Who has the node open holds the module.
exec 9>/dev/gapp_mark
check "rmmod refuses while the node is open" "it does not" eval '! rmmod gapp 2>/dev/null'
exec 9>&-
check "and works again" "$(lsmod | grep '^gapp ')" wait_until rmmod gapp
check "the library runs without the module" "it does not" "$top/build/libgapp/marks"
check "and the module loads again" "it does not" load $KO
finish

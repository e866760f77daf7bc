#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC3043 # busybox has local
# In the guest: call paths of programs without frame pointers, in each --call-graph mode, and of
# programs whose code comes and goes.
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"


# A line for each row of a list: CRITICAL-SECONDS SLICES COMPLETE THEN PATH, the path's functions with < between.
paths_of() # REPORT LIST
{
	list "$1" "$2" | awk '
		function member(name,    from) {
			if (!match($0, "\"" name "\": [^,]*"))
				return "-"
			from = length(name) + 4
			return substr($0, RSTART + from, RLENGTH - from)
		}
		/"rank": / {
			then = "-"
			if (match($0, /"then": [{][^}]*[}]/))
				then = substr($0, RSTART + 8, RLENGTH - 8)
			gsub(/[ "]/, "", then)
			path = ""
			rest = $0
			while (match(rest, /"function": ("[^"]*"|null)/)) {
				name = substr(rest, RSTART + 12, RLENGTH - 12)
				gsub(/[ "]/, "", name)
				path = path (path == "" ? "" : "<") name
				rest = substr(rest, RSTART + RLENGTH)
			}
			print member("critical_s"), member("slices"), member("complete"), then, path
		}'
}

# Per cent of the slices on paths that match $2 that are on paths that match $3 too.
share_of() # REPORT LIST PATTERN PATTERN
{
	paths_of "$1" "$2" | awk -v of="$3" -v are="$4" '
		$0 ~ of { all += $2; if ($0 ~ are) good += $2 }
		END { printf "%.2f\n", all ? 100 * good / all : -1 }'
}

# mostly NAME REPORT LIST OF ARE PER-CENT: of the slices on paths that match OF so many are on such that match ARE
mostly()
{
	local share
	share=$(share_of "$2" "$3" "$4" "$5")
	check "$1 ($share %)" "$share %: $(paths_of "$2" "$3" | grep -E "$4" | grep -Ev "$5" | head -n 3)$(cat "$2.err")" \
		between "$share" "$6" 100
}

ten=$(printf 'descend<%.0s' 1 2 3 4 5 6 7 8 9 10)

# What is on paths that are not whole.
cut_paths() # REPORT
{
	paths_of "$1" paths | grep ' false ' | head -n 3
}

# The modes that have whole paths.
whole_mode() # MODE PROGRAM
{
	local report=$tmp/$1-$2 target wanted=99
	# by tables alone: not before they are there
	[ "$1" != table ] || wanted=75
	record "$report" --top 100000 --call-graph "$1" -- "$2" 3 $((150 * slow))
	healthy "--call-graph $1, $2" "$report" short
	mostly "--call-graph $1, $2: who computes is ten calls below its thread" "$report" paths \
		hold_lock "hold_lock<${ten}worker(<|\$)" $wanted
	record "$report-ends" --top 100000 --by slice-end --call-graph "$1" -- "$2" 3 $((150 * slow))
	mostly "--call-graph $1, $2: who waits in libc, too" "$report-ends" rows \
		'lock:[0-9]' "${ten}worker(<|\$)" $wanted
	"$2" 3 1000000 &
	target=$!
	record "$report-attached" --top 100000 --call-graph "$1" -p $target -d $((1 * slow))
	check "--call-graph $1, attached to $2: all paths are whole" \
		"$(field "$report-attached" complete_path_percent) %: $(cut_paths "$report-attached")" \
		between "$(field "$report-attached" complete_path_percent)" 99.9 100
	end $target
}

# The C library of this program has no frame information: the paths of who waits in it end there.
musl()
{
	local report=$tmp/musl
	if [ ! -x "$calls/deep-musl" ]; then
		skip "a static program with musl" "no musl-gcc for $(uname -m): scripts/setup test"
		return
	fi
	record "$report" --top 100000 -- deep-musl 3 $((150 * slow))
	healthy "a static program with musl" "$report" short
	mostly "a static program with musl: who computes is ten calls below its thread" "$report" paths \
		hold_lock "hold_lock<${ten}worker(<|\$)" 99
	mostly "... and the path is whole" "$report" paths hold_lock ' true ' 99
}

frame_pointers()
{
	local report=$tmp/fp
	record "$report" --top 100000 --call-graph fp -- deep
	healthy "--call-graph fp" "$report" short
	same "--call-graph fp: paths are cut, not made up" \
		"$(paths_of "$report" paths | grep -c 'hold_lock<.*worker')" 0
	if [ "$(uname -m)" = aarch64 ]; then
		skip "--call-graph fp: few are whole" \
			"on aarch64 functions without a frame leave x29 alone: it leads past them to the end"
		return
	fi
	check "--call-graph fp: few are whole" "$(field "$report" complete_path_percent)" \
		between "$(field "$report" complete_path_percent)" 0 50
}

# A processor that has such signatures puts them into the upper bits of return addresses on the stack.
signed_addresses()
{
	local name="return addresses with signatures" report=$tmp/signed
	if [ ! -x "$calls/deep-signed.tables" ]; then
		skip "$name" "a program for $(uname -m) has none"
		return
	fi
	if ! grep -qw paca /proc/cpuinfo; then
		skip "$name" "this processor has none"
		return
	fi
	whole_mode table deep-signed.tables
	whole_mode copy deep-signed.tables
	record "$report" --top 100000 --call-graph fp -- deep-signed.frames 3 $((150 * slow))
	healthy "--call-graph fp, $name" "$report" short
	mostly "--call-graph fp, $name: who computes is ten calls below its thread" "$report" paths \
		hold_lock "hold_lock<${ten}worker(<|\$)" 99
}

# Below a handler is the function that its signal has interrupted, which keeps its return address in a register.
signals()
{
	local report mode wanted
	for mode in auto table copy; do
		report=$tmp/handler-$mode wanted=99
		# by tables alone: not before they are there
		[ $mode != table ] || wanted=75
		record "$report" -n 64 --top 100000 --call-graph $mode -- handler 3 $((300 * slow))
		healthy "--call-graph $mode, signals" "$report" short
		mostly "--call-graph $mode: below a handler is what its signal interrupted" "$report" paths \
			'in_handler<' 'in_handler<handler<[^<]*<interrupted<outer<worker(<|$)' 75
	done
}

no_paths()
{
	local report=$tmp/none
	record "$report" --top 100000 --call-graph none -- deep
	healthy "--call-graph none" "$report" short
	same "--call-graph none: no path has a frame" "$(paths_of "$report" paths | grep -c 'descend')" 0
	same "--call-graph none: critical time is told all the same" \
		"$(awk -v s="$(field "$report" critical_s)" 'BEGIN { print (s > 0) }')" 1
}

# On aarch64 the frame pointer of generated code does not tell where its caller's frame is: without a frame of its
# own, that is the last of the path.
below_generated='run_generated<main(<|$)'
[ "$(uname -m)" != aarch64 ] || below_generated='run_generated$'

programs_that_change()
{
	local through='<callback<plugin_work_[0-3]<use_plugin<main(<|$)' whole right
	record "$tmp/storm" --top 100000 -- plugins "$calls" 1000
	healthy "1000 times dlopen and dlclose" "$tmp/storm" short
	# The module walks by what it was told last: of a library that is gone in a millisecond, often of the
	# one before at the same address. The reader knows, and cuts such paths.
	whole=$(share_of "$tmp/storm" paths '<callback<' ' true ')
	right=$(share_of "$tmp/storm" paths '<callback<' " true .*$through")
	echo "# 1000 times dlopen and dlclose: of the paths $right % are whole, $(awk "BEGIN { print 100 - $whole }") % cut"
	check "... no path is whole and wrong" \
		"$whole % whole, $right % right: $(paths_of "$tmp/storm" paths | grep ' true .*<callback<' | grep -Ev "$through" | head -n 5)" \
		awk "BEGIN { exit !($right > 0 && $whole - $right <= 1) }"
	record "$tmp/plugins" --top 100000 -- plugins "$calls" 20 200
	mostly "libraries that come and go are on the paths" "$tmp/plugins" paths '<callback<' "$through" 80
	for number in 0 1 2 3; do
		check "... number $number too" "$(paths_of "$tmp/plugins" paths | head -n 5)" \
			sh -c "grep -q '\"plugin_work_$number\"' $tmp/plugins"
	done
	record "$tmp/remap" --top 100000 -- remap $((400 / slow))
	healthy "code that is mapped, moved and unmapped while walked" "$tmp/remap" short
	record "$tmp/jit" --top 100000 -- jit
	healthy "generated code" "$tmp/jit" short
	mostly "generated code with frame pointers is walked through" "$tmp/jit" paths \
		'callback<' "callback<[^<]*<[^<]*<[^<]*<$below_generated" 95
	mostly "... as one function of its program" "$tmp/jit" paths \
		'callback<' 'callback<(JITcodeofjit<){3}run_generated(<|$)' 95
	record "$tmp/named" --top 100000 -- jit 200 1000 map
	mostly "a perf map that was written at the end names generated code" "$tmp/named" paths \
		'callback<' "callback<inner<middle<outer<$below_generated" 95
	rm -f /tmp/perf-*.map
	record "$tmp/dumped" --top 100000 -- jit 200 1000 dump
	mostly "a JIT dump names generated code" "$tmp/dumped" paths \
		'callback<' "callback<inner<middle<outer<$below_generated" 95
	check "... and its lines" "$(grep -o '"inner", "object": "jit"[^}]*' "$tmp/dumped" | head -n 3)" \
		grep -q '"function": "inner", "object": "jit", "file": "/src/generated.src", "line": 11' "$tmp/dumped"
	rm -f /tmp/jit-*.dump
	record "$tmp/chain" --top 100000 -- chain
	healthy "fork and exec, over and over" "$tmp/chain" short
	same "... all were followed" "$(field "$tmp/chain" threads_total)" 13
	mostly "... before the fork, before the exec and after it" "$tmp/chain" paths \
		'work_here<' 'work_here<(go_on<)?main(<|$)' 99
	check "... between the two" "$(paths_of "$tmp/chain" paths | head -n 5)" \
		sh -c "grep -q '\"go_on\"' $tmp/chain"
}

several_readers()
{
	local target i readers=
	deep 3 100000 &
	target=$!
	for i in 1 2 3; do
		record "$tmp/several$i" --top 100000 -p $target -d 1 &
		readers="$readers $!"
	done
	# shellcheck disable=SC2086 # words
	wait $readers
	for i in 1 2 3; do
		mostly "reader $i of three on one target has whole paths" "$tmp/several$i" paths \
			hold_lock "hold_lock<${ten}worker(<|\$)" 99
	done
	record "$tmp/everybody" --top 100000 -a -d 1
	mostly "-a: whole paths of a process found by its first walk" "$tmp/everybody" paths \
		hold_lock "hold_lock<${ten}worker(<|\$)" 90
	end $target
}

# Kilobytes that the kernel has mapped: tables among them, and buffers, which are not in VmallocUsed.
kernel_memory()
{
	awk '/^VmallocUsed:/ { kib += $2 } / \[gapp\] vmap/ { kib += $2 / 1024 } END { print int(kib) }' \
		/proc/meminfo /proc/vmallocinfo
}

# The first session of this guest by tables, and a second one: root's tables are the whole system's.
tables_on_disk()
{
	local kept=/var/cache/gapp/tables report=$tmp/kept at
	mkdir -p /var/cache
	record "$report" --call-graph table -- deep 2 2
	check "root's tables are kept in /var/cache/gapp" "$(ls -lR /var/cache)$(cat "$report.err")" \
		sh -c "ls $kept | grep -q ."
	check "... for root alone" "$(stat -c '%a %u %n' /var/cache/gapp $kept $kept/*)" \
		sh -c "! stat -c '%a %u' /var/cache/gapp $kept $kept/* | grep -qvE '^(700|600) 0\$'"
	at=$(ls -i $kept)
	XDG_CACHE_HOME=$tmp/own record "$report" --call-graph table -- deep 2 2
	same "... and found again" "$(ls -i $kept)" "$at"
	check "... not in a folder that a variable names" "$(ls -R "$tmp/own" 2>&1)" [ ! -e "$tmp/own" ]
}

PATH=$calls:$PATH
tables_on_disk
# What only the first session makes stays.
record "$tmp/first" -- deep 2 2
before=$(kernel_memory)
for mode in auto table copy; do
	whole_mode $mode deep
done
whole_mode auto deep-static
musl
frame_pointers
signed_addresses
signals
no_paths
programs_that_change
several_readers
check "no session is left" "$(sessions)" wait_until no_session
same "no table is left" "$(tail -n +3 $PROC/tables)" ""
sleep 1
after=$(kernel_memory)
check "no memory of the kernel's is left" "$before KiB before, $after after" [ "$after" -le $((before + 512)) ]
finish

# SPDX-License-Identifier: GPL-2.0
# Which ELF files a comparison takes, and how the other tests are run.
# shellcheck shell=bash

folders=(/usr/bin /usr/sbin /usr/lib /usr/lib64 /usr/libexec /usr/local /opt)

# C libraries, what is written in assembler, expressions, the largest: what can go wrong does here.
hard=(
	libc.so.6 ld-linux-x86-64.so.2 libm.so.6 libstdc++.so.6 libgcc_s.so.1 libcrypto.so.3 libssl.so.3
	libgcrypt.so.20 libgnutls.so.30 libgmp.so.10 libffi.so.8 'libavcodec.so.*' 'libx264.so.*'
	'libLLVM-*.so.1' libjvm.so ld-musl-x86_64.so.1 cc1 node gdb openssl 'python3.[0-9]*' busybox perl
	bash git qemu-system-x86_64
)

# Files that may be ELF files to run or to map; whether they are is seen when they are read.
all_files() {
	local folder
	for folder in "${folders[@]}"; do
		[ ! -d "$folder" ] || find "$folder" \( -path /usr/lib/debug -o -path /usr/lib/modules \) \
			-prune -o -type f -size +1k \
			\( -perm /111 -o -name '*.so' -o -name '*.so.*' \) -print
	done | LC_ALL=C sort -u
}

hard_files() {
	local name file
	for name in "${hard[@]}"; do
		# shellcheck disable=SC2086,SC2231 # a pattern
		for file in /usr/lib/x86_64-linux-gnu/$name /lib64/$name /lib/$name /usr/bin/$name \
			/usr/lib/gcc/x86_64-linux-gnu/*/$name /usr/lib/jvm/*/lib/server/$name; do
			# one, and no folder
			if [ -f "$file" ]; then
				readlink -e "$file"
				break
			fi
		done
	done
}

# What must be among all files, and what its files are called; scripts/setup test paths paths-all
# installs one of each. ffmpeg's like: codecs in assembler.
declare -A named=(
	[libc]='libc\.so\.6'
	[libstdc++]='libstdc\+\+\.so\.[0-9.]*'
	[python]='(lib)?python3\.[0-9]+(\.so.*)?'
	[node]='(libnode\.so.*|node)'
	[LLVM]='libLLVM-.*'
	[gdb]='gdb'
	[openssl]='libcrypto\.so.*'
	[ffmpeg-class]='(libavcodec|libx26[45]|libaom|libdav1d|libde265|libvpx)\.so.*'
)

# A line for each of those, FILE having the names of the files that were compared.
tell_named() { # FILE
	local name files failed=0
	for name in libc libstdc++ python node LLVM gdb openssl ffmpeg-class; do
		files=$(grep -E "/${named[$name]}\$" "$1" | tr '\n' ' ')
		if [ -n "$files" ]; then
			echo "ok - tables: $name is among them (${files% })"
		else
			echo "not ok - tables: $name is among them (no file: scripts/setup test paths paths-all)"
			failed=1
		fi
	done
	return $failed
}

# In an order that is the same each time, and has nothing to do with names.
shuffled() {
	awk -v letters='/abcdefghijklmnopqrstuvwxyz0123456789-_.+' '{
			hash = 7
			for (i = 1; i <= length($0); i++)
				hash = (hash * 31 + index(letters, substr($0, i, 1))) % 1000003
			print hash, $0
		}' | LC_ALL=C sort -n | cut -d ' ' -f 2-
}

# More of the others than are wanted, for not all are ELF files: rows stops when it has enough.
selection() { # N|all
	if [ "$1" = all ]; then
		all_files
	else
		hard_files
		all_files | shuffled
	fi
}

# Runs a program made with cmocka and prints a line for each of its tests.
run_tests() { # PROGRAM
	local program=$1 rc
	CMOCKA_MESSAGE_OUTPUT=TAP "$program" >"$program.tap" 2>"$program.err"
	rc=$?
	awk -v name="${program##*/test_}" -v rc="$rc" '
		function flush() {
			if (failed != "")
				print "not ok - tables: " name ": " failed " (" (why != "" ? why : "?") ")"
			failed = why = ""
		}
		/^1\.\.[0-9]+$/ { plan = substr($0, 4) }
		/^skipped: / { reason = substr($0, 10) }
		/^# / { if (failed != "" && why == "") why = substr($0, 3) }
		/^(not )?ok [0-9]+ (- |# SKIP )/ {
			flush()
			seen++
			title = $0
			sub(/^(not )?ok [0-9]+ (- |# SKIP )/, "", title)
			gsub(/_/, " ", title)
			if (/# SKIP /) {
				print "skip - tables: " name ": " title " (" reason ")"
			} else if (/^not/) {
				failures++
				failed = title
			} else {
				print "ok - tables: " name ": " title
			}
		}
		END {
			flush()
			if (seen < plan || !plan || (rc && !failures)) {
				failures++
				print "not ok - tables: " name " (exit status " rc " after " seen + 0 \
				      " of " plan + 0 " tests)"
			}
			exit failures > 0
		}' "$program.tap" || {
		cat "$program.err" >&2
		return 1
	}
}

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC3043 # busybox has local
# In the guest: the paths that the module walks by tables are those that libdwfl finds in copies of the
# same stacks, taken by the same probes; for the truth suite and for Debian's own programs.
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"
# brings: build/truth/pie build/truth/tools
# brings: /usr/bin/python3.11 /usr/lib/python3.11/encodings /usr/lib/python3.11/collections
# brings: /usr/lib/python3.11/threading.py /usr/lib/python3.11/_weakrefset.py /usr/lib/python3.11/functools.py
# brings: /usr/lib/python3.11/keyword.py /usr/lib/python3.11/operator.py /usr/lib/python3.11/reprlib.py
# brings: /usr/lib/python3.11/types.py /usr/bin/perl /usr/bin/bash /usr/bin/gzip /usr/bin/xz
# brings: /usr/bin/openssl /usr/bin/sort /usr/bin/find /usr/bin/tar /usr/bin/sqlite3

# Equal paths, in per cent of those that were compared to the end of both.
limit=99.5
# So many there must be, and a quarter of what is not compared, for a program to say something.
fewest=20
truth=$(cd "$here/../../build/truth" && pwd)
few_truths="hot_mutex cond_queue fault_storm processes tcp_server two_paths"
few_programs="python3.11 perl bash xz"
all_equal=0 all_wrong=0 all_early=0

is_chosen() # NAME LIST
{
	case " $2 " in
	*" $1 "*) return 0 ;;
	*) [ "${GAPP_VERIFY:-}" = all ] ;;
	esac
}

figure() # REPORT NAME: of what was compared
{
	sed -n "s/^\t\"verify\": {.*\"$2\": \([0-9]*\).*/\1/p" "$1"
}

# Where paths part, a line for each place that the report has.
cases() # NAME REPORT
{
	sed -n 's/^\t\t\({"verdict": .*}\),*$/\1/p' "$2" | tr -d '"{},' | awk -v name="$1" '
		function after(word,    i) {
			for (i = 1; i < NF; i++)
				if ($i == word ":")
					return $(i + 1)
		}
		function last_common(equal,    i, seen) {
			for (i = 1; i < NF; i++)
				if (substr($i, length($i) - 6) == "module:" && ++seen >= equal)
					return sprintf("%s+%#x", $(i + 1), $(i + 3))
		}
		{
			printf "# %s: %s %d times, after %d equal frames, at %s; module: %s, libdwfl: %s\n",
				name, after("verdict"), after("times"), after("equal"),
				last_common(after("equal")), after("end"), after("libdwfl_end")
		}'
}

# parts_of REPORT: sets equal, and early and wrong: walks that ended early, and say so, with the same
# frames until then; and all others that differ
parts_of()
{
	equal=$(figure "$1" equal)
	early=$(figure "$1" shorter)
	wrong=$(($(figure "$1" differ) - early))
	beyond=$(($(figure "$1" beyond_copy) + $(figure "$1" gave_up) + $(figure "$1" unchecked)))
}

percent() # PART REST
{
	awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a + b ? 100 * a / (a + b) : 0 }'
}

# Every slice's path, and a thousand samples a second.
compared() # NAME TARGET…
{
	local name="$1" report equal early wrong beyond share
	report=$tmp/$1
	shift
	record "$report" -n 64 -F 1000 --top 10 --call-graph verify "$@"
	if [ -z "$(figure "$report" equal)" ]; then
		not_ok "$name: paths are libdwfl's" "no report: $(cat "$report.err")"
		return
	fi
	parts_of "$report"
	all_equal=$((all_equal + equal)) all_wrong=$((all_wrong + wrong)) all_early=$((all_early + early))
	share=$(percent "$equal" "$wrong")
	cases "$name" "$report"
	check "$name: paths are libdwfl's ($equal equal, $wrong differ; $early ended early, $beyond beyond \
copy or libdwfl)" "$share % of $((equal + wrong))" between "$share" $limit 100
	check "$name: enough were compared" "$equal equal, $early ended early, $beyond beyond" \
		[ "$equal" -ge $((fewest + (early + beyond) / 4)) ]
}

truth_suite()
{
	local program name loops
	loops=$("$truth/tools/calibrate")
	# a quarter of the work
	export TRUTH_LOOPS_PER_MS=$((loops / 4 / slow + 1))
	for program in "$truth"/pie/*; do
		name=$(basename "$program")
		is_chosen "$name" "$few_truths" || continue
		case $name in
		*_mended | *_direct) ;;
		slow_pipe) compared "$name" -- sh -c "$truth/tools/feed | $program" ;;
		commit_path) compared "$name" -- "$program" "$tmp/log" ;;
		*) compared "$name" -- "$program" ;;
		esac
	done
}

# What runs when the session begins has its tables: no walk ends early, but where no rule can say it.
attached()
{
	local target equal early wrong beyond
	"$calls/deep" 3 1000000 &
	target=$!
	usleep 200000
	compared "attached" -p $target -d $slow
	parts_of "$tmp/attached"
	same "attached: walks that ended early" "$early" 0
	end $target
}

# Compares it if this machine had it.
debian() # PROGRAM ARGUMENT…
{
	local name="$1" program=/usr/bin/$1
	is_chosen "$name" "$few_programs" || return 0
	shift
	if [ -L "$program" ] || [ ! -e "$program" ]; then
		skip "Debian's $name" "it is not installed here"
	else
		compared "Debian's $name" -- "$program" "$@"
	fi
}

hashing='import threading, _sha256, zlib
data = bytes(range(256)) * 4000
lock = threading.Condition()
left = 6
def work():
    global left
    while True:
        with lock:
            if left == 0:
                return
            left -= 1
            lock.notify_all()
        _sha256.sha256(data).hexdigest()
        zlib.compress(data)
        sum(hash(str(i)) for i in range(3000))
threads = [threading.Thread(target=work) for i in range(3)]
[t.start() for t in threads]
[t.join() for t in threads]
'

# shellcheck disable=SC2016 # perl's own
forking='for my $i (1 .. 4) {
	pipe(my $from, my $to);
	my $child = fork();
	if (!$child) {
		print $to join(",", sort { $b <=> $a } map { ($_ * 7919) % 10007 } 1 .. 6000);
		exit;
	}
	close($to);
	my @got = split(/,/, <$from>);
	waitpid($child, 0);
	my %seen = map { $_ => s/1/one/gr } @got;
}'

debians_programs()
{
	head -c 3000000 /usr/bin/perl >"$tmp/input"
	seq 1 60000 | awk '{ print ($1 * 7919) % 60013, "a line", $1 }' >"$tmp/lines"
	debian python3.11 -I -S -c "$hashing"
	debian perl -e "$forking"
	# shellcheck disable=SC2016 # for that bash
	debian bash -c 'for i in 1 2 3 4 5 6 7 8; do echo $i | (read x; y=$(echo $((x * x)))); done'
	debian gzip -k -f "$tmp/input"
	debian xz -k -f -1 -T 2 --block-size=500KiB "$tmp/input"
	debian sort --parallel=2 -S 20M -o "$tmp/sorted" "$tmp/lines"
	debian openssl speed -seconds 1 rsa2048 sha256 ecdhx25519
	debian find /usr /sys -xdev -name 'x*' -newer /etc/passwd
	debian tar -c -z -f "$tmp/archive" -C /usr lib/python3.11
	debian sqlite3 "$tmp/base" 'create table t(a, b); with recursive c(x) as
		(select 1 union all select x + 1 from c where x < 20000)
		insert into t select x, x * 7919 % 10007 from c; create index i on t(b);
		select count(*) from t a join t b on a.a = b.b'
}

truth_suite
attached
debians_programs
check "all: paths are libdwfl's ($all_equal equal, $all_wrong differ; $all_early ended early)" \
	"$(percent $all_equal $all_wrong) %" between "$(percent $all_equal $all_wrong)" $limit 100
finish

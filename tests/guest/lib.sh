# SPDX-License-Identifier: GPL-2.0
# Sourced by the scripts that run in the guest (busybox sh): results, reports, the module.
# shellcheck shell=dash disable=SC2034,SC2154,SC3043 # for those scripts; local is there

KO=/run/lab/gapp.ko
PROC=/proc/gapp
here=$(cd "$(dirname "$0")" && pwd)
tests=$(cd "$here/../../build/tests" && pwd)
calls=$(cd "$here/../../build/calls" && pwd)
PATH=$tests:$PATH
part=$(basename "$0" .sh)
tmp=/tmp/gapp-$part
mkdir -p "$tmp"

# KASAN and lockdep cost a factor of five, and so does KCSAN.
slow=1 usual=70 short=40
case ${GAPP_GUEST:-} in
debug | kcsan | rt-debug) slow=5 usual=50 short=20 ;;
esac

# As scripts/lab/init loads the module.
load() # MODULE PARAMETER…
{
	insmod "$@" max_switch_us=50000 max_cpu_percent=100
}

ok()
{
	echo "ok - $part: $*"
}

not_ok() # NAME WHY
{
	echo "not ok - $part: $1 ($(echo "$2" | tr '\n' ' '))"
}

skip() # NAME WHY
{
	echo "skip - $part: $1 ($2)"
}

check() # NAME WHY COMMAND…
{
	local name=$1 why=$2
	shift 2
	if "$@"; then
		ok "$name"
	else
		not_ok "$name" "$why"
	fi
}

same() # NAME IS WANTED
{
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1" "is '$2', not '$3'"
	fi
}

# wait_until COMMAND…: at most ten seconds; a minute where all is slow
wait_until()
{
	local n=$((200 * slow))
	while ! "$@"; do
		[ $((n -= 1)) -gt 0 ] || return 1
		usleep 50000
	done
}

# End processes of ours without a word of the shell.
end()
{
	local pid
	for pid; do
		kill -KILL "$pid"
		wait "$pid"
	done 2>/dev/null
	return 0
}

loaded()
{
	grep -q '^gapp ' /proc/modules
}

# Sessions, one a line, without the title.
sessions()
{
	tail -n +2 $PROC/sessions
}

session_count()
{
	sessions | wc -l
}

running() # COUNT: so many sessions are running
{
	[ "$(sessions | grep -c ' running ')" = "$1" ]
}

no_session()
{
	[ "$(session_count)" = 0 ]
}

sessions_are() # COUNT NAME
{
	wait_until running "$1" || not_ok "$2" "no $1 sessions are running: $(sessions)"
}

field() # REPORT NAME: of a JSON report
{
	sed -n "s/^\t\"$2\": \(.*[^,]\),*\$/\1/p" "$1"
}

between() # NUMBER FROM TO
{
	awk -v n="$1" -v from="$2" -v to="$3" 'BEGIN { exit !(n + 0 >= from + 0 && n + 0 <= to + 0) }'
}

# Seconds that all threads of a JSON report ran and waited for a CPU, by the kernel's accounts.
kernel_s() # REPORT
{
	list "$1" threads | awk -F '"kernel_(run|runq)_s": ' '{ s += $2 + $3 } END { print s + 0 }'
}

# What is wrong with a JSON report; nothing if every check in it passes. The kernel reads the clock
# for its own accounts some time before we do: microseconds in an emulated guest, which is much where
# slices are short, and milliseconds if the host runs something else just then. So one report must
# only agree roughly with the kernel, and most reports of a script well: see finish. With short
# nothing is compared that ran for less than 0.1 s.
ailments() # REPORT [short]
{
	local agrees
	[ -s "$1" ] || {
		echo "no report: $(cat "$1.err")"
		return
	}
	between "$(field "$1" accounted_percent)" 99.9 100.1 ||
		echo "accounted_percent $(field "$1" accounted_percent)"
	[ "$(field "$1" n_recount_ok)" = true ] || echo "recount: $(field "$1" recount)"
	[ "$(field "$1" unexpected)" = 0 ] || echo "unexpected $(field "$1" unexpected)"
	[ "$(field "$1" not_followed)" = 0 ] || echo "not_followed $(field "$1" not_followed)"
	[ "${2:-}" != short ] || between "$(kernel_s "$1")" 0.1 1e9 || return 0
	agrees=$(field "$1" kernel_agrees_percent)
	[ "$agrees" = null ] || between "$agrees" "$short" 100 || echo "kernel_agrees_percent $agrees"
}

# healthy NAME REPORT [short]: with short its slices are, and it does not count for most reports
healthy()
{
	local why
	why=$(ailments "$2" ${3:+"$3"})
	[ $# -gt 2 ] || field "$2" kernel_agrees_percent | grep -v null >>"$tmp/agreements"
	if [ -z "$why" ]; then
		ok "$1: every check of the report passes"
	else
		not_ok "$1: every check of the report passes" "$why"
	fi
}

# as_json REPORT gapp-read ARGUMENT…: standard output has the command's output only
as_json()
{
	local report=$1 reader=$2 status
	shift 2
	rm -f "$report" "$report.json"
	"$reader" --format json -o "$report.json" "$@"
	status=$?
	[ ! -e "$report.json" ] || mv "$report.json" "$report"
	return $status
}

# record REPORT ARGUMENT…: gapp-read, for a JSON report if $format is not another
format=json
record()
{
	local report=$1
	shift
	if [ $format != json ]; then
		gapp-read --format $format "$@" >"$report" 2>"$report.err" </dev/null
		return
	fi
	as_json "$report" gapp-read "$@" >"$report.out" 2>"$report.err" </dev/null
}

# The rows of a JSON report's list.
list() # REPORT NAME
{
	sed -n "/^\t\"$2\": \[/,/\]\(,\|\$\)\$/p" "$1"
}

thread_count() # REPORT
{
	grep -c '^		{"tid": ' "$1"
}

finish()
{
	local median
	if [ -s "$tmp/agreements" ]; then
		median=$(sort -n "$tmp/agreements" | awk '{ of[NR] = $1 } END { print of[int((NR + 1) / 2)] }')
		check "the kernel's accounts agree in most reports ($median %)" \
			"$(sort -n "$tmp/agreements")" between "$median" "$usual" 100
	fi
	echo "done $part"
}

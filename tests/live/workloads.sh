# SPDX-License-Identifier: GPL-2.0
# The workloads of tests/live, for tests/live/run: the first five are those of a short run.
# shellcheck shell=bash disable=SC2034,SC2016 # used by tests/live/run; $src is for a shell to come
declare -A needs build command after
names=()

# workload NAME "PROGRAMS IT NEEDS" "HOW IT IS BUILT" "COMMAND"
# Both run with the folder of their own as the current one, $src being where the sources are.
workload() {
	names+=("$1")
	needs[$1]=$2
	build[$1]=$3
	command[$1]=$4
}

# own NAME SOURCE "FLAGS": one of ours, as distributions build theirs
own() {
	local compiler=gcc
	case $2 in
	*.cc) compiler=g++ ;;
	*.f90) compiler=gfortran ;;
	esac
	workload "$1" "$compiler" "$compiler -O2 -g0 -w -fomit-frame-pointer -o run \$src/$2 $3" \
		"./run"
}

forever() { # COMMAND
	echo "bash -c 'while :; do $1; done'"
}

own sync sync.c -pthread
workload cc1plus g++ "" "$(forever 'g++ -O2 -c -o regex.o $src/regex.cc')"
workload python-threads /usr/bin/python3 "" "/usr/bin/python3 \$src/threads.py"
own alarms alarms.c "-Wl,-z,lazy -lm"
own exceptions exceptions.cc ""

own altstack altstack.c ""
own callbacks callbacks.c ""
own callbacks-static callbacks.c -static
workload callbacks-musl musl-gcc "musl-gcc -O2 -static -fomit-frame-pointer -o run \$src/callbacks.c" \
	./run
workload sync-musl musl-gcc "musl-gcc -O2 -static -fomit-frame-pointer -o run \$src/sync.c" ./run
own sync-static sync.c "-static -pthread"
own jumps jumps.c ""
own coroutines coroutines.c ""
own threads threads.c -pthread
own vectors vectors.c -mavx2
own deep deep.c ""
own arrays arrays.c ""
own small small.c -Os
own small-clang small.c ""
needs[small-clang]=clang build[small-clang]=${build[small-clang]/#gcc/clang}
own calls calls.c -pthread
own regex regex.cc ""
own matrix matrix.f90 -mavx2
own vforks vforks.c ""
own spawns spawns.c -pthread
workload dlopen "gcc python3" "python3 \$src/parts.py >parts.c && gcc -O2 -w -o run \$src/loader.c &&
	gcc -O2 -w -fPIC -shared -Wl,-z,lazy -o parts.so parts.c" "./run ./parts.so"
workload dlopen-ibt "gcc python3" "python3 \$src/parts.py >parts.c && gcc -O2 -w -o run \$src/loader.c &&
	gcc -O2 -w -fPIC -shared -fcf-protection=full -Wl,-z,now,-z,ibtplt -o parts.so parts.c" \
	"./run ./parts.so"

workload cc1 gcc "" "$(forever 'gcc -O2 -w -c -o callbacks.o $src/callbacks.c; gcc -O2 -w -pthread -o sync $src/sync.c')"
workload clang clang "" "$(forever 'clang -O2 -w -c -o callbacks.o $src/callbacks.c')"
workload rustc rustc "printf 'fn main() { let mut v: Vec<String> = (0..99).map(|i| i.to_string()).collect(); v.sort(); println!(\"{:?}\", v); }' >some.rs" \
	"$(forever 'rustc -O -o some some.rs')"
workload python /usr/bin/python3 "" "/usr/bin/python3 \$src/busy.py"
workload perl perl "" "perl \$src/busy.pl"
workload node node "" "node \$src/busy.js"
workload java "java javac" "javac -d . \$src/Busy.java" "java -Xmx64m -Xshare:auto -cp . Busy"
workload java-interpreted "java javac" "javac -d . \$src/Busy.java" "java -Xint -Xmx64m -cp . Busy"

# Milliseconds until code has been generated, and runs.
after[node]=1500 after[java]=2500 after[java-interpreted]=1500

for what in rsa2048 ecdsap256 ecdhx25519; do
	workload "openssl-$what" openssl "" "openssl speed -seconds 60 $what"
done
for what in sha256 aes-256-gcm chacha20-poly1305 aes-128-cbc-hmac-sha1 aes-128-xts; do
	workload "openssl-$what" openssl "" "openssl speed -seconds 60 -evp $what"
done

workload xz xz "seq 900000 >numbers" "$(forever 'xz -T2 -2 --block-size=500000 -kfc numbers')"
workload zstd zstd "seq 900000 >numbers" "$(forever 'zstd -q -T2 -5 -kfc numbers')"
workload sort sort "seq 400000 | rev >numbers" "$(forever 'sort --parallel=2 numbers')"
workload gdb gdb "gcc -g -o sync \$src/sync.c -pthread" \
	"$(forever 'gdb -nx -q -batch -iex "set debuginfod enabled off" -ex "break run" -ex "info line main" -ex run -ex bt -ex "info functions pthread" ./sync')"
workload git git "git init -q . && seq 20000 >f && git add f &&
	git -c user.name=n -c user.email=e commit -qm 1 && seq 20000 | rev >f &&
	git -c user.name=n -c user.email=e commit -qam 2" \
	"$(forever 'git log -p --stat --word-diff; git gc -q --force --aggressive; git fsck; git grep -n 777')"
workload sqlite3 sqlite3 "" \
	"sqlite3 :memory: 'with recursive n(i) as (select 1 union all select i + 1 from n)
	select count(*), sum(length(hex(i * 7919 % 1009))) from n where i like \"%77%\" or printf(\"%d\", i) > \"9\"'"
workload shell "bash sed awk grep find" "" \
	"$(forever 'find /usr/include | sed -e "s/[aeiou]*//g" | grep -E "s(t|d).*h" | awk "{ n[length(\$0)]++ } END { for (i in n) print i, n[i] }" | sort')"

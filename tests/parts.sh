# SPDX-License-Identifier: GPL-2.0
# The parts of the tests, for tests/check: what each runs, and which size has which.
# shellcheck shell=bash disable=SC2034 # used by tests/check
declare -A describe command

part() { # NAME DESCRIPTION COMMAND
	describe[$1]=$2
	command[$1]=$3
}

part layering "edges between folders, sizes, versions, and that the check sees offences" \
	"scripts/check-layering && scripts/check-layering --selftest"
part format "clang-format" "scripts/check-style format-check && echo 'ok - clang-format'"
part checkpatch "the kernel's style checker" "scripts/check-style checkpatch && echo 'ok - checkpatch'"
part checkpatch-tests "the same for the tests" "scripts/check-style checkpatch-tests && echo 'ok - checkpatch-tests'"
part shellcheck "shell scripts" "scripts/check-style shellcheck && echo 'ok - shellcheck'"
part unit "core/ in cmocka with sanitizers, vectors, property test" "make -s unit"
part mutants "each known mistake, put back, is caught" "make -s mutants"
part mutants-fourth "of a fourth of the known mistakes, others with each commit" "tests/mutants/run --fourth"
part mutate "random mistakes are caught" "tests/mutate 200 1"
part mutate-selftest "what makes the random mistakes" "tests/mutate --selftest"
part fuzz "core/ under libFuzzer, short" "make -s fuzz"
part fuzz-long "core/ under libFuzzer, long" "make -s fuzz-long"
part cli "the reader without a module" "make -s gapp-read && tests/cli/run"
part libgapp "the library for marks, and programs in C, shell, Python and Java, without a module" "tests/libgapp/run"
part spins "busy-wait loops in code whose loops are known, by gcc and clang, -O0 to -O3" "tests/spins/run"
part spins-all "busy-wait loops of libc, libstdc++, libgomp, libomp and python3" "tests/spins/run --all"
part exports "exported files are read as other programs read them" "tests/exports/run"
part exports-all "by pprof and speedscope too, and of a real recording" \
	"make -s lab-6.12 && tests/exports/run --all && tests/exports/run --all --guest 6.12"
part page-parses "the page of -o FILE.html: scripts parse, nothing asks the network" "tests/page/parse.py"
part docs "commands, options, links, man pages and completions of the documents" "tests/docs/run"
part page "the page in headless Chromium: views, keys, selection, figures, one of 10^6 slices" \
	"make -s gapp-read && tests/page/run"
part symbols "names of binaries built in many ways, against addr2line's" "tests/symbols/run"
part symbols-few "of some of them" "tests/symbols/run --few"
part damaged-seeds "recordings made of the fuzzer's seeds, cut and damaged" "tests/damaged/run --seeds"
part damaged "recordings cut at every 1,000th byte, and each block damaged" "make -s lab-6.12 && tests/damaged/run"
part oracle-selftest "the oracle on traces with known answers" "tests/oracle/run --selftest"
part abi-layout "sizes and numbers of the ABI" "tests/abi/layout"

part build "6.1 and 6.12 with W=1 and sparse" "scripts/check-build 6.1 6.12"
part build-others "5.10 and the newest with W=1" "scripts/check-build 5.10 newest"
part refusals "what the build says of kernels that gapp is not for, and of newer ones" "tests/refusals"
part build-sources "by sources of 5.15, 6.6 and 6.18 with W=1, where somebody has put them on this machine" \
	"scripts/check-build linux-5.15 linux-6.6 linux-6.18"
part build-clang "by clang, with kCFI and IBT, with W=1" "scripts/check-build clang"

part build-arm64 "module and reader for aarch64, by a cross compiler" "scripts/check-arm64"

# What is run where a kernel of another Debian is there, and a skip with the reason where it is not.
where_there_is() { # KERNEL COMMAND
	printf '%s\n' "scripts/lab-kernel get $1 >/dev/null 2>build/check/lab-$1; case \$? in 0) make -s lab-$1 && $2 ;;" \
		"77) echo \"skip - $1 (\$(tail -n 1 build/check/lab-$1))\" ;; *) cat build/check/lab-$1; exit 1 ;; esac"
}
part guest-5.10 "records, and some of the interface, on Debian's 5.10" \
	"$(where_there_is 5.10 'GAPP_ABI=some tests/guest/run 5.10 tests/guest/abi.sh tests/guest/records.sh')"
part oracle-5.10 "2 vCPUs on 5.10 against the oracle" \
	"$(where_there_is 5.10 'tests/oracle/run --kernel 5.10 --cpus 2')"
three="--case barrier --case signals --case attach"
part oracle-5.10-few "three programs on 2 vCPUs on 5.10 against the oracle" \
	"$(where_there_is 5.10 "tests/oracle/run --kernel 5.10 --cpus 2 $three")"
part oracle-newest-few "three programs on 2 vCPUs on the newest kernel against the oracle" \
	"$(where_there_is newest "tests/oracle/run --kernel newest --cpus 2 $three")"
part guest-newest "records, and some of the interface, on the newest of Debian's backports" \
	"$(where_there_is newest 'GAPP_ABI=some tests/guest/run newest tests/guest/abi.sh tests/guest/records.sh')"
part oracle-newest "2 vCPUs on the newest kernel against the oracle" \
	"$(where_there_is newest 'tests/oracle/run --kernel newest --cpus 2')"
part guest-6.12 "module and reader on Debian's 6.12" "make -s lab-6.12 && GAPP_LOADS=40 tests/guest/run 6.12"
part guest-6.12-loads "the module loaded and unloaded 200 times, and what else is about its end" \
	"make -s lab-6.12 && tests/guest/run 6.12 tests/guest/module.sh"
kernels="GAPP_KERNEL=all tests/guest/run"
part guest-kernel "the kernel's part of programs, and kernel threads" \
	"make -s lab-6.12 && $kernels 6.12 tests/guest/kernel.sh"
part guest-kernel-6.1 "the same on Debian's 6.1" \
	"make -s lab-6.1 && $kernels 6.1 tests/guest/kernel.sh"
part guest-kernel-debug "the same under KASAN, lockdep" \
	"make -s lab-debug && tests/guest/run debug tests/guest/kernel.sh"
part screen "reports of recordings on the screen of a terminal, in three widths" \
	"make -s gapp-read && tests/screen/run"
part guest-screen "reports on the screen of a terminal, in three widths" \
	"make -s lab-6.12 && tests/truth/run --make && tests/guest/run 6.12 tests/guest/screen.sh"
part guest-spins "how long threads spin, by samples, against their own notes" \
	"make -s lab-6.12 && tests/guest/run 6.12 tests/guest/spins.sh"
part guest-top "gapp-read top as text and on a terminal, with a known program" \
	"make -s lab-6.12 && tests/truth/run --make && tests/guest/run 6.12 tests/guest/top.sh"
part guest-overhead "what gapp says of its own time, with counters and without: an instruction takes a nanosecond" \
	"make -s lab-6.12 && tests/guest/run 6.12 tests/guest/overhead.sh"
part guest-32 "a program of 32 bits: its times, and one sentence on its call paths" \
	"make -s lab-6.12 workloads-32 && tests/guest/run 6.12 tests/guest/bits_32.sh"
part guest-keep "a flight recorder: dumps by condition, signal and ctl, bounded memory, who may ask" \
	"make -s lab-6.12 && tests/guest/run 6.12 tests/guest/keep.sh"
part guest-docs "the commands of the documents, with the module" \
	"make -s lab-6.12 && tests/guest/run 6.12 tests/guest/docs.sh"
part guest-tutorial "the tutorial's reports still say what its text makes of them" \
	"make -s lab-6.12 && scripts/tutorial --check"
part guest-marks "marks of programs in C, shell and Python, with the module" \
	"make -s lab-6.12 && tests/guest/run 6.12 tests/guest/marks.sh"
part guest-regions "parallel regions of OpenMP by gcc and clang, against what programs measure" \
	"make -s lab-6.12 && tests/guest/run 6.12 tests/guest/regions.sh"
part guest-6.1 "records on Debian's 6.1" "make -s lab-6.1 && tests/guest/run 6.1 tests/guest/records.sh"
part guest-6.1-abi "the interface on Debian's 6.1" \
	"make -s lab-6.1 && tests/guest/run 6.1 tests/guest/abi.sh"
part guest-6.1-rest "teardown and messages on Debian's 6.1" \
	"make -s lab-6.1 && tests/guest/run 6.1 tests/guest/module.sh tests/guest/reader.sh"
part guest-debug-few "what comes and goes, under KASAN, lockdep" \
	"make -s lab-debug && GAPP_ABI=few tests/guest/run debug tests/guest/abi.sh"
part explore "calls at random, guided by what code they reach, under KASAN, lockdep" \
	"make -s lab-debug && tests/guest/run debug tests/guest/explore.sh"
part explore-long "the same, for two hours in four pieces" "make -s lab-debug && tests/explore-long"
part guest-debug "interface under KASAN, lockdep" \
	"make -s lab-debug && tests/guest/run debug tests/guest/abi.sh"
part guest-debug-rest "teardown, records and messages under KASAN, lockdep" \
	"make -s lab-debug && tests/guest/run debug tests/guest/module.sh tests/guest/records.sh \
	tests/guest/reader.sh"
part guest-kcsan "interface under KCSAN: no data race" "make -s lab-kcsan && tests/guest/run kcsan tests/guest/abi.sh"
part guest-rt "module and reader with PREEMPT_RT" "make -s lab-rt && tests/guest/run rt"
part guest-rt-debug "the same with lockdep" "make -s lab-rt-debug && tests/guest/run rt-debug"
part guest-counters "counters of threads and NUMA nodes, and those of a processor that another counter stands for" \
	"make -s lab-6.12 && tests/faults/run 6.12 tests/guest/counters.sh"
part guest-bare "module and reader on a kernel without debugfs, kprobes, uprobes, BPF and BTF" \
	"make -s lab-bare && tests/guest/run bare"
part guest-lacking "kernels without uprobes, and without breakpoints that tell who stored: refused in a sentence" \
	"make -s lab-6.12 lab-bare lab-rt-6.1 && for k in 6.12 bare rt-6.1; do \
	tests/guest/run \$k tests/guest/lacking.sh || failed=1; done; test -z \"\${failed:-}\""
part latency-rt "cyclictest with gapp on and off, with PREEMPT_RT" \
	"make -s lab-rt && tests/guest/run rt tests/guest/latency.sh"
part longest "how long a switch takes at most with eight sessions and deep stacks" \
	"make -s lab-6.12 && tests/guest/run 6.12 tests/guest/longest.sh"
part longest-irqsoff "the same, on the kernel that times how long interrupts are off" \
	"make -s lab-irqsoff && tests/guest/run irqsoff tests/guest/longest.sh"
part guest-watch "words that are watched, instructions whose stores are told: records of stores, refusals, and nothing left armed" \
	"make -s lab-6.12 && tests/guest/run 6.12 tests/guest/watch.sh"
part guest-stores "one instruction ends waits for many words: a breakpoint on it tells of most ends" \
	"make -s lab-6.12 && tests/guest/run 6.12 tests/guest/stores.sh"
part guest-exact "a busy-wait loop timed exactly, against the thread's own clock: an instruction takes a nanosecond" \
	"make -s lab-6.12 && tests/guest/run 6.12 tests/guest/exact.sh"
part guest-exact-6.1 "the same on 6.1" "make -s lab-6.1 && tests/guest/run 6.1 tests/guest/exact.sh"
part exact-debug "loops timed exactly while processes and sessions end, a thousand times, under KASAN, lockdep" \
	"make -s lab-debug && tests/guest/run debug tests/guest/exact_rounds.sh"
part guest-watch-6.1 "words that are watched on 6.1" "make -s lab-6.1 && tests/guest/run 6.1 tests/guest/watch.sh"
part watch-debug "the same, and while processes and sessions end, a thousand times, under KASAN, lockdep" \
	"make -s lab-debug && GAPP_WATCH=rounds tests/guest/run debug tests/guest/watch.sh"
part guest-lu "more threads that spin than CPUs: told beside a second program, and not alone" \
	"make -s lab-6.12 && tests/guest/run 6.12 tests/guest/lu.sh"
verify="tests/guest/verify.sh"
part guest-doctor "what gapp-read doctor says: no module, another kernel's, an ordinary user" \
	"make -s lab-6.12 lab-6.1 && tests/guest/run 6.12 tests/guest/doctor.sh"
part guest-doctor-6.1 "the same on Debian's 6.1" "make -s lab-6.1 && tests/guest/run 6.1 tests/guest/doctor.sh"
part guest-signatures "a kernel that takes only signed modules, by module.sig_enforce and locked down" \
	"make -s lab-6.12 && tests/package/sign 6.12 && failed=0 && for s in secure_boot lockdown; do \
	tests/guest/run 6.12 tests/guest/\$s.sh || failed=1; done; test \$failed = 0"
part guest-isolated "a CPU that is set aside" "make -s lab-6.12 && tests/guest/run 6.12 tests/guest/isolated.sh"
part guest-quiet "what sessions must not have the kernel do: patch its code, queue work" \
	"make -s lab-6.12 && tests/guest/run 6.12 tests/guest/quiet.sh"
part guest-far-node "threads of another NUMA node go on late: told, and not where all go on alike" \
	"make -s lab-6.12 && tests/guest/run 6.12 tests/guest/far_node.sh"
part guest-nodes "memory lies on the node that uses it" \
	"make -s lab-6.12 && tests/guest/run 6.12 tests/guest/nodes.sh"
part guest-verify "the module's paths are libdwfl's, of a few programs" \
	"make -s lab-6.12 && tests/guest/run 6.12 $verify"
part guest-verify-all "the module's paths are libdwfl's, of all programs" \
	"make -s lab-6.12 && GAPP_VERIFY=all tests/guest/run 6.12 $verify"
part guest-verify-6.1 "the same on Debian's 6.1" \
	"make -s lab-6.1 && GAPP_VERIFY=all tests/guest/run 6.1 $verify"
part guest-verify-debug "the same of a few programs under KASAN, lockdep" \
	"make -s lab-debug && tests/guest/run debug $verify"
part guest-verify-debug-all "the same of all programs under KASAN, lockdep" \
	"make -s lab-debug && GAPP_VERIFY=all tests/guest/run debug $verify"
calls="tests/guest/callgraph.sh"
part guest-calls "call paths in each mode, and of code that comes and goes" \
	"make -s lab-6.12 && tests/guest/run 6.12 $calls"
part guest-calls-6.1 "the same on Debian's 6.1" "make -s lab-6.1 && tests/guest/run 6.1 $calls"
part guest-calls-debug "the same under KASAN, lockdep" "make -s lab-debug && tests/guest/run debug $calls"
part kunit "vectors in the debug kernel" "tests/kunit/run"
part faults "deliberate faults are seen" "tests/faults/run"
part oracle-icount "one vCPU under icount against the oracle" "make -s lab-6.12 && tests/oracle/run --kernel 6.12 --cpus 1"
part oracle-2 "2 vCPUs against the oracle" "make -s lab-6.12 && tests/oracle/run --kernel 6.12 --cpus 2"
part oracle-32 "programs of 32 bits, on 2 vCPUs, against the oracle" \
	"make -s lab-6.12 workloads-32 && tests/oracle/run --kernel 6.12 --cpus 2 --bits-32"
part oracle-ext "a program of BPF schedules (sched_ext), on 2 vCPUs, against the oracle" \
	"make -s lab-ext schedulers && tests/oracle/run --kernel ext --cpus 2 --scheduler ext"
part oracle-arm64 "an aarch64 guest of 2 vCPUs against the oracle" \
	"scripts/arm64 make -s lab-arm64 && scripts/arm64 tests/oracle/run --kernel arm64 --cpus 2"
part guest-arm64 "call paths by frame pointers, tables and copies, records, teardown and messages on aarch64" \
	"scripts/arm64 make -s lab-arm64 && scripts/arm64 tests/guest/run arm64 tests/guest/callgraph.sh \
	tests/guest/records.sh tests/guest/module.sh tests/guest/reader.sh"
part oracle-clang-few "three programs on 2 vCPUs on the kernel that clang has built against the oracle" \
	"make -s lab-clang && tests/oracle/run --kernel clang --cpus 2 $three"
part oracle-clang "2 vCPUs on the kernel that clang has built, with kCFI, against the oracle" \
	"make -s lab-clang && tests/oracle/run --kernel clang --cpus 2"
part oracle-up "the kernel for one processor against the oracle" \
	"make -s lab-up && tests/oracle/run --kernel up --cpus 1"
part oracle-bare-5.10 "2 vCPUs on the sources of 5.10 without BPF, debugfs and kprobes against the oracle" \
	"make -s lab-bare-5.10 && tests/oracle/run --kernel bare-5.10 --cpus 2"
part oracle-bare-newest "the same of the newest sources, with proxy execution" \
	"make -s lab-bare-newest && tests/truth/run --make && tests/oracle/run --kernel bare-newest --cpus 2 && \
	tests/oracle/run --kernel bare-newest --cpus 2 --waits --case kernel_locks"
part oracle-core "programs that share cores with no other (core scheduling), on 4 vCPUs of 2 cores, against the oracle" \
	"make -s lab-ext schedulers && tests/oracle/run --kernel ext --cpus 4 --scheduler core"
part oracle-trace "2 vCPUs, where gapp writes a record of every event, against the oracle" \
	"make -s lab-6.12 && tests/oracle/run --kernel 6.12 --cpus 2 --trace"
part oracle-waits "waits, run queues and wakers, on 1 vCPU under icount and on 2, against the oracle" \
	"make -s lab-6.12 && tests/truth/run --make && tests/oracle/run --kernel 6.12 --cpus 1 --cpus 2 --waits"
few="--case barrier --case signals --case attach --case shifts --case shifts-half --case shifts-3"
part oracle-4 "4 vCPUs against the oracle, with a threshold that changes" \
	"make -s lab-6.12 && tests/oracle/run --kernel 6.12 --cpus 4 $few"
part oracle-held "4 vCPUs, of which some stop while they change n, against the oracle" \
	"make -s build/6.12-faults/gapp.ko gapp-read workloads && \
	tests/oracle/run --kernel 6.12 --cpus 4 --fault hold_integrals"
part crowded "16 virtual CPUs on this machine's: how long an event waits for n" \
	"make -s build/6.12-faults/gapp.ko gapp-read workloads && tests/crowded"
part oracle-6.1 "2 vCPUs on 6.1 against the oracle" "make -s lab-6.1 && tests/oracle/run --kernel 6.1 --cpus 2"
part oracle-debug "2 vCPUs on the debug kernel against the oracle" "make -s lab-debug && tests/oracle/run --kernel debug --cpus 2"
part oracle-kcsan "2 vCPUs under KCSAN against the oracle: no data race" \
	"make -s lab-kcsan && tests/oracle/run --kernel kcsan --cpus 2"
part oracle-rt "2 vCPUs with PREEMPT_RT against the oracle" "make -s lab-rt && tests/oracle/run --kernel rt --cpus 2"
part oracle-bare "2 vCPUs on the kernel without debugfs against the oracle" \
	"make -s lab-bare && tests/oracle/run --kernel bare --cpus 2"
part oracle-rt-debug "the same with lockdep" \
	"make -s lab-rt-debug && tests/oracle/run --kernel rt-debug --cpus 2"
part lab "the lab itself" "make -s lab-6.12 && tests/guest/lab.sh 6.12"
part dkms "DKMS add, build, install, remove for 6.1 and 6.12" "tests/dkms/run"
part release "a release in a clone: entry, tag, tarball, checksums, and what is refused" "tests/package/release"
part deb "Debian packages: identical from two folders, lintian, contents" "tests/package/deb"
part module-twice "gapp.ko and gapp-read, built in two folders, are identical" "tests/package/module"
part hooks "the scripts of package gapp-dkms, with a DKMS that only notes how it is called" "tests/package/hooks"
part rpm "RPM packages, by Debian's rpmbuild" "tests/package/rpm"
part deb-12 "packages in a Debian 12: install, upgrade, a failed build; in a guest of it: modprobe, profile, purge" \
	"tests/package/debian bookworm"
part deb-13 "the same in a Debian 13" "tests/package/debian trixie"
part bomb "16,384 threads at once" \
	"make -s lab-6.12 && GAPP_BOMB=16384 tests/guest/run 6.12 tests/guest/abi.sh"
part oracle-all "1, 2 and 4 vCPUs on every kernel against the oracle" \
	"make -s lab && tests/oracle/run --kernel 6.12 --kernel 6.1 --kernel debug"
part boots "200 guests with more CPUs than this machine has" "make -s lab-6.12 && tests/boots 200"
part lab-6.1 "the lab itself on 6.1" "make -s lab-6.1 && tests/guest/lab.sh 6.1"
part lab-kcsan "the lab itself on the kernel with KCSAN" "make -s lab-kcsan && tests/guest/lab.sh kcsan"
part lab-irqsoff "the lab itself on the kernel that times how long interrupts are off" \
	"make -s lab-irqsoff && tests/guest/lab.sh irqsoff"
part lab-debug "the lab itself on the debug kernel" "make -s lab-debug && tests/guest/lab.sh debug"

part truth-selftest "the truth suite's judge on made-up reports" "tests/truth/run --selftest"
part truth-6.12 "programs with a known bottleneck" "make -s lab-6.12 && tests/truth/run"
part truth-waits "programs whose waits are known: locks, peers, files, preemption" \
	"make -s lab-6.12 && tests/truth/run --part waits"
few="--case hot_mutex --case serial_phase --case slow_pipe_direct"
part truth-few "three programs with a known bottleneck" "make -s lab-6.12 && tests/truth/run $few"
part truth-6.1 "three of them on 6.1" "make -s lab-6.1 && tests/truth/run --kernel 6.1 $few"
part truth-debug "three of them on the debug kernel" \
	"make -s lab-debug && tests/truth/run --kernel debug $few"
# KCSAN makes a switch so slow that a pipe that is read byte by byte has no verdict.
part truth-kcsan "three programs under KCSAN: no data race" \
	"make -s lab-kcsan && tests/truth/run --kernel kcsan --case hot_mutex --case serial_phase --case slow_at_barrier"
part truth-rt "three of them with PREEMPT_RT" "make -s lab-rt && tests/truth/run --kernel rt $few"
part truth-bare "three of them on the kernel without debugfs" \
	"make -s lab-bare && tests/truth/run --kernel bare $few"
part truth-rt-debug "the same with lockdep" \
	"make -s lab-rt-debug && tests/truth/run --kernel rt-debug $few"
part truth-sampling "the sampler's statistics" "make -s lab-6.12 && tests/truth/sampling"
part truth-loss "losses are told" "make -s lab-6.12 && tests/truth/loss"
part tables-30 "unwind tables of 30 files against libdw" "tests/tables/run 30"
part tables-all "unwind tables of all files of this machine against libdw" "tests/tables/run all"
part live-5 "walks by tables against libdwfl's, of 5 programs" "tests/live/run 5"
part live-all "walks by tables against libdwfl's, of all programs" "tests/live/run all"
part bench "all that gapp costs: make bench" "make -s bench"
part bench-selftest "the page of the benchmark, on made-up figures" "tests/bench/report --selftest"
part bench-walks "what walks and tables cost" "tests/bench/run"
part bench-events "what each event costs, in instructions" "make -s lab-6.12 && tests/bench/events"
part bench-peers "the same under other tools" \
	"make -s lab-6.12 && tests/bench/peers && echo 'ok - bench peers'"
part bench-programs "whole programs with gapp and without" "make -s lab-6.12 && tests/bench/programs"
part bench-scale "cost and memory of many threads and sessions" "make -s lab-6.12 && tests/bench/scale"
part bench-reader "what the reader takes for a record" \
	"make -s lab-6.12 && tests/bench/reader && echo 'ok - bench reader'"
part bench-contention "the integrals, on this machine's CPUs at once" "tests/bench/contention --check"
part bench-guest "what walks cost in the kernel, in instructions" "tests/bench/guest"

part truth-all "each three times, every build" \
	"make -s lab-6.12 lab-6.1 && tests/truth/run --times 3 --kernel 6.12 --kernel 6.1 \
	--build pie --build nopie --build static --build stripped --build frames"
musl="make -s lab-6.12 && tests/truth/run --build musl --case hot_mutex"
part runtimes "programs with musl, in Python, Java, JavaScript, Go, Rust, with OpenMP, TBB, std::async, and make" \
	"$musl --case cond_queue --case slow_at_barrier --case two_paths && tests/runtimes/run"
part runtimes-few "two of them: with musl, and make" "$musl && tests/runtimes/run --few"
part runtimes-spins "programs of OpenMP whose threads spin, on as many CPUs and one more" \
	"make -s lab-6.12 && tests/runtimes/run --spins --cpus 5 --times 3"
part runtimes-spins-2 "the same on fewer CPUs than threads" \
	"make -s lab-6.12 && tests/runtimes/run --spins --cpus 2 --times 3"
part runtimes-mpi "programs of Open MPI whose ranks spin, and whose ranks yield, against the same that sleep" \
	"make -s lab-6.12 && tests/runtimes/run --mpi --cpus 5 --times 3"
part figures "core x time of two and three programs of OpenMP at once, and sections of one, against the kernel's own trace" \
	"make -s lab-6.12 && tests/figures/run"
part databases "MariaDB, PostgreSQL, a server in Python and nginx: what they wait for is named" \
	"make -s lab-6.12 && tests/databases/run"
part truth-twins "mending saves at most what the report says, in 6 runs" \
	"make -s lab-6.12 && tests/truth/run --twins 6"
spins_on_5="make -s lab-6.12 && tests/truth/run --part spins --cpus 5"
part truth-spins "programs whose threads spin, against the same that sleep; in vain, and without a CPU" \
	"$spins_on_5; all=\$?; tests/guest/run 6.12 tests/guest/spin_ends.sh && exit \$all"
part merge "two recordings of two programs, merged, show who ran where as one recording of both" \
	"make -s lab-6.12 && tests/guest/run 6.12 tests/guest/merge.sh"
part truth-spins-few "one of them" \
	"make -s lab-6.12 && tests/truth/run --cpus 5 --case hot_mutex_spun"
part truth-repeat "the same first three ranks in 10 runs" \
	"make -s lab-6.12 && tests/truth/run --repeat 10"

quick="layering format checkpatch shellcheck abi-layout unit mutants-fourth fuzz cli hooks libgapp damaged-seeds exports page-parses oracle-selftest truth-selftest"
quick="$quick bench-selftest bench-contention mutate-selftest"
# CI: of the kernels of our own, which must be compiled first, only clang's.
check="$quick docs symbols-few build build-others build-clang build-arm64 refusals tables-30 live-5 guest-6.12 guest-calls guest-quiet oracle-icount oracle-2"
check="$check guest-6.1 oracle-6.1 oracle-5.10-few oracle-newest-few oracle-clang-few truth-few dkms"
all="$check guest-verify truth-loss guest-6.12-loads guest-marks oracle-4 truth-6.12 truth-6.1 spins screen guest-watch guest-exact guest-isolated guest-nodes guest-counters faults oracle-trace truth-sampling truth-spins-few runtimes-few guest-debug-few explore kunit"
all="$all checkpatch-tests mutants lab boots lab-6.1 lab-debug explore-long guest-6.1-abi guest-6.1-rest guest-debug guest-debug-rest watch-debug exact-debug guest-calls-6.1 guest-calls-debug"
all="$all guest-docs guest-tutorial guest-stores guest-kernel guest-kernel-6.1 guest-kernel-debug guest-screen guest-top guest-keep guest-regions merge guest-spins guest-lu guest-far-node guest-watch-6.1 guest-exact-6.1 guest-doctor guest-doctor-6.1 guest-signatures"
all="$all symbols damaged lab-irqsoff lab-kcsan guest-kcsan oracle-kcsan truth-kcsan guest-rt latency-rt truth-rt longest longest-irqsoff"
all="$all build-sources guest-5.10 oracle-5.10 guest-newest oracle-newest"
all="$all guest-bare oracle-bare truth-bare guest-lacking"
all="$all oracle-rt guest-rt-debug oracle-rt-debug truth-rt-debug"
all="$all guest-verify-all guest-verify-6.1 guest-verify-debug-all truth-debug"
all="$all oracle-arm64 guest-arm64 oracle-clang oracle-up oracle-bare-5.10 oracle-bare-newest"
all="$all oracle-ext oracle-core oracle-32 guest-32 guest-overhead oracle-waits truth-waits truth-spins fuzz-long bomb oracle-held crowded oracle-all truth-all truth-twins truth-repeat runtimes runtimes-spins runtimes-spins-2 runtimes-mpi figures databases tables-all live-all"
all="$all spins-all exports-all page bench-walks bench-guest bench-reader bench-events bench-scale bench-programs"
all="$all bench-peers mutate module-twice release deb rpm deb-12 deb-13"

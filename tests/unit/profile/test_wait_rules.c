// SPDX-License-Identifier: GPL-2.0
/* What a path waits for: the table of the tree, the rules of a user, and how the two are asked. */
#include <limits.h>

#include "complaints.h"
#include "fake_code.h"
#include "profile/profile.h"

#define FRAMES 8

/*
 * "FUNCTION@FILE", innermost first; "-" has no name; a file of "" is the program's own. By the
 * module's reason it is a barrier.
 */
static const struct wait_rule *rule_by_call(const struct wait_rules *rules, const char *path,
					    u32 by_call)
{
	static struct frame frames[FRAMES];
	static char copy[512];
	const struct frame *functions[FRAMES];
	char *save = NULL;
	size_t count = 0;

	snprintf(copy, sizeof(copy), "%s", path);
	for (char *one = strtok_r(copy, "|", &save); one; one = strtok_r(NULL, "|", &save)) {
		char *at = strrchr(one, '@');

		assert_non_null(at);
		assert_true(count < FRAMES);
		*at++ = '\0';
		frames[count] = (struct frame){
			.function = strcmp(one, "-") ? one : NULL,
			.module = *at ? at : "app",
			.library = *at,
			.object = (const struct object *)copy,
		};
		functions[count] = &frames[count];
		count++;
	}
	return wait_rules_find(rules, functions, count, by_call);
}

static const struct wait_rule *rule_for(const struct wait_rules *rules, const char *path)
{
	return rule_by_call(rules, path, GAPP_WAIT_BARRIER);
}

static void is_rule(const char *path, const struct wait_rule *rule, u32 reason, const char *name)
{
	if (!rule || rule->kind.reason != reason || !rule->kind.name ||
	    strcmp(rule->kind.name, name))
		fail_msg("%s: %s, %s", path, rule ? wait_name(rule->kind.reason) : "no rule",
			 rule && rule->kind.name ? rule->kind.name : "no name");
}

static void is(const char *path, u32 reason, const char *name)
{
	is_rule(path, rule_for(NULL, path), reason, name);
}

static void is_by_call(u32 by_call, const char *path, u32 reason, const char *name)
{
	is_rule(path, rule_by_call(NULL, path, by_call), reason, name);
}

static void is_unknown(const char *path)
{
	const struct wait_rule *rule = rule_for(NULL, path);

	if (rule)
		fail_msg("%s: %s", path, wait_name(rule->kind.reason));
}

#define INSIDE "__futex_abstimed_wait_common@libc.so.6|"

/* What sem_wait() jumps to has no name in Debian's C library: PostgreSQL's own function counts. */
static void postgresql(void **state)
{
	(void)state;
	is("-@libc.so.6|-@libc.so.6|PGSemaphoreLock@|LWLockAcquireOrWait@|XLogFlush@",
	   GAPP_WAIT_LOCK, "LWLock");
	is("__new_sem_wait_slow64@libc.so.6|PGSemaphoreLock@|LWLockWaitForVar@|-@", GAPP_WAIT_LOCK,
	   "LWLock");
	is("-@libc.so.6|PGSemaphoreLock@|ProcArrayGroupClearXid@", GAPP_WAIT_LOCK,
	   "lock of PostgreSQL");
}

static void the_c_library(void **state)
{
	(void)state;
	is(INSIDE "pthread_mutex_lock@libc.so.6", GAPP_WAIT_LOCK, "mutex");
	is("__GI___lll_lock_wait@libc.so.6|-@libc.so.6", GAPP_WAIT_LOCK, "mutex");
	is(INSIDE "___pthread_rwlock_wrlock@libc.so.6", GAPP_WAIT_LOCK, "rwlock");
	is(INSIDE "__pthread_rwlock_rdlock_full64@libc.so.6", GAPP_WAIT_LOCK, "rwlock");
	is(INSIDE "pthread_cond_wait@@GLIBC_2.3.2@libc.so.6", GAPP_WAIT_QUEUE, "condition");
	is(INSIDE "___pthread_cond_timedwait64@libc.so.6", GAPP_WAIT_QUEUE, "condition");
	is("pthread_cond_signal@libc.so.6|-@", GAPP_WAIT_QUEUE, "condition");
	is("pthread_cond_signal@libc.so.6|PyEval_SaveThread@python3.11", GAPP_WAIT_LOCK,
	   "interpreter lock");
	is(INSIDE "__new_sem_wait_slow64.constprop.0@libc.so.6", GAPP_WAIT_QUEUE, "semaphore");
	is(INSIDE "sem_wait@GLIBC_2.2.5@libc.so.6", GAPP_WAIT_QUEUE, "semaphore");
	is(INSIDE "__pthread_clockjoin_ex@libc.so.6", GAPP_WAIT_JOIN, "thread");
	is(INSIDE "___pthread_barrier_wait@libc.so.6", GAPP_WAIT_BARRIER, "barrier");
	is("-@libc.so.6|__pthread_once_slow.isra.0@libc.so.6", GAPP_WAIT_LOCK, "once");
	is("wait4@libc.so.6|-@libc.so.6", GAPP_WAIT_JOIN, "process");
	is("flock@libc.so.6|main@", GAPP_WAIT_LOCK, "file lock");
	/* the lock that a condition variable takes again is a lock */
	is(INSIDE "__pthread_mutex_cond_lock@libc.so.6|pthread_cond_wait@libc.so.6", GAPP_WAIT_LOCK,
	   "mutex");
	assert_int_equal(rule_for(NULL, "__libc_fsync@libc.so.6")->kind.reason, GAPP_WAIT_DISK);
	assert_int_equal(rule_for(NULL, "__GI___clock_nanosleep@libc.so.6")->kind.reason,
			 GAPP_WAIT_SLEEP);
	is_unknown(INSIDE "pthread_kill@libc.so.6");
	is_unknown(INSIDE "sem_waiters@libc.so.6");
	is_unknown(INSIDE "fsync_thread@");
	is_unknown(INSIDE "wait@");
	is_unknown("____@libc.so.6|-@libc.so.6");
	is_unknown("@libc.so.6");
}

static void languages(void **state)
{
	(void)state;
	is(INSIDE
	   "pthread_cond_wait@libc.so.6|std::condition_variable::wait(std::unique_lock<std::mutex>&)@libstdc++.so.6",
	   GAPP_WAIT_QUEUE, "condition");
	is("syscall@libc.so.6|std::__atomic_futex_unsigned_base::_M_futex_wait_until(unsigned int*)@libstdc++.so.6",
	   GAPP_WAIT_QUEUE, "future");
	is(INSIDE
	   "pthread_join@libc.so.6|std::thread::join()@libstdc++.so.6|std::__future_base::_Async_state_commonV2::_M_complete_async()@",
	   GAPP_WAIT_JOIN, "future");
	is("syscall@libc.so.6|std::__atomic_wait_address_v<int>@|std::latch::wait() const@",
	   GAPP_WAIT_BARRIER, "latch");
	is("syscall@libc.so.6|std::__atomic_wait_address_v<int>@|main@", GAPP_WAIT_QUEUE, "atomic");
	is("syscall@libc.so.6|std::sys::sync::mutex::futex::Mutex::lock_contended@", GAPP_WAIT_LOCK,
	   "mutex");
	is("syscall@libc.so.6|std::sys::unix::locks::futex_condvar::Condvar::wait@|main@",
	   GAPP_WAIT_QUEUE, "condition");
	is("syscall@libc.so.6|std::sys::sync::rwlock::futex::RwLock::write_contended@",
	   GAPP_WAIT_LOCK, "rwlock");
	is("syscall@libc.so.6|std::sys::sync::once::futex::Once::call@", GAPP_WAIT_LOCK, "once");
	is("syscall@libc.so.6|std::thread::park@|main@", GAPP_WAIT_QUEUE, "park");
	is("syscall@libc.so.6|std::thread::park@|std::sync::mpmc::list::Channel<T>::recv@",
	   GAPP_WAIT_QUEUE, "channel");
	is(INSIDE "pthread_join@libc.so.6|std::sys::pal::unix::thread::Thread::join@",
	   GAPP_WAIT_JOIN, "thread");
	is("syscall@libc.so.6|parking_lot::raw_mutex::RawMutex::lock_slow@|main@", GAPP_WAIT_LOCK,
	   "mutex");
	is("syscall@libc.so.6|std::sys::sync::condvar::futex::Condvar::wait_optional_timeout@|rayon_core::sleep::Sleep::sleep@|rayon_core::registry::WorkerThread::wait_until_cold@",
	   GAPP_WAIT_QUEUE, "work for rayon");
	is("syscall@libc.so.6|parking_lot::condvar::Condvar::wait_until_internal@|tokio::runtime::scheduler::multi_thread::park::Parker::park@",
	   GAPP_WAIT_QUEUE, "work for tokio");
	is("syscall@libc.so.6|std::sys::unix::locks::futex::Condvar::wait@|tokio::runtime::park::Inner::park@|tokio::runtime::park::CachedParkThread::block_on@|main@",
	   GAPP_WAIT_JOIN, "future of tokio");
	is("syscall@libc.so.6|std::sys::unix::locks::futex::Condvar::wait@|rayon_core::latch::LockLatch::wait_and_reset@|main@",
	   GAPP_WAIT_JOIN, "job of rayon");
}

static void go_and_the_other_runtimes(void **state)
{
	(void)state;
	is("runtime.futex@|runtime.futexsleep@|runtime.notesleep@|runtime.mPark@|runtime.stopm@",
	   GAPP_WAIT_QUEUE, "work for Go");
	is("runtime.futex@|runtime.futexsleep@|runtime.lock2@|runtime.lock@", GAPP_WAIT_LOCK,
	   "lock of Go's runtime");
	is("runtime.gopark@|runtime.goparkunlock@|runtime.semacquire1@|main@", GAPP_WAIT_QUEUE,
	   "park");
	is("runtime.semacquire1@|sync.runtime_SemacquireMutex@|sync.(*Mutex).lockSlow@|sync.(*Mutex).Lock@",
	   GAPP_WAIT_LOCK, "sync.Mutex");
	is("runtime.semacquire1@|sync.(*WaitGroup).Wait@|main.main@", GAPP_WAIT_JOIN,
	   "sync.WaitGroup");
	is_unknown("runtime.futex@|runtime.notewakeup@");

	is("-@libgomp.so.1.0.0|-@libgomp.so.1.0.0|-@libc.so.6", GAPP_WAIT_BARRIER,
	   "barrier of OpenMP");
	/* Debian's has no names, and the function that takes a lock is left before it waits */
	is("-@libgomp-a34b3233.so.1.0.0|work@", GAPP_WAIT_BARRIER, "barrier of OpenMP");
	is_unknown("-@libgomp-plugin-nvptx.so.1|work@");
	is_by_call(GAPP_WAIT_LOCK, "-@libgomp.so.1.0.0|work@", GAPP_WAIT_LOCK, "lock of OpenMP");
	is_by_call(GAPP_WAIT_LOCK, "-@libgomp.so.1|GOMP_critical_start@libgomp.so.1|work@",
		   GAPP_WAIT_LOCK, "critical section of OpenMP");
	is("gomp_team_barrier_wait_end@libgomp.so.1", GAPP_WAIT_BARRIER, "barrier of OpenMP");
	is("gomp_mutex_lock_slow@libgomp.so.1|GOMP_critical_start@libgomp.so.1", GAPP_WAIT_LOCK,
	   "critical section of OpenMP");
	is("-@libgomp.so.1|GOMP_critical_start@libgomp.so.1|work@", GAPP_WAIT_LOCK,
	   "critical section of OpenMP");
	is(INSIDE "pthread_cond_wait@libc.so.6|__kmp_suspend_64@libomp.so.5", GAPP_WAIT_BARRIER,
	   "barrier of OpenMP");
	is("__kmp_acquire_queuing_lock@libomp.so.5|main@", GAPP_WAIT_LOCK, "lock of OpenMP");
	is("syscall@libc.so.6|-@libomp.so.5|-@libomp.so.5|__kmpc_critical_with_hint@libomp.so.5|main@",
	   GAPP_WAIT_LOCK, "critical section of OpenMP");
	is("__kmp_acquire_futex_lock@libomp.so.5|__kmpc_critical@libomp.so.5", GAPP_WAIT_LOCK,
	   "critical section of OpenMP");

	/* a rank of MPI that spins, and threads that sleep for what another one receives */
	is("-@mca_btl_vader.so|opal_progress@libopen-pal.so.40|ompi_request_default_wait@libmpi.so.40|ompi_coll_base_barrier_intra_recursivedoubling@libmpi.so.40|PMPI_Barrier@libmpi.so.40|main@",
	   GAPP_WAIT_BARRIER, "barrier of MPI");
	is("opal_progress@libopen-pal.so.40|mca_pml_ob1_recv@mca_pml_ob1.so|PMPI_Recv@libmpi.so.40|main@",
	   GAPP_WAIT_QUEUE, "message of MPI");
	is("opal_progress@libopen-pal.so.40|ompi_request_default_wait_all@libmpi.so.40|MPI_Waitall@libmpi.so.40|main@",
	   GAPP_WAIT_QUEUE, "message of MPI");
	is("opal_progress@libopen-pal.so.40|PMPI_Allreduce@libmpi.so.40|main@", GAPP_WAIT_BARRIER,
	   "collective operation of MPI");
	is("opal_progress@libopen-pal.so.40|PMPI_Sendrecv@libmpi.so.40|main@", GAPP_WAIT_QUEUE,
	   "message of MPI");
	is("opal_progress@libopen-pal.so.40|PMPI_Bcast@libmpi.so.40|mpi_bcast_@libmpi_mpifh.so.40|MAIN__@",
	   GAPP_WAIT_BARRIER, "collective operation of MPI");
	is("pthread_cond_wait@libc.so.6|ompi_sync_wait_mt@libopen-pal.so.40|PMPI_Recv@libmpi.so.40|main@",
	   GAPP_WAIT_QUEUE, "message of MPI");
	is_unknown("opal_progress@libopen-pal.so.40|main@");

	is("syscall@libc.so.6|-@libtbb.so.12.8|-@libtbb.so.12.8", GAPP_WAIT_QUEUE, "work for TBB");
	is("syscall@libc.so.6|rml::internal::thread_monitor::wait@libtbb.so.2", GAPP_WAIT_QUEUE,
	   "work for TBB");
	is("syscall@libc.so.6|-@libtbb.so.12|tbb::detail::r1::execute_and_wait(void*)@libtbb.so.12",
	   GAPP_WAIT_JOIN, "tasks of TBB");
	is_unknown("syscall@libc.so.6|-@libother.so|-@libother.so");
	is(INSIDE "pthread_mutex_lock@libc.so.6|-@libtbb.so.12.8", GAPP_WAIT_LOCK, "mutex");

	is(INSIDE
	   "pthread_cond_wait@libc.so.6|os::PlatformEvent::park()@libjvm.so|ObjectMonitor::enter(JavaThread*)@libjvm.so",
	   GAPP_WAIT_LOCK, "monitor");
	is(INSIDE
	   "pthread_cond_wait@libc.so.6|Parker::park(bool, long)@libjvm.so|Unsafe_Park@libjvm.so",
	   GAPP_WAIT_QUEUE, "LockSupport.park");
	is(INSIDE "pthread_cond_wait@libc.so.6|-@libjvm.so|-@libjvm.so", GAPP_WAIT_OTHER, "JVM");
	is(INSIDE
	   "pthread_cond_wait@libc.so.6|-@libjvm.so|monitorenter_nofpu Runtime1 stub@|void Journal.compactJournal()@",
	   GAPP_WAIT_LOCK, "monitor");
	is(INSIDE "pthread_cond_wait@libc.so.6|-@libjvm.so|_complete_monitor_locking_Java@",
	   GAPP_WAIT_LOCK, "monitor");
	is(INSIDE "pthread_cond_wait@libc.so.6|-@libjvm.so|JVM_MonitorWait@libjvm.so",
	   GAPP_WAIT_QUEUE, "Object.wait");
	is("epoll_pwait@libc.so.6|uv__io_poll@libuv.so.1|uv_run@libuv.so.1", GAPP_WAIT_EVENT,
	   "event loop");
	is(INSIDE "pthread_cond_wait@libc.so.6|uv_cond_wait@libuv.so.1|worker@libuv.so.1",
	   GAPP_WAIT_QUEUE, "work for libuv");
}

static void python(void **state)
{
	(void)state;
	is("-@libc.so.6|pthread_cond_timedwait@libc.so.6|-@python3.11|PyEval_RestoreThread@python3.11",
	   GAPP_WAIT_LOCK, "interpreter lock");
	is("-@libc.so.6|pthread_cond_timedwait@libc.so.6|take_gil@libpython3.11.so.1.0",
	   GAPP_WAIT_LOCK, "interpreter lock");
	/* a condition of another library that Python called */
	is("-@libc.so.6|pthread_cond_timedwait@libc.so.6|-@libqueue.so|PyEval_X@libqueue.so",
	   GAPP_WAIT_QUEUE, "condition");
	is("-@libc.so.6|sem_clockwait@libc.so.6|PyThread_acquire_lock_timed@python3.11",
	   GAPP_WAIT_LOCK, "lock of Python");
	is("-@libc.so.6|sem_wait@libc.so.6|PyThread_acquire_lock@python3.11|-@python3.11|py::get:/usr/lib/python3.12/queue.py@[jit]",
	   GAPP_WAIT_QUEUE, "queue.Queue");
	is("-@libc.so.6|sem_wait@libc.so.6|-@_multiprocessing.cpython-311-x86_64-linux-gnu.so|-@python3.11",
	   GAPP_WAIT_LOCK, "lock of multiprocessing");
	is("-@libc.so.6|-@_multiprocessing.cpython-311-x86_64-linux-gnu.so|-@python3.11",
	   GAPP_WAIT_LOCK, "lock of multiprocessing");
	is("-@libc.so.6|sem_wait@libc.so.6|_multiprocessing_SemLock_acquire_impl@python3.13",
	   GAPP_WAIT_LOCK, "lock of multiprocessing");
	is("-@libc.so.6|sem_wait@libc.so.6|-@_posixshmem.so", GAPP_WAIT_QUEUE, "semaphore");
}

/* What library code waits in is not what the program's own code waits for that called it. */
static void own_code_ends_the_search(void **state)
{
	(void)state;
	is(INSIDE "pthread_cond_wait@libc.so.6|enqueue@|take_gil@libpython3.11.so", GAPP_WAIT_QUEUE,
	   "condition");
	is_unknown("futex@|enqueue@|pthread_once@libc.so.6");
	is(INSIDE
	   "pthread_mutex_lock@libc.so.6|task@|-@libtbb.so.12|tbb::detail::r1::execute_and_wait@libtbb.so.12",
	   GAPP_WAIT_LOCK, "mutex");
}

static void patterns(void **state)
{
	(void)state;
	assert_true(wait_pattern_fits("*", ""));
	assert_true(wait_pattern_fits("", ""));
	assert_false(wait_pattern_fits("", "a"));
	assert_false(wait_pattern_fits("a", ""));
	assert_true(wait_pattern_fits("a*c*e", "abcdcde"));
	assert_false(wait_pattern_fits("a*c*e", "abcdcd"));
	assert_true(wait_pattern_fits("a?c", "abc"));
	assert_false(wait_pattern_fits("a?c", "ac"));
	assert_true(wait_pattern_fits("sync.(*Mutex).Lock", "sync.(*Mutex).Lock"));
	assert_true(wait_pattern_fits("*lock*", "unlocked"));
	assert_true(wait_pattern_fits("*a*b", "aab"));
}

/* Each rule can be reached: no earlier one matches all that its patterns do. */
static void no_rule_is_hidden(void **state)
{
	(void)state;
	for (size_t i = 0; i < wait_table_count; i++) {
		const struct wait_rule *rule = &wait_table[i];

		for (size_t j = 0; j < i; j++) {
			const struct wait_rule *first = &wait_table[j];
			const char *after = rule->after ? rule->after : "";

			if (!first->after != !rule->after || strcmp(first->object, "*"))
				continue;
			if (wait_pattern_fits(first->function, rule->function) &&
			    (!first->after || wait_pattern_fits(first->after, after)))
				fail_msg("%s hides %s", first->function, rule->function);
		}
	}
}

static char file_name[64];

static struct wait_rules *read_text(const char *text)
{
	FILE *file;
	int fd;

	snprintf(file_name, sizeof(file_name), "/tmp/gapp-rules-XXXXXX");
	fd = mkstemp(file_name);
	assert_true(fd >= 0);
	file = fdopen(fd, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	return wait_rules_read(file_name);
}

static void a_user_adds_rules(void **state)
{
	struct wait_rules *rules = read_text("# what our pool waits for\n"
					     "\n"
					     "  pool_take\t*  queue   job queue \r\n"
					     "- libstore.so* lock store\n"
					     "log_*      *  disk");
	const struct wait_rule *rule;

	(void)state;
	assert_non_null(rules);
	assert_int_equal(rules->count, 3);
	rule = rule_for(rules, INSIDE "pthread_cond_wait@libc.so.6|own_wait@|pool_take@");
	assert_int_equal(rule->kind.reason, GAPP_WAIT_QUEUE);
	assert_string_equal(rule->kind.name, "job queue");
	rule = rule_for(rules, INSIDE "-@/opt/libstore.so.3|pool_take@");
	assert_string_equal(rule->kind.name, "store");
	rule = rule_for(rules, INSIDE "pthread_mutex_lock@libc.so.6|log_write@");
	assert_int_equal(rule->kind.reason, GAPP_WAIT_DISK);
	assert_null(rule->kind.name);
	rule = rule_for(rules, INSIDE "pthread_mutex_lock@libc.so.6|main@");
	assert_string_equal(rule->kind.name, "mutex");
	wait_rules_free(rules);
	unlink(file_name);
}

static const char *text_to_read;

static void read_wrong(void)
{
	assert_null(read_text(text_to_read));
}

static void read_nothing(void)
{
	assert_null(wait_rules_read("/nonexistent/rules"));
}

static void wrong_rules_are_refused(void **state)
{
	char complaint[512];
	static const struct {
		const char *text;
		const char *complaint;
	} wrong[] = {
		{ "a * queue\nb * quark\n", ":2: there is no such wait reason" },
		{ "a *\n", ":1: a rule is FUNCTION FILE REASON [NAME]" },
		{ "\n\na\n", ":3: a rule is FUNCTION FILE REASON [NAME]" },
		{ "* * lock\n", ":1: it would name every wait" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		text_to_read = wrong[i].text;
		complaints_of(read_wrong, complaint, sizeof(complaint));
		if (!strstr(complaint, wrong[i].complaint))
			fail_msg("%s", complaint);
		unlink(file_name);
	}
	complaints_of(read_nothing, complaint, sizeof(complaint));
	assert_non_null(strstr(complaint, "cannot read /nonexistent/rules: No such file"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_c_library),
		cmocka_unit_test(postgresql),
		cmocka_unit_test(languages),
		cmocka_unit_test(go_and_the_other_runtimes),
		cmocka_unit_test(python),
		cmocka_unit_test(own_code_ends_the_search),
		cmocka_unit_test(patterns),
		cmocka_unit_test(no_rule_is_hidden),
		cmocka_unit_test(a_user_adds_rules),
		cmocka_unit_test(wrong_rules_are_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("wait_rules", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Which functions wait, and for what. Most binaries that a distribution ships name only the
 * functions that others may call, so some rules are for code without a name ("-") of one file, with
 * the name that the functions it called have by their rules.
 *
 * Of the rules that a function matches the first one counts. A rule for what several libraries
 * build on is plain: callers that have a rule with its name as "after" say more.
 */
#include "wait_rules.h"

#define RULE(object, after, function, reason, name, plain, by_call)                   \
	{                                                                             \
		function, object, after, { GAPP_WAIT_##reason, name, plain }, by_call \
	}

/* A function that waits whatever it calls. */
#define WAITS(function, reason, name) RULE("*", NULL, function, reason, name, false, 0)
/* What others build on: its name says little more than its reason. */
#define PLAIN(function, reason, name) RULE("*", NULL, function, reason, name, true, 0)
/* A function that waits by what is called "after", of any file or of one. */
#define AFTER(after, function, reason, name) RULE("*", after, function, reason, name, false, 0)
#define AFTER_IN(object, after, function, reason, name) \
	RULE(object, after, function, reason, name, false, 0)
/* A function of one file that waits whatever it calls. */
#define IN(object, function, reason, name) RULE(object, NULL, function, reason, name, false, 0)
/* The same, if the module says so: it tells the futexes of this file apart by their values. */
#define IN_BY_CALL(object, function, reason, name) \
	RULE(object, NULL, function, reason, name, false, GAPP_WAIT_##reason)

/* A function of MPI, which has two names: a rank spins there; another thread of it sleeps. */
#define MPI(function, reason, name) WAITS("*MPI_" function, reason, name " of MPI")
#define MPI_SLEEPS(function, reason, name) \
	AFTER("condition", "*MPI_" function, reason, name " of MPI")

#define JVM "libjvm.so*"

/* clang-format off */

const struct wait_rule wait_table[] = {
	/* The C library. */
	PLAIN("lll_lock_wait*", LOCK, "mutex"),
	PLAIN("lll_timedlock_wait", LOCK, "mutex"),
	PLAIN("lll_clocklock_wait", LOCK, "mutex"),
	PLAIN("pthread_mutex_*lock*", LOCK, "mutex"),
	PLAIN("mtx_lock", LOCK, "mutex"),
	PLAIN("mtx_timedlock", LOCK, "mutex"),
	WAITS("pthread_rwlock_*lock*", LOCK, "rwlock"),
	WAITS("pthread_once*", LOCK, "once"),
	WAITS("call_once", LOCK, "once"),
	/* who signals one may wait for others to leave it */
	PLAIN("pthread_cond_*", QUEUE, "condition"),
	PLAIN("cnd_wait", QUEUE, "condition"),
	PLAIN("cnd_timedwait", QUEUE, "condition"),
	PLAIN("sem_wait", QUEUE, "semaphore"),
	PLAIN("sem_timedwait", QUEUE, "semaphore"),
	PLAIN("sem_clockwait", QUEUE, "semaphore"),
	PLAIN("new_sem_*wait*", QUEUE, "semaphore"),
	PLAIN("pthread_join", JOIN, "thread"),
	PLAIN("pthread_timedjoin*", JOIN, "thread"),
	PLAIN("pthread_clockjoin*", JOIN, "thread"),
	PLAIN("thrd_join", JOIN, "thread"),
	PLAIN("pthread_barrier_wait", BARRIER, "barrier"),
	PLAIN("wait4", JOIN, "process"),
	PLAIN("waitpid", JOIN, "process"),
	PLAIN("waitid", JOIN, "process"),
	RULE("libc*", NULL, "wait", JOIN, "process", true, 0),
	PLAIN("flock", LOCK, "file lock"),
	PLAIN("lockf", LOCK, "file lock"),
	PLAIN("fcntl", LOCK, "file lock"),
	PLAIN("semop", QUEUE, "semaphore"),
	PLAIN("semtimedop", QUEUE, "semaphore"),
	PLAIN("msgsnd", QUEUE, "message queue"),
	PLAIN("msgrcv", QUEUE, "message queue"),
	PLAIN("mq_*send", QUEUE, "message queue"),
	PLAIN("mq_*receive", QUEUE, "message queue"),
	PLAIN("fsync", DISK, NULL),
	PLAIN("fdatasync", DISK, NULL),
	PLAIN("sync_file_range", DISK, NULL),
	PLAIN("syncfs", DISK, NULL),
	PLAIN("msync", DISK, NULL),
	PLAIN("nanosleep", SLEEP, NULL),
	PLAIN("clock_nanosleep", SLEEP, NULL),

	/* C++. */
	PLAIN("std::mutex::lock", LOCK, "mutex"),
	PLAIN("std::recursive_mutex::lock", LOCK, "mutex"),
	WAITS("std::shared_*mutex::lock*", LOCK, "rwlock"),
	PLAIN("std::condition_variable*wait*", QUEUE, "condition"),
	PLAIN("std::_V2::condition_variable*wait*", QUEUE, "condition"),
	PLAIN("std::__1::condition_variable*wait*", QUEUE, "condition"),
	WAITS("std::__atomic_futex_unsigned*wait*", QUEUE, "future"),
	WAITS("std::latch::*wait*", BARRIER, "latch"),
	WAITS("std::barrier*wait*", BARRIER, "barrier"),
	WAITS("std::__tree_barrier*wait*", BARRIER, "barrier"),
	WAITS("std::counting_semaphore*acquire*", QUEUE, "semaphore"),
	WAITS("std::__atomic_semaphore*acquire*", QUEUE, "semaphore"),
	WAITS("std::__platform_semaphore*acquire*", QUEUE, "semaphore"),
	PLAIN("std::__detail::__platform_wait*", QUEUE, "atomic"),
	PLAIN("std::__detail::__*wait*", QUEUE, "atomic"),
	PLAIN("std::__atomic_wait*", QUEUE, "atomic"),
	PLAIN("std::atomic*::wait*", QUEUE, "atomic"),
	PLAIN("std::__atomic_base*::wait*", QUEUE, "atomic"),
	PLAIN("std::thread::join", JOIN, "thread"),
	AFTER("atomic", "std::latch::*wait*", BARRIER, "latch"),
	AFTER("atomic", "std::barrier*wait*", BARRIER, "barrier"),
	AFTER("atomic", "std::__tree_barrier*wait*", BARRIER, "barrier"),
	AFTER("atomic", "std::*semaphore*acquire*", QUEUE, "semaphore"),
	AFTER("atomic", "std::__atomic_futex_unsigned*wait*", QUEUE, "future"),
	AFTER("thread", "std::__future_base::_Async_state*", JOIN, "future"),
	AFTER("once", "std::__future_base::*", JOIN, "future"),
	AFTER("condition", "std::__1::__assoc_sub_state*wait*", QUEUE, "future"),

	/* Rust: its own library, and crates that threads wait in. */
	PLAIN("std::sys*utex::lock_contended", LOCK, "mutex"),
	WAITS("std::sys*::RwLock::*_contended", LOCK, "rwlock"),
	PLAIN("std::sys*ondvar::wait*", QUEUE, "condition"),
	WAITS("std::sys*nce::call", LOCK, "once"),
	WAITS("std::sys*nce::wait", LOCK, "once"),
	PLAIN("std::sys*::Parker::park*", QUEUE, "park"),
	PLAIN("std::thread::park*", QUEUE, "park"),
	PLAIN("std::sys*::Thread::join", JOIN, "thread"),
	PLAIN("std::thread::Join*::join", JOIN, "thread"),
	AFTER("condition", "std::sync::*arrier::wait", BARRIER, "barrier"),
	AFTER("park", "std::sync::mpmc::*", QUEUE, "channel"),
	AFTER("park", "std::sync::mpsc::*", QUEUE, "channel"),
	AFTER("park", "std::thread::scope*", JOIN, "threads of a scope"),
	AFTER("park", "*crossbeam_channel::*", QUEUE, "channel"),
	AFTER("park", "*crossbeam_utils::sync::wait_group::*", BARRIER, "wait group"),
	WAITS("*parking_lot::raw_mutex::RawMutex::lock_slow", LOCK, "mutex"),
	WAITS("*parking_lot::raw_rwlock::RawRwLock::*_slow", LOCK, "rwlock"),
	WAITS("*parking_lot::condvar::Condvar::wait*", QUEUE, "condition"),
	WAITS("*parking_lot::once::Once::call_once_slow", LOCK, "once"),
	PLAIN("*parking_lot_core::*::park*", QUEUE, "park"),
	AFTER("park", "*parking_lot::raw_mutex::RawMutex::lock_slow", LOCK, "mutex"),
	AFTER("park", "*parking_lot::raw_rwlock::RawRwLock::*_slow", LOCK, "rwlock"),
	AFTER("park", "*parking_lot::condvar::Condvar::wait*", QUEUE, "condition"),
	AFTER("park", "*parking_lot::once::Once::call_once_slow", LOCK, "once"),
	AFTER("condition", "*rayon_core::sleep::Sleep::sleep*", QUEUE, "work for rayon"),
	AFTER("condition", "*rayon_core::latch::LockLatch::wait*", JOIN, "job of rayon"),
	AFTER("condition", "*tokio::runtime::blocking::pool::*", QUEUE, "work for tokio"),
	AFTER("condition", "*tokio::runtime::*park*", QUEUE, "work for tokio"),
	AFTER("condition", "*tokio::park::*", QUEUE, "work for tokio"),
	AFTER("work for tokio", "*tokio::*CachedParkThread::block_on*", JOIN, "future of tokio"),
	WAITS("*tokio::runtime::io::driver::Driver::turn", EVENT, "event loop"),

	/* Go: threads wait for work, or for the runtime; goroutines wait without a thread. */
	WAITS("runtime.lock", LOCK, "lock of Go's runtime"),
	WAITS("runtime.lock2", LOCK, "lock of Go's runtime"),
	WAITS("runtime.lockWithRank", LOCK, "lock of Go's runtime"),
	PLAIN("runtime.notesleep", QUEUE, "note"),
	PLAIN("runtime.notetsleep*", QUEUE, "note"),
	AFTER("note", "runtime.stopm", QUEUE, "work for Go"),
	AFTER("note", "runtime.mPark", QUEUE, "work for Go"),
	AFTER("note", "runtime.stoplockedm", QUEUE, "work for Go"),
	AFTER("note", "runtime.findRunnable", QUEUE, "work for Go"),
	AFTER("note", "runtime.findrunnable", QUEUE, "work for Go"),
	AFTER("note", "runtime.gcstopm", BARRIER, "stop of the world"),
	AFTER("note", "runtime.stopTheWorld*", BARRIER, "stop of the world"),
	AFTER("note", "runtime.forEachP*", BARRIER, "stop of the world"),
	AFTER("note", "runtime.sysmon", SLEEP, "monitor of Go's runtime"),
	AFTER("note", "os/signal.signal_recv", SIGNAL, "signal"),
	AFTER("note", "runtime.sigNoteSleep", SIGNAL, "signal"),
	WAITS("sync.runtime_SemacquireRWMutex*", LOCK, "sync.RWMutex"),
	WAITS("sync.runtime_SemacquireMutex", LOCK, "sync.Mutex"),
	WAITS("internal/sync.runtime_SemacquireMutex", LOCK, "sync.Mutex"),
	/* the * in a pattern stands for the RW of (*RWMutex), too: so that comes first */
	WAITS("sync.(*RWMutex).*Lock", LOCK, "sync.RWMutex"),
	WAITS("sync.(*Mutex).lockSlow", LOCK, "sync.Mutex"),
	WAITS("internal/sync.(*Mutex).lockSlow", LOCK, "sync.Mutex"),
	WAITS("sync.(*Mutex).Lock", LOCK, "sync.Mutex"),
	WAITS("sync.(*WaitGroup).Wait", JOIN, "sync.WaitGroup"),
	WAITS("sync.(*Cond).Wait", QUEUE, "sync.Cond"),
	WAITS("runtime.chanrecv*", QUEUE, "channel"),
	WAITS("runtime.chansend*", QUEUE, "channel"),
	WAITS("runtime.selectgo", QUEUE, "channel"),
	WAITS("runtime.netpollblock", NETWORK, "network"),
	PLAIN("runtime.semacquire*", LOCK, "semaphore of Go's runtime"),
	AFTER("semaphore of Go's runtime", "sync.runtime_SemacquireWaitGroup", JOIN,
	      "sync.WaitGroup"),
	AFTER("semaphore of Go's runtime", "sync.(*WaitGroup).Wait", JOIN, "sync.WaitGroup"),
	AFTER("semaphore of Go's runtime", "sync.(*RWMutex).*", LOCK, "sync.RWMutex"),
	AFTER("semaphore of Go's runtime", "sync.(*Mutex).*", LOCK, "sync.Mutex"),
	AFTER("semaphore of Go's runtime", "sync.runtime_SemacquireMutex", LOCK, "sync.Mutex"),
	PLAIN("runtime.gopark", QUEUE, "park"),
	PLAIN("runtime.semasleep", LOCK, "lock of Go's runtime"),

	/* OpenMP: libgomp waits by system calls of its own, libomp by conditions. */
	WAITS("gomp_mutex_lock*", LOCK, "lock of OpenMP"),
	WAITS("gomp_sem_wait*", QUEUE, "turn of OpenMP"),
	WAITS("gomp_*barrier_wait*", BARRIER, "barrier of OpenMP"),
	WAITS("gomp_critical_*start", LOCK, "critical section of OpenMP"),
	WAITS("GOMP_critical_*start", LOCK, "critical section of OpenMP"),
	WAITS("omp_set_*lock*", LOCK, "lock of OpenMP"),
	WAITS("GOMP_taskwait*", JOIN, "tasks of OpenMP"),
	WAITS("GOMP_taskgroup_end", JOIN, "tasks of OpenMP"),
	/* what takes a lock jumps to a function without a name, and is not on the path */
	IN_BY_CALL("libgomp.so*", "-", LOCK, "lock of OpenMP"),
	IN("libgomp.so*", "-", BARRIER, "barrier of OpenMP"),
	/* with the hash that it has in a wheel, and not its plugins for devices */
	IN_BY_CALL("libgomp-????????.so*", "-", LOCK, "lock of OpenMP"),
	IN("libgomp-????????.so*", "-", BARRIER, "barrier of OpenMP"),
	AFTER("lock of OpenMP", "GOMP_critical_*start", LOCK, "critical section of OpenMP"),
	AFTER("lock of OpenMP", "gomp_critical_*start", LOCK, "critical section of OpenMP"),
	AFTER("barrier of OpenMP", "GOMP_critical_*start", LOCK, "critical section of OpenMP"),
	AFTER("barrier of OpenMP", "omp_set_*lock*", LOCK, "lock of OpenMP"),
	AFTER("barrier of OpenMP", "GOMP_taskwait*", JOIN, "tasks of OpenMP"),
	AFTER("barrier of OpenMP", "GOMP_taskgroup_end", JOIN, "tasks of OpenMP"),
	AFTER("barrier of OpenMP", "GOMP_*ordered_*", QUEUE, "turn of OpenMP"),
	AFTER("barrier of OpenMP", "GOMP_doacross_wait*", QUEUE, "turn of OpenMP"),
	AFTER("barrier of OpenMP", "GOMP_atomic_start", LOCK, "lock of OpenMP"),
	WAITS("*kmp_acquire_*lock*", LOCK, "lock of OpenMP"),
	WAITS("kmpc_critical*", LOCK, "critical section of OpenMP"),
	WAITS("kmpc_set_*lock*", LOCK, "lock of OpenMP"),
	AFTER("lock of OpenMP", "kmpc_critical*", LOCK, "critical section of OpenMP"),
	AFTER("condition", "*kmp_suspend*", BARRIER, "barrier of OpenMP"),
	AFTER("condition", "*kmp_*barrier*", BARRIER, "barrier of OpenMP"),
	AFTER("condition", "*kmpc_barrier", BARRIER, "barrier of OpenMP"),
	AFTER("condition", "*kmpc_fork_call", BARRIER, "barrier of OpenMP"),
	AFTER("condition", "*kmp_launch_*", BARRIER, "barrier of OpenMP"),
	AFTER_IN("libomp*.so*", "condition", "-", BARRIER, "barrier of OpenMP"),
	AFTER_IN("libiomp*.so*", "condition", "-", BARRIER, "barrier of OpenMP"),
	AFTER("barrier of OpenMP", "*kmpc_omp_taskwait*", JOIN, "tasks of OpenMP"),

	/* MPI: what the ranks do meanwhile has names without meaning. */
	MPI("Barrier", BARRIER, "barrier"),
	MPI("Ibarrier", BARRIER, "barrier"),
	MPI("Win_fence", BARRIER, "barrier"),
	MPI("*cast", BARRIER, "collective operation"),
	MPI("*reduce*", BARRIER, "collective operation"),
	MPI("*gather*", BARRIER, "collective operation"),
	MPI("*catter*", BARRIER, "collective operation"),
	MPI("*lltoall*", BARRIER, "collective operation"),
	MPI("*can", BARRIER, "collective operation"),
	MPI("Comm_*", BARRIER, "collective operation"),
	MPI("Win_create*", BARRIER, "collective operation"),
	MPI("Win_allocate*", BARRIER, "collective operation"),
	MPI("Win_free", BARRIER, "collective operation"),
	MPI("Win_*lock*", LOCK, "window"),
	MPI("Win_*", QUEUE, "window"),
	MPI("*ecv*", QUEUE, "message"),
	MPI("*robe", QUEUE, "message"),
	MPI("*end*", QUEUE, "message"),
	MPI("Wait*", QUEUE, "message"),
	MPI("Test*", QUEUE, "message"),
	MPI("Init*", BARRIER, "start"),
	MPI("Finalize", BARRIER, "end"),
	MPI_SLEEPS("Barrier", BARRIER, "barrier"),
	MPI_SLEEPS("Ibarrier", BARRIER, "barrier"),
	MPI_SLEEPS("Win_fence", BARRIER, "barrier"),
	MPI_SLEEPS("*cast", BARRIER, "collective operation"),
	MPI_SLEEPS("*reduce*", BARRIER, "collective operation"),
	MPI_SLEEPS("*gather*", BARRIER, "collective operation"),
	MPI_SLEEPS("*catter*", BARRIER, "collective operation"),
	MPI_SLEEPS("*lltoall*", BARRIER, "collective operation"),
	MPI_SLEEPS("*can", BARRIER, "collective operation"),
	MPI_SLEEPS("Comm_*", BARRIER, "collective operation"),
	MPI_SLEEPS("Win_create*", BARRIER, "collective operation"),
	MPI_SLEEPS("Win_allocate*", BARRIER, "collective operation"),
	MPI_SLEEPS("Win_free", BARRIER, "collective operation"),
	MPI_SLEEPS("Win_*lock*", LOCK, "window"),
	MPI_SLEEPS("Win_*", QUEUE, "window"),
	MPI_SLEEPS("*ecv*", QUEUE, "message"),
	MPI_SLEEPS("*robe", QUEUE, "message"),
	MPI_SLEEPS("*end*", QUEUE, "message"),
	MPI_SLEEPS("Wait*", QUEUE, "message"),
	MPI_SLEEPS("Test*", QUEUE, "message"),
	MPI_SLEEPS("Init*", BARRIER, "start"),
	MPI_SLEEPS("Finalize", BARRIER, "end"),

	/* TBB: its workers wait for work by a system call of its own. */
	WAITS("tbb::detail::r1::wait_on_address*", QUEUE, "address of TBB"),
	WAITS("tbb::detail::r1::wait_bounded_queue_monitor*", QUEUE, "queue of TBB"),
	WAITS("tbb::detail::r1::rml::*", QUEUE, "work for TBB"),
	WAITS("tbb::detail::r1::*::private_worker::*", QUEUE, "work for TBB"),
	WAITS("tbb::internal::rml::*", QUEUE, "work for TBB"),
	WAITS("rml::*", QUEUE, "work for TBB"),
	IN("libtbb.so*", "-", QUEUE, "work for TBB"),
	AFTER("work for TBB", "tbb::detail::r1::wait_on_address*", QUEUE, "address of TBB"),
	AFTER("work for TBB", "tbb::detail::r1::wait_bounded_queue_monitor*", QUEUE,
	      "queue of TBB"),
	AFTER("work for TBB", "tbb::detail::r1::execute_and_wait*", JOIN, "tasks of TBB"),
	AFTER("work for TBB", "tbb::detail::r1::wait", JOIN, "tasks of TBB"),
	AFTER("work for TBB", "tbb::detail::r1::execute", JOIN, "tasks of TBB"),
	AFTER("address of TBB", "tbb::detail::d*::mutex::lock", LOCK, "mutex of TBB"),
	AFTER("address of TBB", "tbb::detail::d*::rw_mutex::lock*", LOCK, "rwlock of TBB"),

	/* Java: all waits of the JVM are for conditions; without its symbols that says nothing. */
	AFTER_IN(JVM, "condition", "ObjectMonitor::enter*", LOCK, "monitor"),
	AFTER_IN(JVM, "condition", "ObjectMonitor::EnterI", LOCK, "monitor"),
	AFTER_IN(JVM, "condition", "ObjectMonitor::ReenterI", LOCK, "monitor"),
	AFTER_IN(JVM, "condition", "ObjectMonitor::wait", QUEUE, "Object.wait"),
	AFTER_IN(JVM, "condition", "JVM_MonitorWait", QUEUE, "Object.wait"),
	AFTER_IN(JVM, "condition", "Parker::park", QUEUE, "LockSupport.park"),
	AFTER_IN(JVM, "condition", "Unsafe_Park", QUEUE, "LockSupport.park"),
	AFTER_IN(JVM, "condition", "SafepointSynchronize::*", BARRIER, "safepoint"),
	AFTER_IN(JVM, "condition", "Monitor::wait*", QUEUE, "work for the JVM"),
	AFTER_IN(JVM, "condition", "Mutex::lock*", LOCK, "lock of the JVM"),
	AFTER_IN(JVM, "mutex", "SafepointSynchronize::*", BARRIER, "safepoint"),
	AFTER_IN(JVM, "mutex", "Monitor::lock*", LOCK, "lock of the JVM"),
	AFTER_IN(JVM, "mutex", "Mutex::lock*", LOCK, "lock of the JVM"),
	AFTER_IN(JVM, "lock of the JVM", "SafepointSynchronize::*", BARRIER, "safepoint"),
	AFTER_IN(JVM, "semaphore", "SafepointSynchronize::*", BARRIER, "safepoint"),
	AFTER_IN(JVM, "semaphore", "SafepointMechanism::*", BARRIER, "safepoint"),
	AFTER_IN(JVM, "condition", "-", OTHER, "JVM"),
	AFTER_IN(JVM, "JVM", "JVM_MonitorWait", QUEUE, "Object.wait"),
	/* code that the JVM generated, which a map names */
	AFTER("JVM", "monitorenter*Runtime1 stub", LOCK, "monitor"),
	AFTER("JVM", "*complete_monitor_locking*", LOCK, "monitor"),
	AFTER("LockSupport.park", "*locks*ReentrantLock*lock*", LOCK, "ReentrantLock"),
	AFTER("LockSupport.park", "*locks*AbstractQueuedSynchronizer.acquire*", LOCK,
	      "lock of java.util.concurrent"),
	AFTER("LockSupport.park", "*locks*ConditionObject*await*", QUEUE, "condition"),
	AFTER("LockSupport.park", "*ForkJoinPool*awaitWork*", QUEUE, "work for a ForkJoinPool"),

	/* libuv and Node. */
	PLAIN("uv_mutex_lock", LOCK, "mutex"),
	PLAIN("uv_cond_*wait", QUEUE, "condition"),
	PLAIN("uv_sem_wait", QUEUE, "semaphore"),
	PLAIN("uv_thread_join", JOIN, "thread"),
	PLAIN("uv_barrier_wait", BARRIER, "barrier"),
	WAITS("uv__io_poll", EVENT, "event loop"),
	WAITS("uv_run", EVENT, "event loop"),
	AFTER("condition", "*node::*PlatformWorkerThread*", QUEUE, "work for V8"),
	AFTER("condition", "*node::*TaskQueue*Pop*", QUEUE, "work for V8"),
	AFTER_IN("libuv.so*", "condition", "worker", QUEUE, "work for libuv"),

	/*
	 * Python: its own lock is a condition variable, all its other locks are semaphores: those
	 * of threads by PyThread_acquire_lock(), those of processes by _multiprocessing.
	 */
	AFTER("condition", "take_gil", LOCK, "interpreter lock"),
	AFTER("mutex", "take_gil", LOCK, "interpreter lock"),
	AFTER_IN("python*", "condition", "-", LOCK, "interpreter lock"),
	AFTER_IN("libpython*", "condition", "-", LOCK, "interpreter lock"),
	AFTER_IN("*python*", "condition", "PyEval_*", LOCK, "interpreter lock"),
	WAITS("PyThread_acquire_lock*", LOCK, "lock of Python"),
	AFTER("semaphore", "PyThread_acquire_lock*", LOCK, "lock of Python"),
	AFTER("semaphore", "lock_PyThread_acquire_lock", LOCK, "lock of Python"),
	AFTER("semaphore", "_PySemaphore_Wait", LOCK, "lock of Python"),
	AFTER("semaphore", "PyMutex_Lock*", LOCK, "lock of Python"),
	AFTER("semaphore", "*multiprocessing_SemLock_*", LOCK, "lock of multiprocessing"),
	AFTER_IN("_multiprocessing*.so", "semaphore", "-", LOCK, "lock of multiprocessing"),
	/* sem_wait() jumps to a function without a name, and is not on the path */
	IN("_multiprocessing*.so", "-", LOCK, "lock of multiprocessing"),
	AFTER("lock of Python", "py::*:*/queue.py", QUEUE, "queue.Queue"),
	AFTER("lock of Python", "py::wait:*/threading.py", QUEUE, "condition"),

	/* Names that several servers use. */
	WAITS("PGSemaphoreLock", LOCK, "lock of PostgreSQL"),
	AFTER("semaphore", "PGSemaphoreLock", LOCK, "lock of PostgreSQL"),
	AFTER("lock of PostgreSQL", "LWLock*", LOCK, "LWLock"),
};

/* clang-format on */

const size_t wait_table_count = ARRAY_SIZE(wait_table);

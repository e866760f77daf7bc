# SPDX-License-Identifier: GPL-2.0
"""
What a thread waits for when it is switched out asleep: by the system call it is in, a page fault, or
the functions of the kernel on its path where the number of a descriptor does not say of what.
"""

from collections import defaultdict

from parse import Enter, Leave, NewTask, Switch, TraceError

# A futex's user decides what it is; only some can be told by the arguments. See futex_class().
FUTEX = "futex"

# What each system call of x86-64 that can sleep waits for, by its manual page. Calls with names and
# attributes of files wait for a disk; the others, of those that are not here, for "other".
DISK = """
2 open 4 stat 5 fstat 6 lstat 21 access 59 execve 74 fsync 75 fdatasync 76 truncate 77 ftruncate 78 getdents
80 chdir 82 rename 83 mkdir 84 rmdir 85 creat 86 link 87 unlink 88 symlink 89 readlink 90 chmod 92 chown
137 statfs 138 fstatfs 162 sync 165 mount 187 readahead 208 io_getevents 209 io_submit 217 getdents64
221 fadvise64 257 openat 258 mkdirat 262 newfstatat 263 unlinkat 264 renameat 267 readlinkat 269 faccessat
26 msync 277 sync_file_range 285 fallocate 306 syncfs 316 renameat2 322 execveat 326 copy_file_range
332 statx 437 openat2 439 faccessat2
"""
NETWORK = """
41 socket 42 connect 43 accept 44 sendto 45 recvfrom 46 sendmsg 47 recvmsg 48 shutdown 49 bind 50 listen
54 setsockopt 55 getsockopt 288 accept4 299 recvmmsg 307 sendmmsg
"""
MEMORY = """
9 mmap 10 mprotect 11 munmap 12 brk 25 mremap 27 mincore 28 madvise 149 mlock 150 munlock 151 mlockall
325 mlock2 329 pkey_mprotect 310 process_vm_readv 311 process_vm_writev
"""
DESCRIPTOR = """
0 read 1 write 17 pread64 18 pwrite64 19 readv 20 writev 40 sendfile 275 splice 276 tee 278 vmsplice
295 preadv 296 pwritev 327 preadv2 328 pwritev2
"""
ONE_REASON = {
    "lock": "72 fcntl 73 flock",
    "queue": "65 semop 220 semtimedop 69 msgsnd 70 msgrcv 242 mq_timedsend 243 mq_timedreceive",
    "join": "58 vfork 61 wait4 247 waitid 435 clone3",
    "sleep": "35 nanosleep 230 clock_nanosleep",
    "event": "232 epoll_wait 281 epoll_pwait 441 epoll_pwait2 426 io_uring_enter",
    "signal": "34 pause 128 rt_sigtimedwait 130 rt_sigsuspend",
    "disk": DISK, "network": NETWORK, "memory": MEMORY,
}
FUTEX_CALL, POLL, PPOLL, SELECT, PSELECT, CLONE = 202, 7, 271, 23, 270, 56
CLONE_VFORK = 0x4000

# Functions of the kernel that read and write, of each kind of file.
BY_FUNCTION = (
    ("pipe", ("pipe_read", "anon_pipe_read", "fifo_pipe_read", "pipe_write", "anon_pipe_write",
              "fifo_pipe_write")),
    ("network", ("sock_read_iter", "sock_write_iter")),
    ("event", ("eventfd_read", "eventfd_write", "timerfd_read", "timerfd_read_iter", "signalfd_read_iter",
               "inotify_read")),
    ("disk", ("ext4_file_read_iter", "ext4_file_write_iter", "generic_file_read_iter",
              "generic_file_write_iter", "filemap_read", "blkdev_read_iter", "blkdev_write_iter",
              "kmsg_read")),
)
# Where the kernel takes a lock for which a thread may sleep; the compiler adds to some names.
FOR_LOCK = ("__mutex_lock", "rwsem_down_read_slowpath", "rwsem_down_write_slowpath", "__down", "__down_common",
            "__percpu_down_read", "percpu_rwsem_wait", "percpu_down_write", "rt_mutex_slowlock", "__rt_mutex_lock",
            "rwbase_read_lock", "__rwbase_read_lock", "rwbase_write_lock", "rtlock_slowlock_locked")
# Whatever a thread called, it waits for a disk here.
FOR_DISK = ("io_schedule", "io_schedule_timeout")
IN_FAULT = ("exc_page_fault", "asm_exc_page_fault")
IN_CALL = ("do_syscall_64", "x64_sys_call")

FUTEX_COMMAND, FUTEX_PRIVATE = 0x7f, 128
FUTEX_WAIT, FUTEX_LOCK_PI, FUTEX_WAIT_BITSET, FUTEX_LOCK_PI2 = 0, 6, 9, 13
# glibc's mutexes and its own locks: somebody waits.
LOCKED_WITH_WAITERS = 2


def numbers(text):
    return [int(word) for word in text.split() if word.isdigit()]


def table_of_calls():
    return {number: reason for reason, text in ONE_REASON.items() for number in numbers(text)}


CALLS = table_of_calls()
DESCRIPTORS = set(numbers(DESCRIPTOR))


def futex_class(args, tids):
    """
    "join" or "lock" where the arguments say so, else FUTEX: the kernel wakes who waits for a thread's
    end, so such a wait is not private, and the value is the thread's id; `tids` has those of its process.
    """
    _, command, value = args[:3]
    private, command = command & FUTEX_PRIVATE, command & FUTEX_COMMAND
    value &= 0xffffffff
    if command in (FUTEX_LOCK_PI, FUTEX_LOCK_PI2) or (command == FUTEX_WAIT and value == LOCKED_WITH_WAITERS):
        return "lock"
    if command == FUTEX_WAIT_BITSET and not private and value in tids:
        return "join"
    return FUTEX


def reason_by_path(path):
    """Of a call on a descriptor."""
    for reason, functions in BY_FUNCTION:
        if any(function in path for function in functions):
            return reason
    return "other"


def reason_of(call, path, tids):
    """`call` is (number, arguments) of the last system call, or None; `path` is in the kernel."""
    in_call = call and any(function in path for function in IN_CALL)
    fault = not in_call and any(function in path for function in IN_FAULT)
    if fault:
        return "fault"
    if any(function.partition(".")[0] in FOR_LOCK for function in path):
        return "memory" if in_call and CALLS.get(call[0]) == "memory" else "kernel-lock"
    if any(function in path for function in FOR_DISK):
        return "disk"
    if not in_call:
        return "other"
    number, args = call
    if number == FUTEX_CALL:
        return futex_class(args, tids)
    if number in DESCRIPTORS:
        return reason_by_path(path)
    if number in (POLL, PPOLL):
        return "event" if args[1] & 0xffffffff else "sleep"
    if number in (SELECT, PSELECT):
        return "event" if args[0] & 0xffffffff else "sleep"
    if number == CLONE:
        return "join" if args[0] & CLONE_VFORK else "other"
    return CALLS.get(number, "other")


class Calls:
    """
    In which system call, and on which path, each thread was when it was switched out: `at` has
    ((number, arguments) or None, path) by the event's number. The path is None before the second trace.
    """

    def __init__(self, events, stacks):
        self.at = {}
        switches = defaultdict(list)
        current = {}
        for number, event in enumerate(events):
            if isinstance(event, Enter):
                current[event.current] = event.number, event.args
            elif isinstance(event, Leave) and event.current not in current:
                # It entered before the trace; what with is not known.
                current[event.current] = event.number, (0,) * 6
            elif isinstance(event, NewTask):
                current.pop(event.pid, None)
            elif isinstance(event, Switch):
                self.at[number] = current.get(event.current), None
                switches[event.cpu].append((number, event))
        for cpu, found in stacks.of.items():
            self._take_paths(cpu, switches[cpu], found)

    def _take_paths(self, cpu, switches, found):
        """The second trace began later and ended before: its switches are a stretch of the first one's."""
        first = self._first(switches, found)
        for (number, event), (again, path) in zip(switches[first:], found):
            if not same(event, again):
                raise TraceError(f"CPU {cpu}: {event} is {again} in the second trace")
            if path:
                self.at[number] = self.at[number][0], path

    @staticmethod
    def _first(switches, found):
        begin = found[0][0].ns
        near = [index for index, (_, event) in enumerate(switches)
                if event.ns <= begin and same(event, found[0][0])]
        if not near:
            raise TraceError(f"only in the second trace: {found[0][0]}")
        return near[-1]


def same(event, other):
    return (event.prev_pid, event.next_pid) == (other.prev_pid, other.next_pid)

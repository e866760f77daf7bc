# SPDX-License-Identifier: GPL-2.0
"""
Which task an event of the trace is about, and which process a task belongs to.

A thread id is not a task: ids are used again, and an exec by a thread that is not the leader
gives it the leader's id. But on each CPU the task that a switch lets in is the one that the next
event there happens in, whatever its id is by then. So ids are only looked up where a chain begins
or a wake-up names one.
"""

from collections import defaultdict, deque, namedtuple

from parse import Enter, Exec, Exit, Leave, NewTask, Rename, Switch, TraceError, Wakeup, Waking

CLONE_THREAD = 0x00010000
DEAD_STATES = "XZ"
RUNNABLE_STATES = ("R", "R+")
INTERRUPTIBLE_STATE = "S"
BEFORE_TRACE = -1

# What happens to a task: kind of its records. The fate of an OUT is in the record after it.
NEW, WAKE, IN, OUT_RUNNABLE, OUT_ASLEEP, OUT_DEAD = range(6)
OUTS = OUT_RUNNABLE, OUT_ASLEEP, OUT_DEAD
# `number` is the event's place in the trace, which is by time.
Record = namedtuple("Record", "ns kind cpu number")


class Process:
    """
    A thread group; `parent` is the one whose thread created it, None if that was not seen, and
    `exec_ns` when it was seen to exec first, or 0.
    """

    def __init__(self, pid, parent):
        self.pid = pid
        self.parent = parent
        self.exec_ns = 0

    def descends_from(self, ancestors):
        process = self
        while process:
            if process in ancestors:
                return True
            process = process.parent
        return False


class Task:
    """
    A thread: its Records, in order; `races` are indices of wake-ups in them, and `names` what it was
    called, each with the number of the event since when.
    """

    def __init__(self, tid, comm, process):
        self.tid = tid
        self.tids = {tid}
        self.comm = comm
        self.names = [(BEFORE_TRACE, comm)] if comm else []
        self.process = process
        self.records = []
        self.races = set()
        self.switched_out = None
        self.exited_ns = None
        self.dead = False

    def name_at(self, number):
        """What it was called at an event; the first name for what was before."""
        name = self.names[0][1] if self.names else None
        for since, later in self.names:
            if since <= number:
                name = later
        return name

    def last_slice(self, number):
        """Number of the switch-out that was the last before an event; None without one."""
        return max((record.number for record in self.records
                    if record.kind in OUTS and record.number < number), default=None)


def out_kind(prev_state):
    if prev_state in RUNNABLE_STATES:
        return OUT_RUNNABLE
    return OUT_DEAD if prev_state[0] in DEAD_STATES else OUT_ASLEEP


class Tasks:
    """All tasks of a trace but the idle ones."""

    def __init__(self, events):
        self.all = []
        self.by_tid = {}
        self.on_cpu = {}
        self.number = BEFORE_TRACE
        # The last two events on each CPU, and their numbers.
        self.past = defaultdict(lambda: deque([(BEFORE_TRACE, None)] * 2, maxlen=2))
        handlers = {Switch: self._switch, Waking: self._waking, Wakeup: self._wakeup,
                    NewTask: self._newtask, Exec: self._exec, Exit: self._exit,
                    Rename: self._rename, Enter: self._nothing, Leave: self._nothing}
        for self.number, event in enumerate(events):
            current = self._current(event)
            handlers[type(event)](event, current)
            self.past[event.cpu].append((self.number, event))

    def _record(self, task, kind, event):
        task.records.append(Record(event.ns, kind, event.cpu, self.number))

    def process(self, pid):
        """The one process that had this id."""
        found = {task.process for task in self.all if task.process.pid == pid}
        if len(found) != 1:
            raise TraceError(f"{len(found)} processes {pid} in the trace")
        return found.pop()

    def children(self, parent):
        return {task.process for task in self.all if task.process.parent is parent}

    def _find(self, tid, comm):
        task = self.by_tid.get(tid)
        if task is None:
            # It was there before the trace, of which process is not known.
            task = self._add(tid, comm, Process(tid, None))
        return task

    def _add(self, tid, comm, process):
        task = Task(tid, comm, process)
        self.all.append(task)
        self.by_tid[tid] = task
        return task

    def _current(self, event):
        """The task that the event happens in; None is the idle task."""
        if event.cpu not in self.on_cpu:
            task = self._find(event.current, None) if event.current else None
            if task:
                task.records.append(Record(BEFORE_TRACE, IN, event.cpu, BEFORE_TRACE))
            self.on_cpu[event.cpu] = task
        task = self.on_cpu[event.cpu]
        if event.current != (task.tid if task else 0):
            self._renumber(event, task)
        return task

    def _renumber(self, event, task):
        """An exec by another thread than the leader: they have exchanged their ids."""
        if not task or not event.current:
            raise TraceError(f"{event}: task {task.tid if task else 0} was running there")
        other = self.by_tid.get(event.current)
        if other and other.process is not task.process:
            raise TraceError(f"{event}: task {task.tid} was running there")
        del self.by_tid[task.tid]
        if other:
            self._give_tid(other, task.tid)
        self._give_tid(task, event.current)

    def _give_tid(self, task, tid):
        task.tid = tid
        task.tids.add(tid)
        if not task.dead:
            self.by_tid[tid] = task

    def _switch(self, event, current):
        if current:
            kind = out_kind(event.prev_state)
            self._record(current, kind, event)
            current.switched_out = self.number, event
            if kind == OUT_DEAD:
                current.dead = True
                del self.by_tid[current.tid]
        task = None
        if event.next_pid:
            task = self._find(event.next_pid, event.next_comm)
            if not task.names:
                task.names.append((BEFORE_TRACE, event.next_comm))
            self._record(task, IN, event)
        self.on_cpu[event.cpu] = task

    def _nothing(self, event, _current):
        pass

    _waking = _nothing

    def _wakeup(self, event, _current):
        if event.pid:
            task = self._find(event.pid, event.comm)
            if self._may_race(event, task):
                task.races.add(len(task.records))
            self._record(task, WAKE, event)

    def _may_race(self, event, task):
        """
        Whether the waker may have read the task's state before the switch-out that it comes after.
        It reads it just before sched_waking, and interrupts are off until sched_wakeup. So nothing
        else happens on its CPU meanwhile, and what did last is from before the switch-out.
        """
        if not task.records or task.records[-1].kind != OUT_ASLEEP:
            return False
        out_number, out = task.switched_out
        (before_number, _), (_, waking) = self.past[event.cpu]
        return (out.prev_state == INTERRUPTIBLE_STATE and before_number < out_number
                and isinstance(waking, Waking) and waking.pid == event.pid)

    def _newtask(self, event, current):
        if event.pid in self.by_tid:
            raise TraceError(f"{event}: there is a task {event.pid} already")
        creator = current.process if current else None
        if event.clone_flags & CLONE_THREAD:
            if not creator:
                raise TraceError(f"{event}: the idle task creates a thread")
            process = creator
        else:
            process = Process(event.pid, creator)
        self._record(self._add(event.pid, event.comm, process), NEW, event)

    def _exec(self, event, current):
        if current.tid != event.pid or event.old_pid not in current.tids:
            raise TraceError(f"{event}: in task {current.tid}")
        current.process.exec_ns = current.process.exec_ns or event.ns

    def _exit(self, event, current):
        current.exited_ns = event.ns

    def _rename(self, event, _current):
        if event.pid in self.by_tid:
            self.by_tid[event.pid].comm = event.comm
            self.by_tid[event.pid].names.append((self.number, event.comm))

"""Work shared out to other processes, which never outlive the one that started them.

`multiprocessing` is imported where it is needed, because WebAssembly has no processes, and all work is done in one.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from itertools import islice
from threading import Lock, Thread, active_count
from traceback import format_exception
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from .errors import InputError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

T = TypeVar("T")
R = TypeVar("R")
_MOMENT = 0.5  # seconds
# libraries that start threads
_WITH_THREADS = ("duckdb", "jax", "numba", "polars", "pyarrow", "pyspark", "sklearn", "tensorflow", "torch")


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def can_copy() -> bool:
    """Whether other processes can be copies of this one (fork). They begin at once and share what is in memory.

    A copy of a process with threads may hang, so there must be none. Those of numpy's OpenBLAS stop for the copy.
    """
    return sys.platform == "linux" and active_count() == 1 and sys.modules.keys().isdisjoint(_WITH_THREADS)


def chosen(jobs: int | None, is_large: bool) -> int:
    """The number of processes. If none is given, it is one per core for large work, but only if copies are possible."""
    if jobs is not None:
        return jobs
    return cores() if is_large and can_copy() else 1


def each(work: Callable[[T], R], items: Sequence[T], jobs: int, ahead: int | None = None) -> Generator[R, None, None]:
    """What `work` makes of each item, in their order, made by so many processes; `work` goes to each of them once.

    With `ahead`, at most so many items are worked on or wait to be taken, so that results do not pile up.

    What it raises is raised here. The processes are copies of this one if `can_copy`, or else new ones (spawned).
    Whatever ends the iteration ends them at once: an error, Ctrl-C, or `close`.
    """
    with _workers(work, min(jobs, len(items))) as submit:
        futures = deque(submit(items[:ahead]))
        waiting = iter(items[len(futures) :])
        while futures:
            yield awaited(futures.popleft())
            futures.extend(submit([*islice(waiting, 1)]))


@contextmanager
def meanwhile(work: Callable[[T], R], items: Sequence[T], jobs: int) -> Iterator[Callable[[], list[R]]]:
    """Other processes work on the items during the block; the function that it gives waits for all results."""
    with _workers(work, min(jobs, len(items))) as submit:
        futures = submit(items)
        yield lambda: [awaited(future) for future in futures]


def together(work: Callable[[T], R], items: Sequence[T], jobs: int, here: Callable[[T], R]) -> Generator[R, None, None]:
    """The same where this process is one of them: it begins with the first items, by `here`, the others with the last.

    That pays if the others take long to get ready, because `work` reads its input again.
    """
    with _workers(work, min(jobs - 1, len(items))) as submit:
        futures = submit(items[::-1])[::-1]
        for item, future in zip(items, futures, strict=True):
            yield here(item) if future.cancel() else awaited(future)


def awaited(future: Future[R]) -> R:
    """The result of a future. The wait is in short pieces: an interrupt that arrives just before it would be lost."""
    while not wait([future], timeout=_MOMENT).done:
        pass
    return future.result()


@contextmanager
def _workers(work: Callable[[T], R], jobs: int) -> Iterator[Callable[[Sequence[T]], list[Future[R]]]]:
    """A function that has items worked on by processes, which end with the block."""
    crew = _Crew(work, jobs)
    try:
        yield crew.submit
    except BaseException as error:
        crew.stop()
        if not isinstance(error, _Lost):
            raise
        hint = "memory may be short; with one job (--jobs 1) no other process is needed"
        raise InputError("a process ended before its work was done", hint=hint) from None
    crew.finish()


class _Lost(Exception):
    """A worker ended before its work was done."""


class _Worker(NamedTuple):
    """A process, and this end of the pipe to it. Nobody else has the other end, so its death ends the pipe."""

    process: BaseProcess
    pipe: Connection


class _Crew:
    """Processes that work on items, each through a pipe of its own, and the thread that watches them.

    A worker has at most one item, so a message to it never waits. One that is killed while it sends a result leaves
    half a message and then the end of its pipe, and no lock that others wait for.
    """

    def __init__(self, work: Callable[[Any], Any], jobs: int) -> None:
        self.work, self.jobs = work, jobs
        self.workers: list[_Worker] = []
        self.idle: list[_Worker] = []
        self.busy: dict[_Worker, Future[Any]] = {}
        self.queue: deque[tuple[Future[Any], Any]] = deque()
        self.guard = Lock()  # of the queue, and of `lost`
        self.lost = False
        self.thread: Thread | None = None
        self.ended = False

    def submit(self, items: Sequence[Any]) -> list[Future[Any]]:
        """Have items worked on. The first call starts the processes, and then the thread: a copy must not have it."""
        if self.thread is None:
            self._start()
        futures: list[Future[Any]] = [Future() for _ in items]
        with self.guard:
            if self.lost:
                raise _Lost
            self.queue.extend(zip(futures, items, strict=True))
        self._wake()
        return futures

    def stop(self) -> None:
        """End all processes at once."""
        self.ended = True
        for worker in self.workers:
            worker.process.kill()  # first: the thread may wait for the rest of a message
        self._end_thread()
        self._join()

    def finish(self) -> None:
        """Let the processes end by themselves. One that still works is ended: nobody asked for its result."""
        self._end_thread()
        for worker in self.busy:
            worker.process.kill()
        for worker in self.idle:
            with suppress(OSError):
                worker.pipe.send_bytes(b"")
        self._join()

    def _start(self) -> None:
        from multiprocessing import Pipe, get_context

        copy = can_copy()
        started: Callable[..., BaseProcess] = get_context("fork").Process if copy else get_context("spawn").Process
        self.woken, self.waker = Pipe(duplex=False)
        given = None if copy else pickle.dumps(self.work)
        with _interrupts_held_back(), warnings.catch_warnings():
            warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)  # OpenBLAS
            for _ in range(self.jobs):
                here, there = Pipe()
                process = started(target=_serve, args=(there, self.work if copy else None))
                try:
                    process.start()
                except BrokenPipeError:  # it ended while it was started
                    raise _Lost from None
                finally:
                    there.close()
                self.workers.append(_Worker(process, here))
        if given is not None:  # not as an argument: the pipe of arguments has no end when its reader was killed
            for worker in self.workers:
                with suppress(OSError):  # the thread notices the loss
                    worker.pipe.send_bytes(given)
        self.idle += self.workers
        self.thread = Thread(target=self._watch, daemon=True)
        self.thread.start()

    def _wake(self) -> None:
        with suppress(OSError):
            self.waker.send_bytes(b"x")

    def _end_thread(self) -> None:
        if self.thread is not None:
            self.ended = True
            self._wake()
            self.thread.join()

    def _join(self) -> None:
        for worker in self.workers:
            worker.process.join()
            worker.pipe.close()

    # The thread.

    def _watch(self) -> None:
        """Give items to idle workers and take results, until all ends or a worker is lost."""
        try:
            while not self.ended:
                self._hand_out()
                self._take_in()
        except (OSError, EOFError):  # a pipe has no other end any more
            pass
        finally:
            self._lose()

    def _hand_out(self) -> None:
        while self.idle:
            with self.guard:
                if not self.queue:
                    return
                future, item = self.queue.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                message = pickle.dumps(item)
            except Exception as error:
                future.set_exception(error)
                continue
            worker = self.idle.pop()
            self.busy[worker] = future
            worker.pipe.send_bytes(message)

    def _take_in(self) -> None:
        """Wait until something happens, and take the results that are there."""
        from multiprocessing.connection import wait as ready

        found = ready([self.woken, *(worker.pipe for worker in self.workers)])
        if self.woken in found:
            self.woken.recv_bytes()
        for worker in self.workers:
            if worker.pipe not in found:
                continue
            message = worker.pipe.recv_bytes()  # the end of the pipe, if an idle worker has ended
            future = self.busy.pop(worker)
            self.idle.append(worker)
            try:
                succeeded, value = pickle.loads(message)
            except Exception as error:  # what can be sent, and not be read again
                succeeded, value = False, error
            if succeeded:
                future.set_result(value)
            else:
                future.set_exception(value)

    def _lose(self) -> None:
        """No more results will come: whoever waits for one learns it."""
        with self.guard:
            self.lost = True
            waiting = [future for future, _ in self.queue]
            self.queue.clear()
        for future in waiting:
            if future.set_running_or_notify_cancel():
                future.set_exception(_Lost())
        for future in self.busy.values():
            future.set_exception(_Lost())


def end_with_parent() -> None:
    """To be called by a worker: if its parent was killed, it would wait for work for ever."""
    from multiprocessing import parent_process

    parent = parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    Thread(target=watch, daemon=True).start()


def _serve(pipe: Connection, work: Callable[[Any], Any] | None) -> None:
    """What a worker does: it takes items from the pipe and sends back whether that succeeded, and the result."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to all, and the parent ends its workers itself
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a copy must not run what the parent would do
    end_with_parent()
    gc.disable()  # it would go over all that is loaded again and again
    if work is None:
        work = pickle.loads(pipe.recv_bytes())
    gc.freeze()  # so that collections do not write to memory that copies share
    gc.enable()
    with suppress(EOFError, OSError):  # the parent has ended
        while item := pipe.recv_bytes():
            pipe.send_bytes(_answer(work, item))


def _answer(work: Callable[[Any], Any], item: bytes) -> bytes:
    try:
        return pickle.dumps((True, work(pickle.loads(item))), pickle.HIGHEST_PROTOCOL)
    except BaseException as error:
        return pickle.dumps((False, _sendable(error)), pickle.HIGHEST_PROTOCOL)


def _sendable(error: BaseException) -> BaseException:
    """The error with its traceback as a note; or what it says, if it can't be sent."""
    error.add_note("".join(format_exception(error)))
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Ctrl-C waits until the end of the block; processes started in it never get it, not even while they load."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

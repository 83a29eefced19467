"""Work shared out to other processes, which never outlive the one that started them."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from multiprocessing import active_children, get_context, parent_process
from multiprocessing.process import BaseProcess
from threading import Thread, active_count
from typing import Any, TypeVar

from .errors import InputError

T = TypeVar("T")
R = TypeVar("R")
_MOMENT = 0.5  # seconds
# libraries that start threads
_WITH_THREADS = ("duckdb", "jax", "numba", "polars", "pyarrow", "pyspark", "sklearn", "tensorflow", "torch")
_work: list[Callable[[Any], Any]] = []  # of a worker: what it does with each item


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
    others, copy = active_children(), can_copy()
    given = work if copy else pickle.dumps(work)
    pool = ProcessPoolExecutor(jobs, get_context("fork" if copy else "spawn"), initializer=_begin, initargs=(given,))
    ours: list[BaseProcess] = []

    def submit(items: Sequence[T]) -> list[Future[R]]:
        with _interrupts_held_back(), warnings.catch_warnings():
            warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)  # OpenBLAS
            futures = [pool.submit(_do, item) for item in items]
            ours[:] = [process for process in active_children() if process not in others]
        return futures

    try:
        yield submit
    except BaseException as error:
        for process in ours:
            process.terminate()
        pool.shutdown(cancel_futures=True)
        if not isinstance(error, BrokenProcessPool):
            raise
        hint = "memory may be short; with one job (--jobs 1) no other process is needed"
        raise InputError("a process ended before its work was done", hint=hint) from None
    pool.shutdown()


def end_with_parent() -> None:
    """To be called by a worker: if its parent was killed, it would wait for work for ever."""
    parent = parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    Thread(target=watch, daemon=True).start()


def _begin(given: Callable[[Any], Any] | bytes) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to all, and the parent ends its workers itself
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a copy must not run what the parent would do
    end_with_parent()
    gc.disable()  # it would go over all that is loaded again and again
    _work[:] = [pickle.loads(given) if isinstance(given, bytes) else given]
    gc.freeze()  # so that collections do not write to memory that copies share
    gc.enable()


def _do(item: Any) -> Any:
    return _work[0](item)


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

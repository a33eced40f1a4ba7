"""Several requests at a time, in one run: what a build asks of models."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextvars import copy_context
from typing import TypeVar

from headtree.models.runs import current_run

Item = TypeVar("Item")
Result = TypeVar("Result")

MOST_AT_ONCE = 8
"""Pieces of work at a time; how many requests go out at a time is the setting's, kept by the caller of the provider."""


def side_by_side(work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[tuple[int, Result]]:
    """Yield (position, result) as the pieces of work end; an error or an early end stops the whole run.

    Args:
        work: done in threads that belong to the current run.
        items: what it is done to.
    """
    run = current_run()
    finished = False
    with ThreadPoolExecutor(MOST_AT_ONCE, thread_name_prefix="headtree-build") as pool:
        futures = {pool.submit(copy_context().run, work, item): number for number, item in enumerate(items)}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
            finished = True
        finally:
            if not finished:
                run.stop()
                for future in futures:
                    future.cancel()

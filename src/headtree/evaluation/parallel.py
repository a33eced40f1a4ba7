"""Work on several questions at the same time, each result handed on as soon as it is there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_parallel(items: Iterable[Item], work: Callable[[Item], Result], *, jobs: int) -> Iterator[tuple[Item, Result]]:
    """Yield each item with what the work made of it, in the order in which they are done.

    No more than ``jobs`` are under way, so that a stop loses few.
    """
    waiting = iter(items)
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        under_way: dict[Future[Result], Item] = {}
        while True:
            for item in waiting:
                under_way[pool.submit(work, item)] = item
                if len(under_way) == jobs:
                    break
            if not under_way:
                return
            for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                yield under_way.pop(future), future.result()

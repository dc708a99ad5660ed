from __future__ import annotations

from app.stores.fallback_graph_reader import Breaker


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def opened(clock: Clock) -> Breaker:
    breaker = Breaker(failures=3, seconds=5.0, clock=clock)
    for _ in range(3):
        assert breaker.allow_request()
        breaker.fail()
    return breaker


def test_a_few_failures_in_a_row_open_it() -> None:
    breaker = opened(Clock())
    assert breaker.is_open
    assert not breaker.allow_request()


def test_a_success_between_failures_keeps_it_closed() -> None:
    breaker = Breaker(failures=2)
    for _ in range(5):
        breaker.fail()
        breaker.succeed()
    assert breaker.allow_request()


def test_after_a_while_one_call_tries() -> None:
    clock = Clock()
    breaker = opened(clock)
    clock.now += 5.0
    assert [breaker.allow_request() for _ in range(3)] == [True, False, False]
    breaker.fail()
    clock.now += 4.9
    assert not breaker.allow_request()
    clock.now += 0.2
    assert breaker.allow_request()
    breaker.succeed()
    assert [breaker.allow_request() for _ in range(3)] == [True, True, True]


def test_a_try_that_never_ends_is_followed_by_another() -> None:
    """As when its caller went away."""
    clock = Clock()
    breaker = opened(clock)
    clock.now += 5.0
    assert breaker.allow_request()
    clock.now += 5.0
    assert breaker.allow_request()

"""The one way from a mutation's input to its payload: a caller's mistake becomes a problem."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from app.errors import TrigraphError
from app.graphql.context import Context, Info
from app.graphql.errors import Problem, problem_from

Input = TypeVar("Input")
Answer = TypeVar("Answer")
Stated = TypeVar("Stated", contravariant=True)
Made = TypeVar("Made", covariant=True)
Payload = TypeVar("Payload")


class PayloadType(Protocol[Stated, Made]):
    """A type of payload: made of what a service answers, or of the problems why nothing was written."""

    def __call__(self, *, problems: list[Problem]) -> Made:
        """Return a payload with problems alone."""

    def of(self, answer: Stated, /) -> Made:
        """Return the payload of an answer."""


def answers_with(
    payload: PayloadType[Answer, Payload],
) -> Callable[[Callable[[Context, Input], Awaitable[Answer]]], Callable[[Info, Input], Awaitable[Payload]]]:
    """Return a decorator that makes a mutation of a function from a context and an input to an answer.

    The loaders are renewed before, since the mutation changes what they loaded. An error of one of the five
    families becomes a problem; any other is raised.
    """

    def decorate(
        carry_out: Callable[[Context, Input], Awaitable[Answer]],
    ) -> Callable[[Info, Input], Awaitable[Payload]]:
        async def mutation(info: Info, input: Input) -> Payload:
            info.context.renew()
            try:
                answer = await carry_out(info.context, input)
            except TrigraphError as error:
                return payload(problems=[problem_from(error)])
            return payload.of(answer)

        return mutation

    return decorate


def position_text(position: int | None) -> str | None:
    """Return the outbox position of a write as the API writes it, None for a write that changed nothing."""
    return None if position is None else str(position)

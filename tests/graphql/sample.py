"""A small schema behind the real view, in which every kind of answer and failure can be asked for."""

from __future__ import annotations

from datetime import datetime

import strawberry
from graphql import GraphQLError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Route
from strawberry.scalars import JSON

from app.errors import Conflict, Forbidden, Invalid, NotFound, TrigraphError, Unavailable
from app.graphql.errors import Problem, problem_from
from app.graphql.execution import GuardedSchema
from app.graphql.http import GraphQLView
from app.graphql.query_cost import MAX_ANSWER
from app.web import graphiql_page, graphiql_routes

SECRET = "password=swordfish"
FAMILIES: dict[str, type[TrigraphError]] = {
    family.code: family for family in (Invalid, NotFound, Conflict, Forbidden, Unavailable)
}
written: list[str] = []


def failure(code: str) -> TrigraphError:
    return FAMILIES[code]("say it differently", field="name", rule="one_name_per_thing")


@strawberry.type(description="A page of things.")
class ThingPage:
    total_count: int = strawberry.field(description="How many there are.")

    @strawberry.field(description="The things on this page.")
    def nodes(self) -> list[Thing]:
        return [Thing(name="a thing")]


@strawberry.type(description="A thing.")
class Thing:
    name: str = strawberry.field(description="Its name.")
    body: str = strawberry.field(default="", description="Its long text.")
    props: JSON = strawberry.field(default_factory=lambda: JSON({}), description="Its long value.")

    @strawberry.field(description="Its long text, made when it is asked for.")
    def text(self) -> str:
        return self.body

    @strawberry.field(description="The things near it.")
    def near(self, first: int = 20) -> ThingPage:
        return ThingPage(total_count=1)

    @strawberry.field(description="Its parts.")
    def parts(self) -> list[Thing]:
        return []

    @strawberry.field(description="What it stands in.")
    def whole(self) -> Thing:
        return self


@strawberry.type(description="What can be asked.")
class Query:
    @strawberry.field(description="A greeting.")
    def greeting(self, name: str = "World") -> str:
        return f"Hello, {name}"

    @strawberry.field(description="A page of things.")
    def things(self, first: int | None = 20, last: int | None = None) -> ThingPage:
        return ThingPage(total_count=1)

    @strawberry.field(description="Long things, or none if they are too long.")
    def long_things(self, count: int, characters: int) -> list[Thing] | None:
        long = "é" * characters
        return [Thing(name="a thing", body=long, props=JSON({"long": long})) for _ in range(count)]

    @strawberry.field(description="The number given, which must be there.")
    def number(self, value: int = 1) -> int:
        return value

    @strawberry.field(description="The same instant.")
    def instant(self, at: datetime) -> datetime:
        return at

    @strawberry.field(description="The same JSON.")
    def json(self, value: JSON) -> JSON:
        return value

    @strawberry.field(description="Fails as one of the families.")
    def fail(self, code: str) -> str | None:
        raise failure(code)

    @strawberry.field(description="Fails as nobody meant it to.")
    def crash(self) -> str | None:
        raise RuntimeError(SECRET)

    @strawberry.field(description="Fails as nobody meant it to, in the library's own words.")
    def crash_in_graphql(self) -> str | None:
        raise GraphQLError(SECRET)

    @strawberry.field(description="A number that JSON here cannot carry.")
    def too_large(self) -> JSON:
        return JSON(2**70)


@strawberry.type(description="What writing answered.")
class WritePayload:
    problems: list[Problem] = strawberry.field(description="Why nothing was written.")
    thing: Thing | None = strawberry.field(default=None, description="What was written.")


@strawberry.type(description="What can be changed.")
class Mutation:
    @strawberry.mutation(description="Writes a name, or reports the failure that is named.")
    def write(self, name: str) -> WritePayload:
        if name in FAMILIES:
            return WritePayload(problems=[problem_from(failure(name))])
        written.append(name)
        return WritePayload(problems=[], thing=Thing(name=name, body="é" * MAX_ANSWER))


SCHEMA = GuardedSchema(query=Query, mutation=Mutation)


async def context(request: Request) -> dict[str, Request]:
    if request.headers.get("x-fail"):
        raise failure(request.headers["x-fail"])
    return {"request": request}


def sample_app(slow: float = 1.0) -> Starlette:
    """The application as it is served: the view, and GraphiQL's files beside it."""
    view = GraphQLView(SCHEMA, context, graphiql_page, slow=slow)
    return Starlette(routes=[Route("/graphql", view), *graphiql_routes()])

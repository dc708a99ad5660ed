from __future__ import annotations

import pytest

from app.stores.named_blocks import Statement


def test_each_name_becomes_one_number_in_the_order_of_its_first_use() -> None:
    statement = Statement.read("SELECT :tenant, :ids::uuid[], name FROM named WHERE tenant_id = :tenant")
    assert statement.text == "SELECT $1, $2::uuid[], name FROM named WHERE tenant_id = $1"
    assert statement.names == ("tenant", "ids")


def test_values_follow_their_names_whatever_order_they_are_given_in() -> None:
    statement = Statement.read("INSERT INTO thing VALUES (:tenant, :id, :valid_from)")
    assert statement.arguments(valid_from=None, id=7, tenant=1) == (1, 7, None)


@pytest.mark.parametrize(
    ("values", "wrong"),
    [
        ({"tenant": 1}, "id"),
        ({"tenant": 1, "id": 2, "other": 3}, "other"),
        ({"tenant": 1, "ids": 2}, "id, ids"),
        ({}, "id, tenant"),
    ],
)
def test_a_missing_and_an_unknown_value_are_named(values: dict[str, int], wrong: str) -> None:
    with pytest.raises(TypeError, match=f"missing or unknown: {wrong}$"):
        Statement.read("SELECT :tenant, :id").arguments(**values)


@pytest.mark.parametrize("block", ["-- Half.\nSELECT :tenant, $2", "-- None.\nSELECT 1::integer"])
def test_a_block_names_every_parameter_or_is_refused(block: str) -> None:
    with pytest.raises(ValueError, match=r"name every parameter, such as :tenant, in -- (Half|None)\."):
        Statement.read(block)

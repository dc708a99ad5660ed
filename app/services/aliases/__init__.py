"""Aliases, the other names of things: check, create, queue and withdraw them."""

from app.services.aliases.create import AddedAlias, StatedAlias, add_alias
from app.services.aliases.service import AliasAnswer, AliasRequest, AliasService

__all__ = ["AddedAlias", "AliasAnswer", "AliasRequest", "AliasService", "StatedAlias", "add_alias"]

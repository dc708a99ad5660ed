"""Other names of things: what may be one, writing one, and ending one."""

from app.services.aliases.service import AliasAnswer, AliasRequest, AliasService
from app.services.aliases.stating import StatedAlias
from app.services.aliases.writing import AddedAlias, add_alias

__all__ = ["AddedAlias", "AliasAnswer", "AliasRequest", "AliasService", "StatedAlias", "add_alias"]

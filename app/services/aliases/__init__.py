"""Other names of things: what may be one, writing one, and ending one."""

from app.services.aliases.create import AddedAlias, add_alias
from app.services.aliases.input import StatedAlias
from app.services.aliases.service import AliasAnswer, AliasRequest, AliasService

__all__ = ["AddedAlias", "AliasAnswer", "AliasRequest", "AliasService", "StatedAlias", "add_alias"]

"""Other names of things: what may be one, writing one, and ending one."""

from app.services.aliases.writing import AddedAlias, StatedAlias, add_alias

__all__ = ["AddedAlias", "StatedAlias", "add_alias"]

"""Which texts can be the form of an alias."""

from __future__ import annotations

from app.domain.blank import is_blank
from app.domain.surface_form import LONGEST_FORM, SHORTEST_FORM, UNKEEPABLE, fold
from app.errors import Invalid

FIELD = "surfaceForm"


def is_of_fit_length(form: str) -> bool:
    """Tell whether a form is neither too short nor too long, folded or not.

    Folding makes several characters of some.
    """
    lengths = (len(form), len(fold(form)))
    return min(lengths) >= SHORTEST_FORM and max(lengths) <= LONGEST_FORM


def fit_form(given: str) -> str:
    """Answer a form without the white space around it; raises Invalid when it can be no alias."""
    form = given.strip()
    if UNKEEPABLE.search(form):
        raise Invalid("a surface form holds a character that cannot be stored", field=FIELD)
    if not is_of_fit_length(form) or is_blank(form):
        raise Invalid(
            f"a surface form has {SHORTEST_FORM} to {LONGEST_FORM} characters, of which some can be seen",
            field=FIELD,
        )
    return form

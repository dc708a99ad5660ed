"""Which texts can be the form of an alias."""

from __future__ import annotations

import re

from app.domain.blank import is_blank
from app.domain.bounds import MAX_FORM, require_length
from app.domain.surface_form import LONGEST_FORM, SHORTEST_FORM, fold
from app.errors import Invalid

FIELD = "surfaceForm"

_UNSHOWN = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
"""Controls that are no white space, and halves of characters."""


def is_of_fit_length(form: str) -> bool:
    """Tell whether a form is neither too short nor too long, folded or not.

    Folding makes several characters of some.
    """
    if not SHORTEST_FORM <= len(form) <= LONGEST_FORM:
        return False
    return SHORTEST_FORM <= len(fold(form)) <= LONGEST_FORM


def fit_form(given: str) -> str:
    """Answer a form without the white space around it; raises Invalid when it can be no alias."""
    require_length(FIELD, given, MAX_FORM)
    form = given.strip()
    if _UNSHOWN.search(form):
        raise Invalid("a surface form holds a control character, or half of one; leave it out", field=FIELD)
    if not is_of_fit_length(form) or is_blank(form):
        raise Invalid(
            f"a surface form has {SHORTEST_FORM} to {LONGEST_FORM} characters, of which some can be seen",
            field=FIELD,
        )
    return form

"""Translate refusals by the database into errors of Trigraph: one entry per constraint."""

from __future__ import annotations

import asyncpg

from app.errors import Busy, Conflict, Invalid, TrigraphError, Unavailable, Unwritable

_RETRY = "another write came between; read again and retry"

# A rule without words here is kept by a trigger, which says itself what it refuses.
CONSTRAINTS: dict[str, tuple[type[TrigraphError], str | None]] = {
    "a_belief_ends_after_it_starts": (Invalid, "a belief must be retracted after it was recorded"),
    "a_branch_is_committed_or_wip": (Invalid, "a branch is COMMITTED or WIP"),
    "a_candidate_is_reviewed_once": (Conflict, None),
    "a_date_has_a_source": (Invalid, "a date comes from HEADER, FILE_NAME, GIT or FILED"),
    "a_date_is_exact_to": (Invalid, "a date is exact to an INSTANT, DAY, WEEK, MONTH, QUARTER or YEAR"),
    "a_draft_ends_once": (Conflict, "the draft was sealed or discarded already; save another"),
    "a_fact_candidate_is_pending_promoted_or_rejected": (
        Invalid,
        "a status is PENDING, PROMOTED or REJECTED",
    ),
    "a_fact_review_names_who_and_when": (Invalid, "a review names who judged and when"),
    "a_meaning_ends_after_it_starts": (Invalid, "a meaning must end after it was recorded"),
    "a_property_is_immutable_or_mutable": (Invalid, "a property cannot be both immutable and mutable"),
    "a_reference_belief_ends_after_it_starts": (
        Invalid,
        "a reference must be retracted after it was recorded",
    ),
    "a_reference_ends_after_it_starts": (Invalid, "a reference must end after it starts"),
    "a_reference_is_of_the_project_of_its_source": (Invalid, None),
    "a_reference_occurs_at_least_once": (Invalid, "a reference occurs at least once"),
    "a_role_is_reader_agent_human_or_admin": (Invalid, "a role is reader, agent, human or admin"),
    "a_second_clock_confirms_a_leap": (Unwritable, None),
    "a_state_ends_after_it_starts": (Invalid, "a state must end after it starts; give a later end"),
    "a_state_speaks_of_what_its_type_has": (Invalid, None),
    "a_status_word_means_a_flag": (Invalid, "a status word means CURRENT, HISTORICAL or WIP"),
    "a_surface_form_has_two_to_512_characters": (Invalid, "a surface form has 2 to 512 characters"),
    "a_system_type_is_of_every_project": (Invalid, "a type of the zone SYSTEM is one of every project"),
    "a_token_ends_after_it_begins": (Invalid, "a token must expire after it was made"),
    "a_withdrawal_names_what_ends_with_it": (Invalid, None),
    "a_write_moves_the_ledger_clock": (Conflict, None),
    "a_zone_is_system_or_project": (Invalid, "a zone is SYSTEM or PROJECT"),
    "alias_chains_are_acyclic": (Invalid, None),
    "an_absence_belief_ends_after_it_starts": (
        Invalid,
        "an absence must be retracted after it was recorded",
    ),
    "an_absence_ends_after_it_starts": (Invalid, "an absence must end after it starts; give a later end"),
    "an_absence_has_a_source": (Invalid, "an absence is stated by a caller, a folder or a git history"),
    "an_alias_belief_ends_after_it_starts": (Invalid, "an alias must be retracted after it was recorded"),
    "an_alias_candidate_is_pending_promoted_or_rejected": (
        Invalid,
        "a status is PENDING, PROMOTED or REJECTED",
    ),
    "an_alias_ends_after_it_starts": (Invalid, "an alias must end after it starts; give a later end"),
    "an_alias_is_written_by_tier_one_or_two": (Invalid, "an alias of tier 3 waits in the review queue first"),
    "an_alias_review_names_who_and_when": (Invalid, "a review names who judged and when"),
    "an_alias_stays_in_its_project": (Invalid, None),
    "an_entity_is_of_a_type_of_its_project": (Invalid, None),
    "an_event_ends_the_draft_it_names": (Invalid, None),
    "an_event_is_of_the_entity_of_its_state": (Invalid, None),
    "artifact_numbers_are_unique": (Conflict, _RETRY),
    "artifacts_never_change": (Invalid, None),
    "beliefs_are_only_retracted": (Invalid, None),
    "beliefs_are_recorded_when_written": (Conflict, None),
    "chains_move_forward": (Invalid, None),
    "committed_states_tile_time": (Conflict, None),
    "events_never_change": (Invalid, None),
    "every_entity_has_a_state": (Invalid, None),
    "header_fields_have_names": (Invalid, "the header fields of a document are a JSON object"),
    "identity_never_changes": (Invalid, None),
    "immutable_properties_never_change": (Invalid, None),
    "no_project_redefines_a_type_of_all": (Conflict, None),
    "nothing_references_itself": (Invalid, "an entity cannot reference itself; name another target"),
    "one_absence_at_any_instant": (Conflict, "the document is absent at that time already"),
    "one_alias_candidate_per_form_and_entity": (Conflict, "this alias waits in the review queue already"),
    "one_belief_per_instant": (Conflict, "another state covers this time; read the history again and retry"),
    "one_embedding_model_per_ledger": (Conflict, "the ledger has vectors of another model"),
    "one_entity_per_key": (Conflict, "the project has an entity of this identifier already"),
    "one_fact_candidate_per_value_and_artifact": (Conflict, "this fact waits in the review queue already"),
    "one_horizon_per_ledger": (Conflict, "the ledger has one horizon before which changes may be forgotten"),
    "one_meaning_per_form_at_any_instant": (
        Conflict,
        "the form means another entity at that time; withdraw it first",
    ),
    "one_meaning_per_status_word": (Conflict, _RETRY),
    "one_open_committed_state_per_entity": (
        Conflict,
        "the entity has another open state; read it again and retry",
    ),
    "one_open_wip_state_per_entity": (Conflict, "the entity has another draft; read it again and retry"),
    "one_outbox_row_per_change_and_transaction": (Conflict, _RETRY),
    "one_pending_reference_of_a_type": (Conflict, "this reference waits for its target already"),
    "one_reference_of_a_type_between_two": (Conflict, "this reference exists already"),
    "one_root_per_place": (Conflict, _RETRY),
    "one_version_per_entity_and_instant": (
        Conflict,
        "the entity has another version of that date; give a later one",
    ),
    "only_wip_has_a_wip_source": (Invalid, "only a draft has a WIP source"),
    "project_keys_are_unique": (Conflict, "the project exists already"),
    "properties_are_an_object": (Invalid, "properties are an object of names and values"),
    "references_follow_their_rules": (Invalid, None),
    "rows_are_recorded_when_written": (Conflict, None),
    "states_begin_with_their_entity": (Conflict, None),
    "supersession_is_acyclic": (Invalid, None),
    "tenant_keys_are_unique": (Conflict, "the tenant exists already"),
    "the_ledger_alone_writes_its_outbox": (Invalid, None),
    "token_hashes_are_unique": (Conflict, "the token exists already"),
    "transaction_time_moves_forward": (Conflict, None),
    "type_names_are_unique": (Conflict, "a type of this name exists already"),
    "types_only_widen": (Invalid, None),
    "what_never_changes_is_there_from_the_start": (Invalid, None),
}

_FAMILIES: tuple[tuple[type[asyncpg.PostgresError], type[TrigraphError], str], ...] = (
    (asyncpg.TransactionRollbackError, Conflict, _RETRY),
    (asyncpg.LockNotAvailableError, Busy, "other writes keep the ledger busy; retry in 5 s"),
    (
        asyncpg.QueryCanceledError,
        Unavailable,
        "a statement took too long; ask for less or retry",
    ),
    (
        asyncpg.InvalidCachedStatementError,
        Unavailable,
        "the schema of the database changed while it was read; retry",
    ),
    (asyncpg.TooManyConnectionsError, Unavailable, "the database has no connection left; retry later"),
    (asyncpg.OperatorInterventionError, Unavailable, "the database is stopping or starting; retry later"),
    (asyncpg.PostgresConnectionError, Unavailable, "the connection to the database broke; retry"),
    (asyncpg.DiskFullError, Unwritable, "the disk of the database is full; free some space and retry"),
    (asyncpg.InsufficientResourcesError, Unavailable, "the database ran out of memory or another resource"),
    (asyncpg.ReadOnlySQLTransactionError, Unwritable, "the database does not accept writes now; retry later"),
    (asyncpg.ProgramLimitExceededError, Invalid, "a value is larger than the database can hold; shorten it"),
    (asyncpg.StringDataRightTruncationError, Invalid, "a text is longer than its column; shorten it"),
    (
        asyncpg.CharacterNotInRepertoireError,
        Invalid,
        "a text contains a character that cannot be stored",
    ),
    (
        asyncpg.UntranslatableCharacterError,
        Invalid,
        "a text contains a character that cannot be stored",
    ),
)


def translate_error(error: asyncpg.PostgresError) -> TrigraphError | asyncpg.PostgresError:
    """Return the matching error of Trigraph, or the error itself if it indicates a bug."""
    rule = error.constraint_name
    # What is too large for the index of a rule breaks no rule.
    if rule in CONSTRAINTS and not isinstance(error, asyncpg.ProgramLimitExceededError):
        meaning, message = CONSTRAINTS[rule]
        return meaning(message or str(error), rule=rule)
    for cause, meaning, message in _FAMILIES:
        if isinstance(error, cause):
            return meaning(message)
    return error

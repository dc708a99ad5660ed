-- The ledger: who a thing is, what means it, and what was true of it when.
-- Every row leads with its tenant, row level security keeps tenants apart, and the rules of time are
-- constraints whose names are sentences.

CREATE EXTENSION IF NOT EXISTS vector;

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'trigraph_service') THEN
        CREATE ROLE trigraph_service NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE;
    END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
    NULL;  -- another database of this server made it at the same moment
END $$;

DO $$
BEGIN
    EXECUTE format('GRANT trigraph_service TO %I', current_user);
END $$;

GRANT USAGE ON SCHEMA public TO trigraph_service;

-- Exclusion over ranges needs no extension: one value is a range that holds only itself.
CREATE TYPE uuid_range AS RANGE (subtype = uuid);
CREATE TYPE text_range AS RANGE (subtype = text, collation = "C");

CREATE FUNCTION current_tenant() RETURNS integer LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT NULLIF(current_setting('trigraph.tenant', true), '')::integer
$$;

CREATE FUNCTION refuse(rule text, explanation text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION USING
        ERRCODE = 'integrity_constraint_violation', CONSTRAINT = rule, MESSAGE = explanation;
END $$;

-- Tenants, projects and the clock ---------------------------------------------------------------

CREATE TABLE tenant (
    tenant_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT tenant_keys_are_unique UNIQUE (key)
);

-- A write holds its tenant's row until it commits: transaction times are therefore strictly increasing
-- in commit order, and whoever reads the clock sees everything recorded up to it.
CREATE TABLE ledger_clock (
    tenant_id integer PRIMARY KEY REFERENCES tenant,
    recorded_at timestamptz NOT NULL DEFAULT 'epoch'
);

CREATE TABLE project (
    tenant_id integer NOT NULL REFERENCES tenant,
    project_id integer GENERATED ALWAYS AS IDENTITY,
    key text NOT NULL,
    folded_key text NOT NULL,
    name text NOT NULL,
    recorded_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, project_id),
    CONSTRAINT project_keys_are_unique UNIQUE (tenant_id, folded_key)
);

-- Canonical: types and identities ---------------------------------------------------------------

CREATE TABLE type (
    tenant_id integer NOT NULL REFERENCES tenant,
    type_id integer GENERATED ALWAYS AS IDENTITY,
    project_id integer,
    name text NOT NULL,
    folded_name text NOT NULL,
    zone text NOT NULL,
    ptype text,
    is_document boolean NOT NULL,
    immutable_props text[] NOT NULL,
    mutable_props text[] NOT NULL,
    recorded_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, type_id),
    FOREIGN KEY (tenant_id, project_id) REFERENCES project,
    CONSTRAINT type_names_are_unique UNIQUE NULLS NOT DISTINCT (tenant_id, project_id, folded_name),
    CONSTRAINT a_zone_is_system_or_project CHECK (zone IN ('SYSTEM', 'PROJECT')),
    CONSTRAINT a_property_is_immutable_or_mutable CHECK (NOT immutable_props && mutable_props)
);

-- CAN_REFERENCE: which pairs of types a reference of one type may join.
CREATE TABLE reference_rule (
    tenant_id integer NOT NULL REFERENCES tenant,
    source_type integer NOT NULL,
    reference_type text NOT NULL,
    target_type integer NOT NULL,
    PRIMARY KEY (tenant_id, source_type, reference_type, target_type),
    FOREIGN KEY (tenant_id, source_type) REFERENCES type (tenant_id, type_id),
    FOREIGN KEY (tenant_id, target_type) REFERENCES type (tenant_id, type_id)
);

CREATE TABLE entity (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    project_id integer NOT NULL,
    type_id integer NOT NULL,
    key text COLLATE "C",
    bare_key text COLLATE "C",
    created_at timestamptz NOT NULL,
    recorded_at timestamptz NOT NULL,
    source_artifact uuid,
    actor text NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, project_id) REFERENCES project,
    FOREIGN KEY (tenant_id, type_id) REFERENCES type,
    CONSTRAINT one_entity_per_key UNIQUE (tenant_id, project_id, key)
);
CREATE INDEX entity_by_bare_key ON entity (tenant_id, bare_key);
CREATE INDEX entity_by_project ON entity (tenant_id, project_id, created_at, id);

-- Artifacts ---------------------------------------------------------------------------------------

CREATE TABLE artifact (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    number bigint GENERATED ALWAYS AS IDENTITY,
    project_id integer NOT NULL,
    entity uuid NOT NULL,
    type_id integer NOT NULL,
    identifier text,
    title text NOT NULL,
    body text NOT NULL,
    domain text,
    created_at timestamptz NOT NULL,
    recorded_at timestamptz NOT NULL,
    source_uri text,
    source_commit text,
    author text,
    content_hash text NOT NULL,
    term_count integer NOT NULL,
    actor text NOT NULL,
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT artifact_numbers_are_unique UNIQUE (tenant_id, number),
    FOREIGN KEY (tenant_id, project_id) REFERENCES project,
    FOREIGN KEY (tenant_id, type_id) REFERENCES type,
    FOREIGN KEY (tenant_id, entity) REFERENCES entity DEFERRABLE INITIALLY DEFERRED,
    CONSTRAINT one_version_per_entity_and_instant UNIQUE (tenant_id, entity, created_at)
);
CREATE INDEX artifact_by_moment ON artifact (tenant_id, project_id, created_at, number) INCLUDE (recorded_at, term_count);
CREATE INDEX artifact_by_source ON artifact (tenant_id, project_id, md5(source_uri)) WHERE source_uri IS NOT NULL;

ALTER TABLE entity ADD FOREIGN KEY (tenant_id, source_artifact) REFERENCES artifact (tenant_id, id)
    DEFERRABLE INITIALLY DEFERRED;

CREATE TABLE passage (
    tenant_id integer NOT NULL,
    artifact_number bigint NOT NULL,
    ordinal integer NOT NULL,
    heading text,
    text text NOT NULL,
    tokens integer NOT NULL,
    PRIMARY KEY (tenant_id, artifact_number, ordinal),
    FOREIGN KEY (tenant_id, artifact_number) REFERENCES artifact (tenant_id, number)
);

-- Temporal: states and the events between them ------------------------------------------------------

CREATE TABLE entity_state (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    entity uuid NOT NULL,
    branch text NOT NULL,
    valid_from timestamptz NOT NULL,
    valid_until timestamptz,
    recorded_at timestamptz NOT NULL,
    retracted_at timestamptz,
    props jsonb NOT NULL,
    wip_source text,
    source_artifact uuid,
    actor text NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, entity) REFERENCES entity,
    FOREIGN KEY (tenant_id, source_artifact) REFERENCES artifact (tenant_id, id)
        DEFERRABLE INITIALLY DEFERRED,
    CONSTRAINT a_branch_is_committed_or_wip CHECK (branch IN ('COMMITTED', 'WIP')),
    CONSTRAINT only_wip_has_a_wip_source CHECK (branch = 'WIP' OR wip_source IS NULL),
    CONSTRAINT a_state_ends_after_it_starts CHECK (valid_until > valid_from),
    CONSTRAINT a_belief_ends_after_it_starts CHECK (retracted_at > recorded_at),
    CONSTRAINT one_belief_per_instant EXCLUDE USING gist (
        uuid_range(entity, entity, '[]') WITH &&,
        text_range(branch, branch, '[]') WITH &&,
        tstzrange(valid_from, valid_until) WITH &&,
        tstzrange(recorded_at, retracted_at) WITH &&
    )
);
CREATE UNIQUE INDEX one_open_committed_state_per_entity ON entity_state (tenant_id, entity)
    WHERE branch = 'COMMITTED' AND valid_until IS NULL AND retracted_at IS NULL;
CREATE UNIQUE INDEX one_open_wip_state_per_entity ON entity_state (tenant_id, entity)
    WHERE branch = 'WIP' AND valid_until IS NULL AND retracted_at IS NULL;
CREATE INDEX entity_state_by_entity ON entity_state (tenant_id, entity, branch, valid_from);
CREATE INDEX entity_state_by_artifact ON entity_state (tenant_id, source_artifact);

-- The names a state gives its entity, folded once by the program so that both sides compare alike.
CREATE TABLE state_name (
    tenant_id integer NOT NULL,
    state uuid NOT NULL,
    entity uuid NOT NULL,
    property text NOT NULL,
    form text NOT NULL,
    folded_form text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, state, property),
    FOREIGN KEY (tenant_id, state) REFERENCES entity_state
);
CREATE INDEX state_name_by_form ON state_name (tenant_id, folded_form);

CREATE TABLE state_event (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    entity uuid NOT NULL,
    from_state uuid,
    to_state uuid NOT NULL,
    event_type text NOT NULL,
    at timestamptz NOT NULL,
    recorded_at timestamptz NOT NULL,
    cause_artifact uuid,
    cause_commit text,
    description text,
    props_drift boolean,
    actor text NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, from_state) REFERENCES entity_state (tenant_id, id),
    FOREIGN KEY (tenant_id, to_state) REFERENCES entity_state (tenant_id, id),
    FOREIGN KEY (tenant_id, cause_artifact) REFERENCES artifact (tenant_id, id) DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX state_event_by_target ON state_event (tenant_id, to_state);
CREATE INDEX state_event_by_source ON state_event (tenant_id, from_state);

-- Semantic: aliases, references, mentions -------------------------------------------------------------

CREATE TABLE alias (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    project_id integer NOT NULL,
    surface_form text NOT NULL,
    folded_form text COLLATE "C" NOT NULL,
    target uuid NOT NULL,
    source uuid,
    authority_tier integer NOT NULL,
    source_artifact uuid,
    valid_from timestamptz NOT NULL,
    valid_until timestamptz,
    recorded_at timestamptz NOT NULL,
    retracted_at timestamptz,
    actor text NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, project_id) REFERENCES project,
    FOREIGN KEY (tenant_id, target) REFERENCES entity (tenant_id, id),
    FOREIGN KEY (tenant_id, source) REFERENCES entity (tenant_id, id),
    CONSTRAINT an_alias_is_written_by_tier_one_or_two CHECK (authority_tier IN (1, 2)),
    CONSTRAINT a_surface_form_has_two_to_512_characters CHECK (length(surface_form) BETWEEN 2 AND 512),
    CONSTRAINT an_alias_ends_after_it_starts CHECK (valid_until > valid_from),
    CONSTRAINT an_alias_belief_ends_after_it_starts CHECK (retracted_at > recorded_at),
    CONSTRAINT one_meaning_per_form_at_any_instant EXCLUDE USING gist (
        int8range(tenant_id, tenant_id, '[]') WITH &&,
        int8range(project_id, project_id, '[]') WITH &&,
        text_range(folded_form, folded_form, '[]') WITH &&,
        tstzrange(valid_from, valid_until) WITH &&,
        tstzrange(recorded_at, retracted_at) WITH &&
    )
);
CREATE INDEX alias_by_form ON alias (tenant_id, folded_form);
CREATE INDEX alias_by_target ON alias (tenant_id, target);
CREATE INDEX alias_by_source ON alias (tenant_id, source) WHERE source IS NOT NULL;

CREATE TABLE reference (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    project_id integer NOT NULL,
    source uuid NOT NULL,
    target uuid NOT NULL,
    type text NOT NULL,
    occurrences integer NOT NULL,
    source_artifact uuid,
    valid_from timestamptz NOT NULL,
    valid_until timestamptz,
    recorded_at timestamptz NOT NULL,
    retracted_at timestamptz,
    actor text NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, project_id) REFERENCES project,
    FOREIGN KEY (tenant_id, source) REFERENCES entity (tenant_id, id),
    FOREIGN KEY (tenant_id, target) REFERENCES entity (tenant_id, id),
    CONSTRAINT nothing_references_itself CHECK (source <> target),
    CONSTRAINT a_reference_occurs_at_least_once CHECK (occurrences > 0),
    CONSTRAINT a_reference_ends_after_it_starts CHECK (valid_until > valid_from),
    CONSTRAINT a_reference_belief_ends_after_it_starts CHECK (retracted_at > recorded_at),
    CONSTRAINT one_reference_of_a_type_between_two EXCLUDE USING gist (
        uuid_range(source, source, '[]') WITH &&,
        uuid_range(target, target, '[]') WITH &&,
        text_range(type, type, '[]') WITH &&,
        tstzrange(valid_from, valid_until) WITH &&,
        tstzrange(recorded_at, retracted_at) WITH &&
    )
);
CREATE INDEX reference_by_source ON reference (tenant_id, source, type);
CREATE INDEX reference_by_target ON reference (tenant_id, target, type);
CREATE INDEX reference_by_project ON reference (tenant_id, project_id, valid_from, id);

-- A reference whose target is not there yet, or is one of several; joined when exactly one is.
CREATE TABLE pending_reference (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    project_id integer NOT NULL,
    source uuid NOT NULL,
    target_key text COLLATE "C" NOT NULL,
    target_text text NOT NULL,
    type text NOT NULL,
    inverted boolean NOT NULL,
    occurrences integer NOT NULL,
    is_ambiguous boolean NOT NULL,
    source_artifact uuid NOT NULL,
    valid_from timestamptz NOT NULL,
    recorded_at timestamptz NOT NULL,
    closed_at timestamptz,
    actor text NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, project_id) REFERENCES project,
    FOREIGN KEY (tenant_id, source) REFERENCES entity (tenant_id, id)
);
CREATE UNIQUE INDEX one_pending_reference_of_a_type ON pending_reference
    (tenant_id, source, target_key, type, inverted) WHERE closed_at IS NULL;
CREATE INDEX pending_reference_by_target ON pending_reference (tenant_id, project_id, target_key)
    WHERE closed_at IS NULL;

CREATE TABLE mention (
    tenant_id integer NOT NULL,
    artifact uuid NOT NULL,
    entity uuid NOT NULL,
    folded_form text COLLATE "C" NOT NULL,
    surface_form text NOT NULL,
    occurrences integer NOT NULL,
    recorded_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, artifact, entity, folded_form),
    FOREIGN KEY (tenant_id, artifact) REFERENCES artifact (tenant_id, id),
    FOREIGN KEY (tenant_id, entity) REFERENCES entity (tenant_id, id)
);
CREATE INDEX mention_by_entity ON mention (tenant_id, entity);

-- Queues: what extractors noticed and nobody has judged ----------------------------------------------

CREATE TABLE alias_candidate (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    project_id integer NOT NULL,
    surface_form text NOT NULL,
    folded_form text COLLATE "C" NOT NULL,
    entity uuid NOT NULL,
    quote text NOT NULL,
    quote_start integer NOT NULL,
    artifact uuid NOT NULL,
    status text NOT NULL DEFAULT 'PENDING',
    reviewed_by text,
    reviewed_at timestamptz,
    recorded_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, project_id) REFERENCES project,
    FOREIGN KEY (tenant_id, entity) REFERENCES entity,
    FOREIGN KEY (tenant_id, artifact) REFERENCES artifact (tenant_id, id),
    CONSTRAINT an_alias_candidate_is_pending_promoted_or_rejected
        CHECK (status IN ('PENDING', 'PROMOTED', 'REJECTED')),
    CONSTRAINT an_alias_review_names_who_and_when
        CHECK ((status = 'PENDING') = (reviewed_by IS NULL) AND (status = 'PENDING') = (reviewed_at IS NULL)),
    CONSTRAINT one_alias_candidate_per_form_and_entity UNIQUE (tenant_id, project_id, folded_form, entity)
);

CREATE TABLE fact_candidate (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    project_id integer NOT NULL,
    entity uuid NOT NULL,
    property text NOT NULL,
    value jsonb NOT NULL,
    quote text NOT NULL,
    quote_start integer NOT NULL,
    artifact uuid NOT NULL,
    status text NOT NULL DEFAULT 'PENDING',
    reviewed_by text,
    reviewed_at timestamptz,
    recorded_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, project_id) REFERENCES project,
    FOREIGN KEY (tenant_id, entity) REFERENCES entity,
    FOREIGN KEY (tenant_id, artifact) REFERENCES artifact (tenant_id, id),
    CONSTRAINT a_fact_candidate_is_pending_promoted_or_rejected
        CHECK (status IN ('PENDING', 'PROMOTED', 'REJECTED')),
    CONSTRAINT a_fact_review_names_who_and_when
        CHECK ((status = 'PENDING') = (reviewed_by IS NULL) AND (status = 'PENDING') = (reviewed_at IS NULL)),
    CONSTRAINT one_fact_candidate_per_value_and_artifact UNIQUE (tenant_id, artifact, property, value)
);

-- Access and the way out ---------------------------------------------------------------------------------

CREATE TABLE token (
    tenant_id integer NOT NULL REFERENCES tenant,
    id uuid NOT NULL,
    hash text NOT NULL,
    role text NOT NULL,
    principal text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    revoked_at timestamptz,
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT token_hashes_are_unique UNIQUE (hash),
    CONSTRAINT a_role_is_reader_agent_human_or_admin CHECK (role IN ('reader', 'agent', 'human', 'admin'))
);

-- What changed, in one total order over all tenants: positions are taken at commit, under a lock.
CREATE TABLE outbox (
    tenant_id integer NOT NULL,
    position bigint GENERATED ALWAYS AS IDENTITY,
    transaction_id xid8 NOT NULL DEFAULT pg_current_xact_id(),
    kind text NOT NULL,
    row_id uuid NOT NULL,
    PRIMARY KEY (position),
    CONSTRAINT one_outbox_row_per_change_and_transaction UNIQUE (transaction_id, kind, row_id)
);

-- Rules that need more than one row ---------------------------------------------------------------------

CREATE FUNCTION identity_never_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM refuse('identity_never_changes', 'an entity is identity alone; change its state instead');
    RETURN NULL;
END $$;
CREATE TRIGGER identity_never_changes BEFORE UPDATE OR DELETE ON entity
    FOR EACH ROW EXECUTE FUNCTION identity_never_changes();

CREATE FUNCTION artifacts_never_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM refuse('artifacts_never_change', 'an artifact is immutable; file the changed document instead');
    RETURN NULL;
END $$;
CREATE TRIGGER artifacts_never_change BEFORE UPDATE OR DELETE ON artifact
    FOR EACH ROW EXECUTE FUNCTION artifacts_never_change();

CREATE FUNCTION events_never_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM refuse('events_never_change', 'what happened stays; record a correction instead');
    RETURN NULL;
END $$;
CREATE TRIGGER events_never_change BEFORE UPDATE OR DELETE ON state_event
    FOR EACH ROW EXECUTE FUNCTION events_never_change();

-- A belief may only be retracted, once; everything else about it stays as it was recorded.
CREATE FUNCTION beliefs_are_only_retracted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.retracted_at IS NULL AND NEW.retracted_at IS NOT NULL THEN
        OLD.retracted_at := NEW.retracted_at;
        IF NEW IS NOT DISTINCT FROM OLD THEN
            RETURN NEW;
        END IF;
    END IF;
    PERFORM refuse('beliefs_are_only_retracted', 'nothing is overwritten: retract the belief and record another');
    RETURN NULL;
END $$;
CREATE TRIGGER beliefs_are_only_retracted BEFORE UPDATE OR DELETE ON entity_state
    FOR EACH ROW EXECUTE FUNCTION beliefs_are_only_retracted();
CREATE TRIGGER beliefs_are_only_retracted BEFORE UPDATE OR DELETE ON alias
    FOR EACH ROW EXECUTE FUNCTION beliefs_are_only_retracted();
CREATE TRIGGER beliefs_are_only_retracted BEFORE UPDATE OR DELETE ON reference
    FOR EACH ROW EXECUTE FUNCTION beliefs_are_only_retracted();

-- Transaction time is the clock's, never the writer's: no belief can be slipped into the past.
CREATE FUNCTION beliefs_are_recorded_when_written() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    clock timestamptz := (SELECT recorded_at FROM ledger_clock WHERE tenant_id = NEW.tenant_id);
BEGIN
    IF TG_OP = 'INSERT' AND (NEW.recorded_at IS DISTINCT FROM clock OR NEW.retracted_at IS NOT NULL)
        OR TG_OP = 'UPDATE' AND NEW.retracted_at IS DISTINCT FROM clock THEN
        PERFORM refuse('beliefs_are_recorded_when_written', 'transaction time is read from the ledger clock');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER written_when_recorded BEFORE INSERT OR UPDATE ON entity_state
    FOR EACH ROW EXECUTE FUNCTION beliefs_are_recorded_when_written();
CREATE TRIGGER written_when_recorded BEFORE INSERT OR UPDATE ON alias
    FOR EACH ROW EXECUTE FUNCTION beliefs_are_recorded_when_written();
CREATE TRIGGER written_when_recorded BEFORE INSERT OR UPDATE ON reference
    FOR EACH ROW EXECUTE FUNCTION beliefs_are_recorded_when_written();

-- A clock that could be set would let a belief in through the back door.
CREATE FUNCTION transaction_time_moves_forward() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.tenant_id <> OLD.tenant_id OR NEW.recorded_at <= OLD.recorded_at
        OR NEW.recorded_at > greatest(clock_timestamp(), OLD.recorded_at + interval '1 microsecond') THEN
        PERFORM refuse('transaction_time_moves_forward', 'the ledger clock goes forward, and no further than now');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER transaction_time_moves_forward BEFORE UPDATE ON ledger_clock
    FOR EACH ROW EXECUTE FUNCTION transaction_time_moves_forward();

CREATE FUNCTION committed_states_tile_time() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM (
            SELECT valid_until, lead(valid_from) OVER (ORDER BY valid_from) AS next_from
            FROM entity_state
            WHERE tenant_id = NEW.tenant_id AND entity = NEW.entity
                AND branch = 'COMMITTED' AND retracted_at IS NULL
        ) AS believed
        WHERE valid_until IS DISTINCT FROM next_from
    ) THEN
        PERFORM refuse(
            'committed_states_tile_time', 'committed states leave a gap: each must end where the next starts');
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER committed_states_tile_time AFTER INSERT OR UPDATE ON entity_state
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION committed_states_tile_time();

CREATE FUNCTION every_entity_has_a_state() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM entity_state
        WHERE tenant_id = NEW.tenant_id AND retracted_at IS NULL
            AND entity = CASE WHEN TG_TABLE_NAME = 'entity' THEN NEW.id ELSE (to_jsonb(NEW) ->> 'entity')::uuid END
    ) THEN
        PERFORM refuse('every_entity_has_a_state', 'an entity is recorded together with its first state');
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER every_entity_has_a_state AFTER INSERT ON entity
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION every_entity_has_a_state();
CREATE CONSTRAINT TRIGGER every_entity_has_a_state AFTER UPDATE ON entity_state
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION every_entity_has_a_state();

CREATE FUNCTION immutable_properties_never_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed text := (
        SELECT min(property)
        FROM entity
        JOIN type USING (tenant_id, type_id)
        CROSS JOIN unnest(immutable_props) AS property
        JOIN entity_state AS earlier ON earlier.tenant_id = entity.tenant_id AND earlier.entity = entity.id
        WHERE entity.tenant_id = NEW.tenant_id AND entity.id = NEW.entity
            AND earlier.props -> property IS DISTINCT FROM NEW.props -> property
    );
BEGIN
    IF changed IS NOT NULL THEN
        PERFORM refuse('immutable_properties_never_change', format('property %s never changes', changed));
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER immutable_properties_never_change BEFORE INSERT ON entity_state
    FOR EACH ROW EXECUTE FUNCTION immutable_properties_never_change();

-- Each step goes to a later valid time, or corrects the same one with a later belief: no cycle can form.
CREATE FUNCTION chains_move_forward() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM entity_state AS earlier, entity_state AS later
        WHERE earlier.tenant_id = NEW.tenant_id AND earlier.id = NEW.from_state
            AND later.tenant_id = NEW.tenant_id AND later.id = NEW.to_state
            AND ((earlier.valid_from, earlier.recorded_at) >= (later.valid_from, later.recorded_at)
                OR earlier.entity <> later.entity)
    ) THEN
        PERFORM refuse('chains_move_forward', 'an event leads to a later state of the same entity');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER chains_move_forward BEFORE INSERT ON state_event
    FOR EACH ROW EXECUTE FUNCTION chains_move_forward();

CREATE FUNCTION alias_chains_are_acyclic() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        WITH RECURSIVE preferred(entity) AS (
            SELECT NEW.target
            UNION
            SELECT alias.target
            FROM preferred
            JOIN alias ON alias.tenant_id = NEW.tenant_id AND alias.source = preferred.entity
            WHERE alias.retracted_at IS NULL
                AND tstzrange(alias.valid_from, alias.valid_until) && tstzrange(NEW.valid_from, NEW.valid_until)
        )
        SELECT FROM preferred WHERE entity = NEW.source
    ) THEN
        PERFORM refuse('alias_chains_are_acyclic', 'this alias would lead back to itself');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER alias_chains_are_acyclic BEFORE INSERT ON alias
    FOR EACH ROW WHEN (NEW.source IS NOT NULL) EXECUTE FUNCTION alias_chains_are_acyclic();

CREATE FUNCTION supersession_is_acyclic() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        WITH RECURSIVE superseded(entity) AS (
            SELECT NEW.target
            UNION
            SELECT reference.target
            FROM superseded
            JOIN reference ON reference.tenant_id = NEW.tenant_id AND reference.source = superseded.entity
            WHERE reference.type = 'SUPERSEDES' AND reference.retracted_at IS NULL
                AND tstzrange(reference.valid_from, reference.valid_until) && tstzrange(NEW.valid_from, NEW.valid_until)
        )
        SELECT FROM superseded WHERE entity = NEW.source
    ) THEN
        PERFORM refuse('supersession_is_acyclic', 'two documents cannot supersede each other: one must stay current');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER supersession_is_acyclic BEFORE INSERT ON reference
    FOR EACH ROW WHEN (NEW.type = 'SUPERSEDES') EXECUTE FUNCTION supersession_is_acyclic();

CREATE FUNCTION references_follow_their_rules() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM entity AS source
        JOIN entity AS target ON target.tenant_id = source.tenant_id AND target.id = NEW.target
        JOIN reference_rule AS rule ON rule.tenant_id = source.tenant_id AND rule.source_type = source.type_id
            AND rule.target_type = target.type_id AND rule.reference_type = NEW.type
        WHERE source.tenant_id = NEW.tenant_id AND source.id = NEW.source
    ) THEN
        PERFORM refuse('references_follow_their_rules', format('no rule lets these types be joined by %s', NEW.type));
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER references_follow_their_rules BEFORE INSERT ON reference
    FOR EACH ROW EXECUTE FUNCTION references_follow_their_rules();

CREATE FUNCTION a_candidate_is_reviewed_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.status <> 'PENDING' THEN
        PERFORM refuse('a_candidate_is_reviewed_once', 'this candidate was reviewed already');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER a_candidate_is_reviewed_once BEFORE UPDATE ON alias_candidate
    FOR EACH ROW EXECUTE FUNCTION a_candidate_is_reviewed_once();
CREATE TRIGGER a_candidate_is_reviewed_once BEFORE UPDATE ON fact_candidate
    FOR EACH ROW EXECUTE FUNCTION a_candidate_is_reviewed_once();

-- The outbox is written by the ledger itself at commit, so no caller can forget it. Taking positions
-- under one lock that lasts to the end of the commit makes their order the order of commits.
CREATE FUNCTION note_change(tenant integer, kind text, row_id uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('trigraph outbox', 0));
    INSERT INTO outbox (tenant_id, kind, row_id) VALUES (tenant, kind, row_id) ON CONFLICT DO NOTHING;
END $$;

CREATE FUNCTION note_row_in_outbox() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM note_change(NEW.tenant_id, TG_ARGV[0], NEW.id);
    RETURN NULL;
END $$;

CREATE FUNCTION note_mention_in_outbox() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM note_change(NEW.tenant_id, 'mentions', NEW.artifact);
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER note_entity AFTER INSERT ON entity DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION note_row_in_outbox('entity');
CREATE CONSTRAINT TRIGGER note_artifact AFTER INSERT ON artifact DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION note_row_in_outbox('artifact');
CREATE CONSTRAINT TRIGGER note_entity_state AFTER INSERT OR UPDATE ON entity_state DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION note_row_in_outbox('entity_state');
CREATE CONSTRAINT TRIGGER note_state_event AFTER INSERT ON state_event DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION note_row_in_outbox('state_event');
CREATE CONSTRAINT TRIGGER note_alias AFTER INSERT OR UPDATE ON alias DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION note_row_in_outbox('alias');
CREATE CONSTRAINT TRIGGER note_reference AFTER INSERT OR UPDATE ON reference DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION note_row_in_outbox('reference');
CREATE CONSTRAINT TRIGGER note_mention AFTER INSERT ON mention DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION note_mention_in_outbox();

-- Row level security: an ordinary role that a policy binds ------------------------------------------------

CREATE FUNCTION keep_tenants_apart(relation regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', relation);
    EXECUTE format(
        'CREATE POLICY tenants_never_see_each_other ON %s USING (tenant_id = current_tenant())', relation);
END $$;
REVOKE ALL ON FUNCTION keep_tenants_apart(regclass) FROM PUBLIC;

SELECT keep_tenants_apart(relation::regclass)
FROM unnest(ARRAY[
    'tenant', 'ledger_clock', 'project', 'type', 'reference_rule', 'entity', 'artifact', 'passage',
    'entity_state', 'state_name', 'state_event', 'alias', 'reference', 'pending_reference', 'mention',
    'alias_candidate', 'fact_candidate', 'token', 'outbox'
]) AS relation;

GRANT SELECT ON ALL TABLES IN SCHEMA public TO trigraph_service;
GRANT INSERT ON project, type, reference_rule, entity, artifact, passage, entity_state, state_name, state_event,
    alias, reference, pending_reference, mention, alias_candidate, fact_candidate, token, outbox
    TO trigraph_service;
GRANT UPDATE (recorded_at) ON ledger_clock TO trigraph_service;
GRANT UPDATE (retracted_at) ON entity_state, alias, reference TO trigraph_service;
GRANT UPDATE (closed_at) ON pending_reference TO trigraph_service;
GRANT UPDATE (mutable_props) ON type TO trigraph_service;
GRANT UPDATE (status, reviewed_by, reviewed_at) ON alias_candidate, fact_candidate TO trigraph_service;
GRANT UPDATE (revoked_at) ON token TO trigraph_service;

-- The ledger: who a thing is, what means it, what was true of it when, and what recall searches.
-- Every row leads with its tenant, row level security keeps tenants apart, and the rules of time are
-- constraints and triggers whose names are sentences. Whoever writes in plain SQL as the service breaks none of them.
--
-- In this order: the role and the types; the tables by subject; the rules by subject, each a function with its
-- triggers; the packing of postings; the outbox; row level security; the rights of the role.
--
-- A name in a function of the ledger means one thing, whatever the session that calls it has set or made. A temporary
-- relation comes before all others unless the path says otherwise: a temporary view in the place of a table would run
-- with the rights of the owner, and one in the place of the clock would let its maker around the rules of time. So each
-- function sets its path, or has a body that is read once, here, and never looks a name up again.

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

-- Exclusion over ranges needs no extension: one value is a range that holds only itself.
CREATE TYPE uuid_range AS RANGE (subtype = uuid);
CREATE TYPE text_range AS RANGE (subtype = text, collation = "C");

-- Tenants, projects and the clock -----------------------------------------------------------------

CREATE TABLE tenant (
    tenant_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT tenant_keys_are_unique UNIQUE (key)
);

-- A write holds its tenant's row until it commits: transaction times are therefore strictly increasing
-- in commit order, and whoever reads the clock sees everything recorded up to it.
-- A write may record at any time between the clock's before it began (held_from) and the clock's now: nobody has seen
-- the ledger there yet, since the clock's row is held until the write has ended. It may take the times of a millisecond
-- at once, which has passed before anybody else hears of them.
CREATE TABLE ledger_clock (
    tenant_id integer PRIMARY KEY REFERENCES tenant,
    recorded_at timestamptz NOT NULL DEFAULT 'epoch',
    transaction_id xid8 NOT NULL DEFAULT '0',
    held_from timestamptz NOT NULL DEFAULT 'epoch'
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

-- Canonical: types and identities -----------------------------------------------------------------

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
    CONSTRAINT a_system_type_is_of_every_project CHECK (zone <> 'SYSTEM' OR project_id IS NULL),
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
CREATE INDEX artifact_by_moment ON artifact (tenant_id, project_id, created_at, number)
    INCLUDE (recorded_at, term_count);
CREATE INDEX artifact_by_source ON artifact (tenant_id, project_id, md5(source_uri)) WHERE source_uri IS NOT NULL;
CREATE INDEX artifact_by_project ON artifact (tenant_id, project_id, number);

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

-- Temporal: states and the events between them ----------------------------------------------------

-- Two tenants may have one id, and neither hears of the other's. In an exclusion the tenant comes last: all rows of
-- most ledgers have the same, by which an index tells nothing apart.
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
    CONSTRAINT properties_are_an_object CHECK (jsonb_typeof(props) = 'object'),
    CONSTRAINT one_belief_per_instant EXCLUDE USING gist (
        uuid_range(entity, entity, '[]') WITH &&,
        text_range(branch, branch, '[]') WITH &&,
        tstzrange(valid_from, valid_until) WITH &&,
        tstzrange(recorded_at, retracted_at) WITH &&,
        int8range(tenant_id, tenant_id, '[]') WITH &&
    )
);
-- Made behind the exclusion, so that the exclusion speaks first.
CREATE UNIQUE INDEX one_open_committed_state_per_entity ON entity_state (tenant_id, entity)
    WHERE branch = 'COMMITTED' AND valid_until IS NULL AND retracted_at IS NULL;
CREATE UNIQUE INDEX one_open_wip_state_per_entity ON entity_state (tenant_id, entity)
    WHERE branch = 'WIP' AND valid_until IS NULL AND retracted_at IS NULL;
CREATE INDEX entity_state_by_entity ON entity_state (tenant_id, entity, branch, valid_from);
CREATE INDEX entity_state_by_artifact ON entity_state (tenant_id, source_artifact);

-- The names a state gives its entity, folded once by the program so that both sides compare alike. A text looks only
-- at the names whose first word it holds, however many its project has; it is taken to hold the empty word. The names
-- of documents have no first word, since a text points at a document by reference.
CREATE TABLE state_name (
    tenant_id integer NOT NULL,
    state uuid NOT NULL,
    entity uuid NOT NULL,
    property text NOT NULL,
    form text NOT NULL,
    folded_form text COLLATE "C" NOT NULL,
    first_word text COLLATE "C",
    PRIMARY KEY (tenant_id, state, property),
    FOREIGN KEY (tenant_id, state) REFERENCES entity_state
);
CREATE INDEX state_name_by_form ON state_name (tenant_id, folded_form);
CREATE INDEX state_name_by_first_word ON state_name (tenant_id, first_word) WHERE first_word IS NOT NULL;

-- Of which properties does a change speak, and which draft did it end? A change dated back holds on until a
-- state that something was said of; and the ledger itself lets a draft be sealed or discarded once.
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
    properties text[] NOT NULL DEFAULT '{}',
    draft uuid,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, from_state) REFERENCES entity_state (tenant_id, id),
    FOREIGN KEY (tenant_id, to_state) REFERENCES entity_state (tenant_id, id),
    FOREIGN KEY (tenant_id, cause_artifact) REFERENCES artifact (tenant_id, id) DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (tenant_id, draft) REFERENCES entity_state (tenant_id, id),
    CONSTRAINT a_draft_ends_once UNIQUE (tenant_id, draft)
);
CREATE INDEX state_event_by_target ON state_event (tenant_id, to_state);
CREATE INDEX state_event_by_source ON state_event (tenant_id, from_state);
-- Who said what of an entity is asked whenever something supersedes it or speaks of it again: without an index each
-- such question reads the events of every entity there is.
CREATE INDEX state_event_by_entity ON state_event (tenant_id, entity);

-- Semantic: aliases, references, mentions ---------------------------------------------------------

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
    first_word text COLLATE "C" NOT NULL DEFAULT '',
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
CREATE INDEX alias_by_first_word ON alias (tenant_id, project_id, first_word) WHERE retracted_at IS NULL;

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
        tstzrange(recorded_at, retracted_at) WITH &&,
        int8range(tenant_id, tenant_id, '[]') WITH &&
    )
);
-- Of a thing that half a large ledger speaks of a question takes a hundred references a way and a hundred mentions. An
-- index that has them in the order in which they are taken reads no more than those.
CREATE INDEX reference_by_source ON reference (tenant_id, source, type, occurrences DESC, target);
CREATE INDEX reference_by_target ON reference (tenant_id, target, type, occurrences DESC, source);
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
CREATE INDEX mention_by_entity ON mention (tenant_id, entity, artifact);

-- Why does a form or a reference no longer hold? Who withdraws one may say; the row that ended cannot, since what
-- was believed never changes. A withdrawal is found by what was withdrawn and by what is believed instead.
CREATE TABLE withdrawal (
    tenant_id integer NOT NULL REFERENCES tenant,
    withdrawn uuid NOT NULL,
    ended uuid,
    reason text,
    recorded_at timestamptz NOT NULL,
    actor text NOT NULL,
    PRIMARY KEY (tenant_id, withdrawn)
);
CREATE INDEX withdrawal_by_end ON withdrawal (tenant_id, ended);

-- Queues: what extractors noticed and nobody has judged -------------------------------------------

-- They are read from their oldest candidate on, and a review says why.
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
    review_reason text,
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
CREATE INDEX alias_candidate_by_status ON alias_candidate (tenant_id, project_id, status, recorded_at, id);

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
    review_reason text,
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
CREATE INDEX fact_candidate_by_status ON fact_candidate (tenant_id, project_id, status, recorded_at, id);

-- Search: postings with their statistics, and embeddings of passages ------------------------------

-- One row per term and artifact. Derived from the artifact in the transaction that files it, never edited
-- apart from it; a foreign key would cost more than the row.
CREATE TABLE posting (
    tenant_id integer NOT NULL,
    term text COLLATE "C" NOT NULL,
    project_id integer NOT NULL,
    artifact_number bigint NOT NULL,
    frequency integer NOT NULL,
    term_count integer NOT NULL,
    PRIMARY KEY (tenant_id, term, project_id, artifact_number) INCLUDE (frequency, term_count)
);

CREATE TABLE term_statistics (
    tenant_id integer NOT NULL,
    term text COLLATE "C" NOT NULL,
    project_id integer NOT NULL,
    documents bigint NOT NULL,
    PRIMARY KEY (tenant_id, term, project_id)
);

-- Counts of one project; the two latest moments tell whether a question can see all of it.
CREATE TABLE scope_statistics (
    tenant_id integer NOT NULL,
    project_id integer NOT NULL,
    documents bigint NOT NULL,
    total_terms bigint NOT NULL,
    latest_created_at timestamptz NOT NULL,
    latest_recorded_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, project_id),
    FOREIGN KEY (tenant_id, project_id) REFERENCES project
);

-- Postings in blocks of 240: a question of common words then reads 100,000 documents in a few hundred rows. The
-- ledger itself writes a block when a term's count in a project reaches 240, 480 and so on, so no caller can forget
-- it, and never touches it again. What no block holds yet is read as rows: those after the last block's last number,
-- since a write holds its tenant's clock and numbers therefore commit in their order.
-- A posting is packed as the lower 32 bits of its artifact's number, its frequency and its document's count of terms,
-- each big-endian.
CREATE TABLE posting_block (
    tenant_id integer NOT NULL,
    term text COLLATE "C" NOT NULL,
    project_id integer NOT NULL,
    last_number bigint NOT NULL,
    packed bytea STORAGE PLAIN NOT NULL,
    PRIMARY KEY (tenant_id, term, project_id, last_number)
);

-- The same of documents, for a question that does not see, or does not want, all of them: one column after the other,
-- so that it reads what it needs. Times are in microseconds; a domain is its place among the block's names, from 1, or
-- 0.
CREATE TABLE document_block (
    tenant_id integer NOT NULL,
    project_id integer NOT NULL,
    last_number bigint NOT NULL,
    total_terms bigint NOT NULL,
    latest_created_at timestamptz NOT NULL,
    latest_recorded_at timestamptz NOT NULL,
    numbers bytea STORAGE PLAIN NOT NULL,
    created_at bytea STORAGE PLAIN NOT NULL,
    recorded_at bytea STORAGE PLAIN NOT NULL,
    term_counts bytea STORAGE PLAIN NOT NULL,
    types bytea STORAGE PLAIN NOT NULL,
    domains bytea STORAGE PLAIN NOT NULL,
    domain_names text[] NOT NULL,
    PRIMARY KEY (tenant_id, project_id, last_number)
);

-- The model every vector of this ledger was made with; vectors of two models never meet.
CREATE TABLE embedding_model (
    is_the_model boolean PRIMARY KEY DEFAULT true,
    name text NOT NULL,
    fingerprint text NOT NULL,
    dimensions integer NOT NULL,
    CONSTRAINT one_embedding_model_per_ledger CHECK (is_the_model)
);

-- Times are repeated here so that a search in the past filters before its limit without a join.
CREATE TABLE embedding (
    tenant_id integer NOT NULL,
    project_id integer NOT NULL,
    artifact_number bigint NOT NULL,
    ordinal integer NOT NULL,
    created_at timestamptz NOT NULL,
    recorded_at timestamptz NOT NULL,
    vector halfvec STORAGE PLAIN NOT NULL,
    PRIMARY KEY (tenant_id, project_id, artifact_number, ordinal),
    FOREIGN KEY (tenant_id, artifact_number, ordinal) REFERENCES passage
);

-- Access, repeated requests and the way out -------------------------------------------------------

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

-- What was answered to a request that carried a key, so that sending it again writes nothing twice.
CREATE TABLE idempotent_answer (
    tenant_id integer NOT NULL REFERENCES tenant,
    actor text NOT NULL,
    operation text NOT NULL,
    key text COLLATE "C" NOT NULL,
    fingerprint text NOT NULL,
    answer jsonb NOT NULL,
    recorded_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, actor, operation, key)
);

-- What changed, in one total order over all tenants: positions are taken at commit, under a lock. It is noted for
-- whoever copies the graph, and need not be kept for good: a copy that is further behind than what is noted is filled
-- anew from the rows themselves.
CREATE TABLE outbox (
    tenant_id integer NOT NULL,
    position bigint GENERATED ALWAYS AS IDENTITY,
    transaction_id xid8 NOT NULL DEFAULT pg_current_xact_id(),
    kind text NOT NULL,
    row_id uuid NOT NULL,
    noted_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (position),
    CONSTRAINT one_outbox_row_per_change_and_transaction UNIQUE (transaction_id, kind, row_id)
);
-- Whoever reads a copy of the graph has to know how far the ledger of its tenant has come.
CREATE INDEX outbox_by_tenant ON outbox (tenant_id, position);

-- Up to this position of all tenants changes may be gone.
CREATE TABLE outbox_horizon (
    is_the_horizon boolean PRIMARY KEY DEFAULT true,
    position bigint NOT NULL,
    CONSTRAINT one_horizon_per_ledger CHECK (is_the_horizon)
);
INSERT INTO outbox_horizon (position) VALUES (0);

-- What every rule uses ----------------------------------------------------------------------------

-- A path of its own would keep this from being planned as a part of the statement that calls it.
CREATE FUNCTION current_tenant() RETURNS integer LANGUAGE sql STABLE PARALLEL SAFE
RETURN NULLIF(pg_catalog.current_setting('trigraph.tenant', true), '')::integer;

CREATE FUNCTION refuse(rule text, explanation text) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RAISE EXCEPTION USING
        ERRCODE = 'integrity_constraint_violation', CONSTRAINT = rule, MESSAGE = explanation;
END $$;

-- Rules of the clock ------------------------------------------------------------------------------

-- A clock that could be set would let a belief in through the back door.
-- What is recorded under a clock that is far ahead stays there: every later write follows it. One clock cannot tell
-- whether the ledger rested or the clock is wrong. So a writer that moves the ledger clock by more than a day since the
-- last write says what its own clock reads, and the two may differ by a day.
CREATE FUNCTION transaction_time_moves_forward() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    writer timestamptz;
BEGIN
    IF NEW.tenant_id <> OLD.tenant_id OR NEW.recorded_at <= OLD.recorded_at
        OR NEW.recorded_at > greatest(clock_timestamp(), OLD.recorded_at) + interval '1 millisecond' THEN
        PERFORM refuse('transaction_time_moves_forward', 'the ledger clock goes forward, and no further than now');
    END IF;
    IF NEW.recorded_at > OLD.recorded_at + interval '24 hours' THEN
        writer := nullif(current_setting('trigraph.writer_clock', true), '');
        IF writer IS NULL AND OLD.recorded_at > 'epoch' THEN
            PERFORM refuse('a_second_clock_confirms_a_leap', format(
                'the last write was %s days ago: say what the clock of the writer reads, with'
                ' set_config(''trigraph.writer_clock'', the time, true)',
                extract(epoch FROM NEW.recorded_at - OLD.recorded_at)::bigint / 86400));
        ELSIF NEW.recorded_at > writer + interval '24 hours' THEN
            PERFORM refuse('a_second_clock_confirms_a_leap', format(
                'the clock of the database reads %s and that of the writer %s, %s days earlier; what is recorded cannot'
                ' be set back, so nothing was written: set right whichever is wrong, and start trigraph again',
                to_char(NEW.recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
                to_char(writer AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
                extract(epoch FROM NEW.recorded_at - writer)::bigint / 86400));
        END IF;
    END IF;
    NEW.held_from := CASE WHEN OLD.transaction_id = pg_current_xact_id() THEN OLD.held_from ELSE OLD.recorded_at END;
    NEW.transaction_id := pg_current_xact_id();
    RETURN NEW;
END $$;
CREATE TRIGGER transaction_time_moves_forward BEFORE UPDATE ON ledger_clock
    FOR EACH ROW EXECUTE FUNCTION transaction_time_moves_forward();

-- Transaction time is the clock's, never the writer's: no belief can be slipped into the past.
-- A belief recorded at the clock's time is only then none of the past when the clock was moved for it, and rules
-- that look at other rows hold only while nobody else writes. Both follow from one demand: a write moves its
-- tenant's clock first, which keeps every other writer of the tenant waiting until it has ended.
CREATE FUNCTION beliefs_are_recorded_when_written() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    clock ledger_clock%ROWTYPE;
    written timestamptz := CASE WHEN TG_OP = 'INSERT' THEN NEW.recorded_at ELSE NEW.retracted_at END;
BEGIN
    SELECT * INTO clock FROM ledger_clock WHERE tenant_id = NEW.tenant_id;
    IF written > clock.held_from AND written <= clock.recorded_at
        AND (TG_OP = 'UPDATE' OR NEW.retracted_at IS NULL) THEN
        IF clock.transaction_id <> pg_current_xact_id() THEN
            PERFORM refuse('a_write_moves_the_ledger_clock', 'a write moves the clock of its tenant before it records');
        END IF;
        RETURN NEW;
    END IF;
    PERFORM refuse('beliefs_are_recorded_when_written', 'transaction time is read from the ledger clock');
    RETURN NULL;
END $$;
CREATE TRIGGER written_when_recorded BEFORE INSERT OR UPDATE ON entity_state
    FOR EACH ROW EXECUTE FUNCTION beliefs_are_recorded_when_written();
CREATE TRIGGER written_when_recorded BEFORE INSERT OR UPDATE ON alias
    FOR EACH ROW EXECUTE FUNCTION beliefs_are_recorded_when_written();
CREATE TRIGGER written_when_recorded BEFORE INSERT OR UPDATE ON reference
    FOR EACH ROW EXECUTE FUNCTION beliefs_are_recorded_when_written();

-- What waits and what was withdrawn is told as of a moment too.
CREATE FUNCTION rows_are_recorded_when_written() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    is_at_the_clock boolean := (
        SELECT coalesce(written.recorded_at > clock.held_from AND written.recorded_at <= clock.recorded_at, false)
        FROM written LEFT JOIN ledger_clock AS clock ON clock.tenant_id = written.tenant_id
        WHERE clock.recorded_at IS NULL OR written.recorded_at <= clock.held_from
            OR written.recorded_at > clock.recorded_at OR clock.transaction_id <> pg_current_xact_id()
        LIMIT 1
    );
BEGIN
    IF is_at_the_clock THEN
        PERFORM refuse('a_write_moves_the_ledger_clock', 'a write moves the clock of its tenant before it records');
    ELSIF NOT is_at_the_clock THEN
        PERFORM refuse('rows_are_recorded_when_written', 'transaction time is read from the ledger clock');
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER written_when_recorded AFTER INSERT ON entity
    REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION rows_are_recorded_when_written();
CREATE TRIGGER written_when_recorded AFTER INSERT ON artifact
    REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION rows_are_recorded_when_written();
CREATE TRIGGER written_when_recorded AFTER INSERT ON state_event
    REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION rows_are_recorded_when_written();
CREATE TRIGGER written_when_recorded AFTER INSERT ON mention
    REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION rows_are_recorded_when_written();
CREATE TRIGGER written_when_recorded AFTER INSERT ON pending_reference
    REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION rows_are_recorded_when_written();
CREATE TRIGGER written_when_recorded AFTER INSERT ON alias_candidate
    REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION rows_are_recorded_when_written();
CREATE TRIGGER written_when_recorded AFTER INSERT ON fact_candidate
    REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION rows_are_recorded_when_written();
CREATE TRIGGER written_when_recorded AFTER INSERT ON withdrawal
    REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION rows_are_recorded_when_written();

-- A belief may only be retracted, once; everything else about it stays as it was recorded.
CREATE FUNCTION beliefs_are_only_retracted() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
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

-- Rules of types and identities -------------------------------------------------------------------

CREATE FUNCTION no_project_redefines_a_type_of_all() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF EXISTS (
        SELECT FROM type
        WHERE tenant_id = NEW.tenant_id AND project_id IS NULL AND folded_name = NEW.folded_name
    ) THEN
        PERFORM refuse('no_project_redefines_a_type_of_all', 'every project has a type of this name already');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER no_project_redefines_a_type_of_all BEFORE INSERT ON type
    FOR EACH ROW WHEN (NEW.project_id IS NOT NULL) EXECUTE FUNCTION no_project_redefines_a_type_of_all();

CREATE FUNCTION types_only_widen() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND NEW.mutable_props @> OLD.mutable_props THEN
        OLD.mutable_props := NEW.mutable_props;
        IF NEW IS NOT DISTINCT FROM OLD THEN
            RETURN NEW;
        END IF;
    END IF;
    PERFORM refuse('types_only_widen', 'a type may carry more mutable properties, and changes in nothing else');
    RETURN NULL;
END $$;
CREATE TRIGGER types_only_widen BEFORE UPDATE OR DELETE ON type
    FOR EACH ROW EXECUTE FUNCTION types_only_widen();

CREATE FUNCTION identity_never_changes() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM refuse('identity_never_changes', 'an entity is identity alone; change its state instead');
    RETURN NULL;
END $$;
CREATE TRIGGER identity_never_changes BEFORE UPDATE OR DELETE ON entity
    FOR EACH ROW EXECUTE FUNCTION identity_never_changes();

CREATE FUNCTION an_entity_is_of_a_type_of_its_project() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF EXISTS (
        SELECT FROM type
        WHERE tenant_id = NEW.tenant_id AND type_id = NEW.type_id AND project_id <> NEW.project_id
    ) THEN
        PERFORM refuse('an_entity_is_of_a_type_of_its_project', 'another project defined the type of this entity');
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER an_entity_is_of_a_type_of_its_project AFTER INSERT ON entity
    FOR EACH ROW EXECUTE FUNCTION an_entity_is_of_a_type_of_its_project();

-- A draft is no state an entity could be in.
CREATE FUNCTION every_entity_has_a_state() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM entity_state
        WHERE tenant_id = NEW.tenant_id AND branch = 'COMMITTED' AND retracted_at IS NULL
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

CREATE FUNCTION artifacts_never_change() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM refuse('artifacts_never_change', 'an artifact is immutable; file the changed document instead');
    RETURN NULL;
END $$;
CREATE TRIGGER artifacts_never_change BEFORE UPDATE OR DELETE ON artifact
    FOR EACH ROW EXECUTE FUNCTION artifacts_never_change();

-- Rules of states and events ----------------------------------------------------------------------

-- States may reach back before the moment from which the entity was first known, but leave no gap after it.
CREATE FUNCTION committed_states_tile_time() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    has_gap boolean;
    first_from timestamptz;
BEGIN
    SELECT bool_or(valid_until IS DISTINCT FROM next_from), min(valid_from) INTO has_gap, first_from
    FROM (
        SELECT valid_from, valid_until, lead(valid_from) OVER (ORDER BY valid_from) AS next_from
        FROM entity_state
        WHERE tenant_id = NEW.tenant_id AND entity = NEW.entity
            AND branch = 'COMMITTED' AND retracted_at IS NULL
    ) AS believed;
    IF has_gap THEN
        PERFORM refuse(
            'committed_states_tile_time', 'committed states leave a gap: each must end where the next starts');
    END IF;
    IF first_from > (SELECT created_at FROM entity WHERE tenant_id = NEW.tenant_id AND id = NEW.entity) THEN
        PERFORM refuse(
            'states_begin_with_their_entity', 'the first state of an entity starts no later than the entity does');
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER committed_states_tile_time AFTER INSERT OR UPDATE ON entity_state
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION committed_states_tile_time();

CREATE FUNCTION immutable_properties_never_change() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
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

-- Types only widen, so that what was fit once stays so.
CREATE FUNCTION a_state_speaks_of_what_its_type_has() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    other text;
    missing text;
BEGIN
    SELECT min(unknown.property), min(needed.property) INTO other, missing
    FROM written
    JOIN entity ON entity.tenant_id = written.tenant_id AND entity.id = written.entity
    JOIN type ON type.tenant_id = entity.tenant_id AND type.type_id = entity.type_id
    LEFT JOIN LATERAL (
        SELECT property FROM jsonb_object_keys(props) AS property
        WHERE property <> ALL (immutable_props || mutable_props)
        LIMIT 1
    ) AS unknown ON true
    LEFT JOIN LATERAL (
        SELECT property FROM unnest(immutable_props) AS property
        WHERE NOT is_document AND NOT props ? property
        LIMIT 1
    ) AS needed ON true;
    IF other IS NOT NULL THEN
        PERFORM refuse('a_state_speaks_of_what_its_type_has', format('its type has no property %s', other));
    ELSIF missing IS NOT NULL THEN
        PERFORM refuse(
            'what_never_changes_is_there_from_the_start', format('property %s never changes, so it is needed', missing));
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER a_state_speaks_of_what_its_type_has AFTER INSERT ON entity_state
    REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION a_state_speaks_of_what_its_type_has();

CREATE FUNCTION events_never_change() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM refuse('events_never_change', 'what happened stays; record a correction instead');
    RETURN NULL;
END $$;
CREATE TRIGGER events_never_change BEFORE UPDATE OR DELETE ON state_event
    FOR EACH ROW EXECUTE FUNCTION events_never_change();

-- Each step goes to a later valid time, or corrects the same one with a later belief: no cycle can form.
CREATE FUNCTION chains_move_forward() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
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

CREATE FUNCTION an_event_is_of_the_entity_of_its_state() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF EXISTS (
        SELECT FROM entity_state
        WHERE tenant_id = NEW.tenant_id AND id = NEW.to_state AND entity <> NEW.entity
    ) THEN
        PERFORM refuse('an_event_is_of_the_entity_of_its_state', 'an event leads to a state of its own entity');
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER an_event_is_of_the_entity_of_its_state AFTER INSERT ON state_event
    FOR EACH ROW EXECUTE FUNCTION an_event_is_of_the_entity_of_its_state();

-- An event that named a draft and left it open would keep everybody from ever sealing it.
CREATE FUNCTION an_event_ends_the_draft_it_names() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM entity_state
        WHERE tenant_id = NEW.tenant_id AND id = NEW.draft AND entity = NEW.entity
            AND branch = 'WIP' AND valid_until IS NULL AND retracted_at >= NEW.recorded_at
    ) THEN
        PERFORM refuse('an_event_ends_the_draft_it_names', 'an event names the draft of its entity that ends with it');
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER an_event_ends_the_draft_it_names AFTER INSERT ON state_event
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.draft IS NOT NULL)
    EXECUTE FUNCTION an_event_ends_the_draft_it_names();

-- Rules of aliases, references and reviews --------------------------------------------------------

CREATE FUNCTION alias_chains_are_acyclic() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
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

CREATE FUNCTION an_alias_stays_in_its_project() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF EXISTS (
        SELECT FROM entity
        WHERE tenant_id = NEW.tenant_id AND id IN (NEW.target, NEW.source) AND project_id <> NEW.project_id
    ) THEN
        PERFORM refuse('an_alias_stays_in_its_project', 'an alias holds in the project of what it means');
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER an_alias_stays_in_its_project AFTER INSERT ON alias
    FOR EACH ROW EXECUTE FUNCTION an_alias_stays_in_its_project();

CREATE FUNCTION supersession_is_acyclic() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
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

-- The target of a reference may lie in another project.
CREATE FUNCTION references_follow_their_rules() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    is_in_its_project boolean := (
        SELECT source.project_id = NEW.project_id
        FROM entity AS source
        JOIN entity AS target ON target.tenant_id = source.tenant_id AND target.id = NEW.target
        JOIN reference_rule AS rule ON rule.tenant_id = source.tenant_id AND rule.source_type = source.type_id
            AND rule.target_type = target.type_id AND rule.reference_type = NEW.type
        WHERE source.tenant_id = NEW.tenant_id AND source.id = NEW.source
    );
BEGIN
    IF is_in_its_project IS NULL THEN
        PERFORM refuse('references_follow_their_rules', format('no rule lets these types be joined by %s', NEW.type));
    ELSIF NOT is_in_its_project THEN
        PERFORM refuse(
            'a_reference_is_of_the_project_of_its_source', 'a reference belongs to the project of what refers');
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER references_follow_their_rules BEFORE INSERT ON reference
    FOR EACH ROW EXECUTE FUNCTION references_follow_their_rules();

CREATE FUNCTION a_withdrawal_names_what_ends_with_it() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM alias
        WHERE tenant_id = NEW.tenant_id AND id = NEW.withdrawn AND retracted_at = NEW.recorded_at
        UNION ALL
        SELECT FROM reference
        WHERE tenant_id = NEW.tenant_id AND id = NEW.withdrawn AND retracted_at = NEW.recorded_at
    ) THEN
        PERFORM refuse('a_withdrawal_names_what_ends_with_it', 'a withdrawal is of an alias or a reference that ends');
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER a_withdrawal_names_what_ends_with_it AFTER INSERT ON withdrawal
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION a_withdrawal_names_what_ends_with_it();

CREATE FUNCTION a_candidate_is_reviewed_once() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
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

-- The packing of postings and documents -----------------------------------------------------------

-- The parameters of the next two have names because a dump of such a body cannot be read back without.

-- The first at_most postings of a term in a project that no block holds, packed; all of them when at_most is null.
CREATE FUNCTION fresh_postings(of_tenant integer, of_term text, of_project integer, at_most bigint)
RETURNS TABLE (last_number bigint, packed bytea) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT
        max(artifact_number),
        string_agg(
            substring(int8send(artifact_number) FROM 5) || int4send(frequency) || int4send(term_count),
            '' ORDER BY artifact_number
        )
    FROM (
        SELECT artifact_number, frequency, term_count
        FROM public.posting
        WHERE tenant_id = of_tenant AND term = of_term AND project_id = of_project
            AND artifact_number > (
                SELECT coalesce(max(block.last_number), 0)
                FROM public.posting_block AS block
                WHERE block.tenant_id = of_tenant AND block.term = of_term AND block.project_id = of_project
            )
        ORDER BY artifact_number
        LIMIT at_most
    ) AS fresh
    HAVING count(*) > 0;
END;

-- The first at_most documents of a project that no block holds, packed; all of them when at_most is null.
CREATE FUNCTION fresh_documents(of_tenant integer, of_project integer, at_most bigint)
RETURNS TABLE (
    last_number bigint, total_terms bigint, latest_created_at timestamptz, latest_recorded_at timestamptz,
    numbers bytea, created_at bytea, recorded_at bytea, term_counts bytea, types bytea, domains bytea,
    domain_names text[]
) LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH document AS MATERIALIZED (
        SELECT number, created_at, recorded_at, term_count, type_id, domain
        FROM public.artifact
        WHERE tenant_id = of_tenant AND project_id = of_project
            AND number > (
                SELECT coalesce(max(block.last_number), 0)
                FROM public.document_block AS block
                WHERE block.tenant_id = of_tenant AND block.project_id = of_project
            )
        ORDER BY number
        LIMIT at_most
    ),
    named AS MATERIALIZED (
        SELECT coalesce(array_agg(DISTINCT domain) FILTER (WHERE domain IS NOT NULL), '{}') AS names FROM document
    )
    SELECT
        max(number),
        sum(term_count),
        max(created_at),
        max(recorded_at),
        string_agg(substring(int8send(number) FROM 5), '' ORDER BY number),
        string_agg(timestamptz_send(created_at), '' ORDER BY number),
        string_agg(timestamptz_send(recorded_at), '' ORDER BY number),
        string_agg(int4send(term_count), '' ORDER BY number),
        string_agg(int4send(type_id), '' ORDER BY number),
        string_agg(substring(int4send(coalesce(array_position(names, domain), 0)) FROM 4), '' ORDER BY number),
        names
    FROM document CROSS JOIN named
    GROUP BY names;
END;

CREATE FUNCTION pack_postings(integer, text, integer) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    INSERT INTO posting_block
    SELECT $1, $2, $3, full_block.*
    FROM fresh_postings($1, $2, $3, 240) AS full_block
    WHERE octet_length(packed) = 240 * 12;
END $$;

CREATE FUNCTION pack_documents(integer, integer) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    INSERT INTO document_block
    SELECT $1, $2, full_block.*
    FROM fresh_documents($1, $2, 240) AS full_block
    WHERE octet_length(numbers) = 240 * 4;
END $$;

-- A count that many documents move at once may pass 240 without ever being a multiple of it.
CREATE FUNCTION pack_postings_of_term() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    FOR block IN coalesce(OLD.documents, 0) / 240 + 1 .. NEW.documents / 240 LOOP
        PERFORM pack_postings(NEW.tenant_id, NEW.term, NEW.project_id);
    END LOOP;
    RETURN NULL;
END $$;
CREATE TRIGGER pack_postings AFTER UPDATE OF documents ON term_statistics
    FOR EACH ROW WHEN (NEW.documents / 240 > OLD.documents / 240) EXECUTE FUNCTION pack_postings_of_term();
CREATE TRIGGER pack_first_postings AFTER INSERT ON term_statistics
    FOR EACH ROW WHEN (NEW.documents >= 240) EXECUTE FUNCTION pack_postings_of_term();

CREATE FUNCTION pack_documents_of_project() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    FOR block IN coalesce(OLD.documents, 0) / 240 + 1 .. NEW.documents / 240 LOOP
        PERFORM pack_documents(NEW.tenant_id, NEW.project_id);
    END LOOP;
    RETURN NULL;
END $$;
CREATE TRIGGER pack_documents AFTER UPDATE OF documents ON scope_statistics
    FOR EACH ROW WHEN (NEW.documents / 240 > OLD.documents / 240) EXECUTE FUNCTION pack_documents_of_project();
CREATE TRIGGER pack_first_documents AFTER INSERT ON scope_statistics
    FOR EACH ROW WHEN (NEW.documents >= 240) EXECUTE FUNCTION pack_documents_of_project();

-- The outbox --------------------------------------------------------------------------------------

-- It is written by the ledger itself at commit, so no caller can forget it. Taking positions
-- under one lock that lasts to the end of the commit makes their order the order of commits.
-- Whoever copies the graph hears of every change at once.
CREATE FUNCTION note_change(tenant integer, kind text, row_id uuid) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('trigraph outbox', 0));
    INSERT INTO outbox (tenant_id, kind, row_id) VALUES (tenant, kind, row_id) ON CONFLICT DO NOTHING;
    PERFORM pg_notify('trigraph_outbox', '');
END $$;

CREATE FUNCTION note_row_in_outbox() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM note_change(NEW.tenant_id, TG_ARGV[0], NEW.id);
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

CREATE FUNCTION note_mention_in_outbox() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM note_change(NEW.tenant_id, 'mentions', NEW.artifact);
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER note_mention AFTER INSERT ON mention DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION note_mention_in_outbox();

-- The outbox tells rows by an id, and a type has a number: its id there is zeros and that number in hexadecimal.
CREATE FUNCTION note_type_in_outbox() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM note_change(NEW.tenant_id, 'type', lpad(to_hex(NEW.type_id), 32, '0')::uuid);
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER note_type AFTER INSERT OR UPDATE ON type DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION note_type_in_outbox();

-- A rule is told with the type it begins at.
CREATE FUNCTION note_rule_in_outbox() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM note_change(NEW.tenant_id, 'type', lpad(to_hex(NEW.source_type), 32, '0')::uuid);
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER note_rule AFTER INSERT ON reference_rule DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION note_rule_in_outbox();

-- What the ledger writes itself, it writes inside the trigger of what changed.
CREATE FUNCTION the_ledger_alone_writes_its_outbox() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM refuse('the_ledger_alone_writes_its_outbox', 'what changes tells the outbox itself; write nothing there');
    RETURN NULL;
END $$;
CREATE TRIGGER the_ledger_alone_writes_its_outbox AFTER INSERT ON outbox
    FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION the_ledger_alone_writes_its_outbox();

-- Is a copy of the graph of this ledger at all? Its last change may be another tenant's, which nobody else sees. So
-- this is the one function that runs as the owner.
CREATE FUNCTION stands_in_ledger(at bigint, mark text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
    SELECT at = 0 OR EXISTS (
        SELECT FROM public.outbox AS change
        WHERE change.position = at AND change.transaction_id || '/' || change.row_id = mark
    );
END;

-- Row level security: an ordinary role that a policy binds ----------------------------------------

CREATE FUNCTION keep_tenants_apart(relation regclass) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', relation);
    EXECUTE format(
        'CREATE POLICY tenants_never_see_each_other ON %s USING (tenant_id = current_tenant())', relation);
END $$;
REVOKE ALL ON FUNCTION keep_tenants_apart(regclass) FROM PUBLIC;

SELECT keep_tenants_apart(relation::regclass)
FROM unnest(ARRAY[
    'tenant', 'ledger_clock', 'project', 'type', 'reference_rule', 'entity', 'artifact', 'passage',
    'entity_state', 'state_name', 'state_event', 'alias', 'reference', 'pending_reference', 'mention', 'withdrawal',
    'alias_candidate', 'fact_candidate', 'posting', 'term_statistics', 'scope_statistics', 'posting_block',
    'document_block', 'embedding', 'token', 'idempotent_answer', 'outbox'
]) AS relation;

-- What the role may do ----------------------------------------------------------------------------

GRANT USAGE ON SCHEMA public TO trigraph_service;

GRANT SELECT ON schema_migration, tenant, ledger_clock TO trigraph_service;
GRANT SELECT, INSERT ON project, type, reference_rule, entity, artifact, passage, entity_state, state_name,
    state_event, alias, reference, pending_reference, mention, withdrawal, alias_candidate, fact_candidate, posting,
    term_statistics, scope_statistics, posting_block, document_block, embedding_model, embedding, token,
    idempotent_answer, outbox
    TO trigraph_service;

GRANT UPDATE (recorded_at) ON ledger_clock TO trigraph_service;
GRANT UPDATE (mutable_props) ON type TO trigraph_service;
GRANT UPDATE (retracted_at) ON entity_state, alias, reference TO trigraph_service;
GRANT UPDATE (closed_at) ON pending_reference TO trigraph_service;
GRANT UPDATE (status, reviewed_by, reviewed_at, review_reason) ON alias_candidate, fact_candidate
    TO trigraph_service;
GRANT UPDATE (documents) ON term_statistics TO trigraph_service;
GRANT UPDATE (documents, total_terms, latest_created_at, latest_recorded_at) ON scope_statistics
    TO trigraph_service;
GRANT UPDATE (revoked_at) ON token TO trigraph_service;

-- Numbers are taken while the clock is held, so that they still commit in their order.
DO $$
BEGIN
    EXECUTE format('GRANT USAGE ON SEQUENCE %s TO trigraph_service', pg_get_serial_sequence('artifact', 'number'));
END $$;

REVOKE ALL ON FUNCTION stands_in_ledger(bigint, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION stands_in_ledger(bigint, text) TO trigraph_service;

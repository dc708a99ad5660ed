-- The schema of a migrated ledger, printed by `make schema`; migrations/postgres says why.

CREATE SCHEMA one_project;

CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;

COMMENT ON EXTENSION vector IS 'vector data type and ivfflat and hnsw access methods';

CREATE TYPE public.text_range AS RANGE (
    subtype = text,
    multirange_type_name = public.text_multirange,
    collation = pg_catalog."C"
);

CREATE TYPE public.uuid_range AS RANGE (
    subtype = uuid,
    multirange_type_name = public.uuid_multirange
);

CREATE FUNCTION public.a_candidate_is_reviewed_once() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    IF OLD.status <> 'PENDING' THEN
        PERFORM refuse('a_candidate_is_reviewed_once', 'this candidate was reviewed already');
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION public.a_state_speaks_of_what_its_type_has() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
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

CREATE FUNCTION public.a_withdrawal_names_what_ends_with_it() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
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

CREATE FUNCTION public.alias_chains_are_acyclic() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
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

CREATE FUNCTION public.an_alias_stays_in_its_project() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    IF EXISTS (
        SELECT FROM entity
        WHERE tenant_id = NEW.tenant_id AND id IN (NEW.target, NEW.source) AND project_id <> NEW.project_id
    ) THEN
        PERFORM refuse('an_alias_stays_in_its_project', 'an alias holds in the project of what it means');
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION public.an_entity_is_of_a_type_of_its_project() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    IF EXISTS (
        SELECT FROM type
        WHERE tenant_id = NEW.tenant_id AND type_id = NEW.type_id AND project_id <> NEW.project_id
    ) THEN
        PERFORM refuse('an_entity_is_of_a_type_of_its_project', 'another project defined the type of this entity');
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION public.an_event_ends_the_draft_it_names() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
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

CREATE FUNCTION public.an_event_is_of_the_entity_of_its_state() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    IF EXISTS (
        SELECT FROM entity_state
        WHERE tenant_id = NEW.tenant_id AND id = NEW.to_state AND entity <> NEW.entity
    ) THEN
        PERFORM refuse('an_event_is_of_the_entity_of_its_state', 'an event leads to a state of its own entity');
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION public.artifacts_never_change() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    PERFORM refuse('artifacts_never_change', 'an artifact is immutable; file the changed document instead');
    RETURN NULL;
END $$;

CREATE FUNCTION public.beliefs_are_only_retracted() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
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

CREATE FUNCTION public.beliefs_are_recorded_when_written() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
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

CREATE FUNCTION public.chains_move_forward() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
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

CREATE FUNCTION public.committed_states_tile_time() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
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

CREATE FUNCTION public.current_project() RETURNS integer
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (NULLIF(current_setting('trigraph.project'::text, true), ''::text))::integer;

CREATE FUNCTION public.current_tenant() RETURNS integer
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (NULLIF(current_setting('trigraph.tenant'::text, true), ''::text))::integer;

CREATE FUNCTION public.events_never_change() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    PERFORM refuse('events_never_change', 'what happened stays; record a correction instead');
    RETURN NULL;
END $$;

CREATE FUNCTION public.every_entity_has_a_state() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
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

CREATE TABLE public.artifact (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    number bigint NOT NULL,
    project_id integer NOT NULL,
    entity uuid NOT NULL,
    type_id integer NOT NULL,
    identifier text,
    title text NOT NULL,
    body text NOT NULL,
    domain text,
    created_at timestamp with time zone NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    source_uri text,
    source_commit text,
    author text,
    content_hash text NOT NULL,
    term_count integer NOT NULL,
    actor text NOT NULL,
    meta jsonb DEFAULT '{}'::jsonb NOT NULL,
    date_source text,
    date_precision text,
    stated_at timestamp with time zone,
    CONSTRAINT a_date_has_a_source CHECK ((date_source = ANY (ARRAY['HEADER'::text, 'FILE_NAME'::text, 'GIT'::text, 'FILED'::text]))),
    CONSTRAINT a_date_is_exact_to CHECK ((date_precision = ANY (ARRAY['INSTANT'::text, 'DAY'::text, 'WEEK'::text, 'MONTH'::text, 'QUARTER'::text, 'YEAR'::text]))),
    CONSTRAINT header_fields_have_names CHECK ((jsonb_typeof(meta) = 'object'::text))
);

CREATE TABLE public.document_block (
    tenant_id integer NOT NULL,
    project_id integer NOT NULL,
    last_number bigint NOT NULL,
    total_terms bigint NOT NULL,
    latest_created_at timestamp with time zone NOT NULL,
    latest_recorded_at timestamp with time zone NOT NULL,
    numbers bytea NOT NULL,
    created_at bytea NOT NULL,
    recorded_at bytea NOT NULL,
    term_counts bytea NOT NULL,
    types bytea NOT NULL,
    domains bytea NOT NULL,
    domain_names text[] NOT NULL
);
ALTER TABLE ONLY public.document_block ALTER COLUMN numbers SET STORAGE PLAIN;
ALTER TABLE ONLY public.document_block ALTER COLUMN created_at SET STORAGE PLAIN;
ALTER TABLE ONLY public.document_block ALTER COLUMN recorded_at SET STORAGE PLAIN;
ALTER TABLE ONLY public.document_block ALTER COLUMN term_counts SET STORAGE PLAIN;
ALTER TABLE ONLY public.document_block ALTER COLUMN types SET STORAGE PLAIN;
ALTER TABLE ONLY public.document_block ALTER COLUMN domains SET STORAGE PLAIN;

CREATE FUNCTION public.fresh_documents(of_tenant integer, of_project integer, at_most bigint) RETURNS TABLE(last_number bigint, total_terms bigint, latest_created_at timestamp with time zone, latest_recorded_at timestamp with time zone, numbers bytea, created_at bytea, recorded_at bytea, term_counts bytea, types bytea, domains bytea, domain_names text[])
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 WITH document AS MATERIALIZED (
          SELECT artifact.number,
             artifact.created_at,
             artifact.recorded_at,
             artifact.term_count,
             artifact.type_id,
             artifact.domain
            FROM public.artifact
           WHERE ((artifact.tenant_id = fresh_documents.of_tenant) AND (artifact.project_id = fresh_documents.of_project) AND (artifact.number > ( SELECT COALESCE(max(block.last_number), (0)::bigint) AS "coalesce"
                    FROM public.document_block block
                   WHERE ((block.tenant_id = fresh_documents.of_tenant) AND (block.project_id = fresh_documents.of_project)))))
           ORDER BY artifact.number
          LIMIT fresh_documents.at_most
         ), named AS MATERIALIZED (
          SELECT COALESCE(array_agg(DISTINCT document_1.domain) FILTER (WHERE (document_1.domain IS NOT NULL)), '{}'::text[]) AS names
            FROM document document_1
         )
  SELECT max(document.number) AS max,
     sum(document.term_count) AS sum,
     max(document.created_at) AS max,
     max(document.recorded_at) AS max,
     string_agg(SUBSTRING(int8send(document.number) FROM 5), '\x'::bytea ORDER BY document.number) AS string_agg,
     string_agg(timestamptz_send(document.created_at), '\x'::bytea ORDER BY document.number) AS string_agg,
     string_agg(timestamptz_send(document.recorded_at), '\x'::bytea ORDER BY document.number) AS string_agg,
     string_agg(int4send(document.term_count), '\x'::bytea ORDER BY document.number) AS string_agg,
     string_agg(int4send(document.type_id), '\x'::bytea ORDER BY document.number) AS string_agg,
     string_agg(SUBSTRING(int4send(COALESCE(array_position(named.names, document.domain), 0)) FROM 4), '\x'::bytea ORDER BY document.number) AS string_agg,
     named.names
    FROM (document
      CROSS JOIN named)
   GROUP BY named.names;
END;

CREATE TABLE public.posting (
    tenant_id integer NOT NULL,
    term text NOT NULL COLLATE pg_catalog."C",
    project_id integer NOT NULL,
    artifact_number bigint NOT NULL,
    frequency integer NOT NULL,
    term_count integer NOT NULL
);

CREATE TABLE public.posting_block (
    tenant_id integer NOT NULL,
    term text NOT NULL COLLATE pg_catalog."C",
    project_id integer NOT NULL,
    last_number bigint NOT NULL,
    packed bytea NOT NULL
);
ALTER TABLE ONLY public.posting_block ALTER COLUMN packed SET STORAGE PLAIN;

CREATE FUNCTION public.fresh_postings(of_tenant integer, of_term text, of_project integer, at_most bigint) RETURNS TABLE(last_number bigint, packed bytea)
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT max(fresh.artifact_number) AS max,
     string_agg(((SUBSTRING(int8send(fresh.artifact_number) FROM 5) || int4send(fresh.frequency)) || int4send(fresh.term_count)), '\x'::bytea ORDER BY fresh.artifact_number) AS string_agg
    FROM ( SELECT posting.artifact_number,
             posting.frequency,
             posting.term_count
            FROM public.posting
           WHERE ((posting.tenant_id = fresh_postings.of_tenant) AND (posting.term = fresh_postings.of_term) AND (posting.project_id = fresh_postings.of_project) AND (posting.artifact_number > ( SELECT COALESCE(max(block.last_number), (0)::bigint) AS "coalesce"
                    FROM public.posting_block block
                   WHERE ((block.tenant_id = fresh_postings.of_tenant) AND (block.term = fresh_postings.of_term) AND (block.project_id = fresh_postings.of_project)))))
           ORDER BY posting.artifact_number
          LIMIT fresh_postings.at_most) fresh
  HAVING (count(*) > 0);
END;

CREATE FUNCTION public.identity_never_changes() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND EXISTS (
        SELECT FROM document_name
        WHERE tenant_id = OLD.tenant_id AND entity = OLD.id AND sort = 'FORMER' AND key = OLD.key AND closed_at IS NULL
    ) THEN
        OLD.key := NEW.key;
        OLD.bare_key := NEW.bare_key;
        IF OLD IS NOT DISTINCT FROM NEW THEN
            RETURN NEW;
        END IF;
    ELSIF TG_OP = 'UPDATE' AND (NEW.created_at < OLD.created_at OR is_unknown(OLD.created_at)) AND EXISTS (
        SELECT FROM artifact
        WHERE tenant_id = OLD.tenant_id AND entity = OLD.id AND created_at = NEW.created_at
    ) THEN
        OLD.created_at := NEW.created_at;
        IF OLD IS NOT DISTINCT FROM NEW THEN
            RETURN NEW;
        END IF;
    END IF;
    PERFORM refuse('identity_never_changes', 'an entity is identity alone; change its state instead');
    RETURN NULL;
END $$;

CREATE FUNCTION public.immutable_properties_never_change() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    changed text := (
        SELECT min(property)
        FROM entity
        JOIN type USING (tenant_id, type_id)
        CROSS JOIN unnest(immutable_props) AS property
        JOIN entity_state AS earlier ON earlier.tenant_id = entity.tenant_id AND earlier.entity = entity.id
        WHERE entity.tenant_id = NEW.tenant_id AND entity.id = NEW.entity
            AND earlier.props -> property IS DISTINCT FROM NEW.props -> property
            AND NOT (property = 'identifier' AND EXISTS (
                SELECT FROM document_name
                WHERE tenant_id = NEW.tenant_id AND document_name.entity = NEW.entity AND sort = 'FORMER'
            ))
    );
BEGIN
    IF changed IS NOT NULL THEN
        PERFORM refuse('immutable_properties_never_change', format('property %s never changes', changed));
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION public.is_unknown(moment timestamp with time zone) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (moment < '0001-01-02 00:00:00+00'::timestamp with time zone);

CREATE FUNCTION public.keep_tenants_apart(relation regclass) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', relation);
    EXECUTE format(
        'CREATE POLICY tenants_never_see_each_other ON %s USING (tenant_id = current_tenant())', relation);
END $$;

CREATE TABLE public.document_name (
    tenant_id integer NOT NULL,
    project_id integer NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    entity uuid NOT NULL,
    sort text NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    closed_at timestamp with time zone
);

CREATE FUNCTION public.key_at(of_tenant integer, of_entity uuid, present_key text, instant timestamp with time zone) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    RETURN COALESCE((SELECT document_name.key FROM public.document_name WHERE ((document_name.tenant_id = key_at.of_tenant) AND (document_name.entity = key_at.of_entity) AND (document_name.sort = 'FORMER'::text) AND (document_name.recorded_at > key_at.instant)) ORDER BY document_name.recorded_at LIMIT 1), present_key);

CREATE FUNCTION public.no_project_redefines_a_type_of_all() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    IF EXISTS (
        SELECT FROM type
        WHERE tenant_id = NEW.tenant_id AND project_id IS NULL AND folded_name = NEW.folded_name
    ) THEN
        PERFORM refuse('no_project_redefines_a_type_of_all', 'every project has a type of this name already');
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION public.note_change(tenant integer, kind text, row_id uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('trigraph outbox', 0));
    INSERT INTO outbox (tenant_id, kind, row_id) VALUES (tenant, kind, row_id) ON CONFLICT DO NOTHING;
    PERFORM pg_notify('trigraph_outbox', '');
END $$;

CREATE FUNCTION public.note_mention_in_outbox() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    PERFORM note_change(NEW.tenant_id, 'mentions', NEW.artifact);
    RETURN NULL;
END $$;

CREATE FUNCTION public.note_row_in_outbox() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    PERFORM note_change(NEW.tenant_id, TG_ARGV[0], NEW.id);
    RETURN NULL;
END $$;

CREATE FUNCTION public.note_rule_in_outbox() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    PERFORM note_change(NEW.tenant_id, 'type', lpad(to_hex(NEW.source_type), 32, '0')::uuid);
    RETURN NULL;
END $$;

CREATE FUNCTION public.note_type_in_outbox() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    PERFORM note_change(NEW.tenant_id, 'type', lpad(to_hex(NEW.type_id), 32, '0')::uuid);
    RETURN NULL;
END $$;

CREATE FUNCTION public.pack_documents(integer, integer) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $_$
BEGIN
    INSERT INTO document_block
    SELECT $1, $2, full_block.*
    FROM fresh_documents($1, $2, 240) AS full_block
    WHERE octet_length(numbers) = 240 * 4;
END $_$;

CREATE FUNCTION public.pack_documents_of_project() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    FOR block IN coalesce(OLD.documents, 0) / 240 + 1 .. NEW.documents / 240 LOOP
        PERFORM pack_documents(NEW.tenant_id, NEW.project_id);
    END LOOP;
    RETURN NULL;
END $$;

CREATE FUNCTION public.pack_postings(integer, text, integer) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $_$
BEGIN
    INSERT INTO posting_block
    SELECT $1, $2, $3, full_block.*
    FROM fresh_postings($1, $2, $3, 240) AS full_block
    WHERE octet_length(packed) = 240 * 12;
END $_$;

CREATE FUNCTION public.pack_postings_of_term() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    FOR block IN coalesce(OLD.documents, 0) / 240 + 1 .. NEW.documents / 240 LOOP
        PERFORM pack_postings(NEW.tenant_id, NEW.term, NEW.project_id);
    END LOOP;
    RETURN NULL;
END $$;

CREATE FUNCTION public.references_follow_their_rules() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
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

CREATE FUNCTION public.refuse(rule text, explanation text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    RAISE EXCEPTION USING
        ERRCODE = 'integrity_constraint_violation', CONSTRAINT = rule, MESSAGE = explanation;
END $$;

CREATE FUNCTION public.rows_are_recorded_when_written() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
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

CREATE FUNCTION public.show_one_project(relation text, condition text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $_$
BEGIN
    EXECUTE format(
        'CREATE VIEW one_project.%1$I WITH (security_invoker = true) AS SELECT * FROM public.%1$I AS shown WHERE %2$s'
        ' WITH CASCADED CHECK OPTION', relation, condition);
END $_$;

CREATE TABLE public.outbox (
    tenant_id integer NOT NULL,
    "position" bigint NOT NULL,
    transaction_id xid8 DEFAULT pg_current_xact_id() NOT NULL,
    kind text NOT NULL,
    row_id uuid NOT NULL,
    noted_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE FUNCTION public.stands_in_ledger(at bigint, mark text) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    BEGIN ATOMIC
 SELECT ((at = 0) OR (EXISTS ( SELECT
            FROM public.outbox change
           WHERE ((change."position" = stands_in_ledger.at) AND (((change.transaction_id || '/'::text) || change.row_id) = stands_in_ledger.mark)))));
END;

CREATE TABLE public.absence (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    project_id integer NOT NULL,
    entity uuid NOT NULL,
    artifact uuid,
    valid_from timestamp with time zone NOT NULL,
    valid_until timestamp with time zone,
    source text NOT NULL,
    source_commit text,
    reason text,
    recorded_at timestamp with time zone NOT NULL,
    retracted_at timestamp with time zone,
    actor text NOT NULL,
    CONSTRAINT an_absence_belief_ends_after_it_starts CHECK ((retracted_at > recorded_at)),
    CONSTRAINT an_absence_ends_after_it_starts CHECK ((valid_until > valid_from)),
    CONSTRAINT an_absence_has_a_source CHECK ((source = ANY (ARRAY['CALLER'::text, 'FOLDER'::text, 'GIT'::text])))
);

CREATE FUNCTION public.stated_since(of_tenant integer, of_entity uuid, begins timestamp with time zone, moment timestamp with time zone) RETURNS timestamp with time zone
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    RETURN CASE WHEN (EXISTS (SELECT FROM public.absence WHERE ((absence.tenant_id = stated_since.of_tenant) AND (absence.entity = stated_since.of_entity) AND (absence.artifact IS NOT NULL) AND (absence.source = 'CALLER'::text) AND (absence.valid_from = stated_since.moment) AND (absence.retracted_at IS NULL)))) THEN begins ELSE moment END;

CREATE FUNCTION public.supersession_is_acyclic() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
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

CREATE FUNCTION public.the_ledger_alone_writes_its_outbox() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    PERFORM refuse('the_ledger_alone_writes_its_outbox', 'what changes tells the outbox itself; write nothing there');
    RETURN NULL;
END $$;

CREATE FUNCTION public.transaction_time_moves_forward() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
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

CREATE FUNCTION public.types_only_widen() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
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

CREATE VIEW one_project.absence WITH (security_invoker='true') AS
 SELECT tenant_id,
    id,
    project_id,
    entity,
    artifact,
    valid_from,
    valid_until,
    source,
    source_commit,
    reason,
    recorded_at,
    retracted_at,
    actor
   FROM public.absence shown
  WHERE (project_id = public.current_project())
  WITH CASCADED CHECK OPTION;

CREATE TABLE public.alias (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    project_id integer NOT NULL,
    surface_form text NOT NULL,
    folded_form text NOT NULL COLLATE pg_catalog."C",
    target uuid NOT NULL,
    source uuid,
    authority_tier integer NOT NULL,
    source_artifact uuid,
    valid_from timestamp with time zone NOT NULL,
    valid_until timestamp with time zone,
    recorded_at timestamp with time zone NOT NULL,
    retracted_at timestamp with time zone,
    actor text NOT NULL,
    first_word text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT a_surface_form_has_two_to_512_characters CHECK (((length(surface_form) >= 2) AND (length(surface_form) <= 512))),
    CONSTRAINT an_alias_belief_ends_after_it_starts CHECK ((retracted_at > recorded_at)),
    CONSTRAINT an_alias_ends_after_it_starts CHECK ((valid_until > valid_from)),
    CONSTRAINT an_alias_is_written_by_tier_one_or_two CHECK ((authority_tier = ANY (ARRAY[1, 2])))
);

CREATE VIEW one_project.alias WITH (security_invoker='true') AS
 SELECT tenant_id,
    id,
    project_id,
    surface_form,
    folded_form,
    target,
    source,
    authority_tier,
    source_artifact,
    valid_from,
    valid_until,
    recorded_at,
    retracted_at,
    actor,
    first_word
   FROM public.alias shown
  WHERE (project_id = public.current_project())
  WITH CASCADED CHECK OPTION;

CREATE TABLE public.alias_candidate (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    project_id integer NOT NULL,
    surface_form text NOT NULL,
    folded_form text NOT NULL COLLATE pg_catalog."C",
    entity uuid NOT NULL,
    quote text NOT NULL,
    quote_start integer NOT NULL,
    artifact uuid NOT NULL,
    status text DEFAULT 'PENDING'::text NOT NULL,
    reviewed_by text,
    reviewed_at timestamp with time zone,
    recorded_at timestamp with time zone NOT NULL,
    review_reason text,
    CONSTRAINT an_alias_candidate_is_pending_promoted_or_rejected CHECK ((status = ANY (ARRAY['PENDING'::text, 'PROMOTED'::text, 'REJECTED'::text]))),
    CONSTRAINT an_alias_review_names_who_and_when CHECK ((((status = 'PENDING'::text) = (reviewed_by IS NULL)) AND ((status = 'PENDING'::text) = (reviewed_at IS NULL))))
);

CREATE VIEW one_project.alias_candidate WITH (security_invoker='true') AS
 SELECT tenant_id,
    id,
    project_id,
    surface_form,
    folded_form,
    entity,
    quote,
    quote_start,
    artifact,
    status,
    reviewed_by,
    reviewed_at,
    recorded_at,
    review_reason
   FROM public.alias_candidate shown
  WHERE (project_id = public.current_project())
  WITH CASCADED CHECK OPTION;

CREATE VIEW one_project.artifact WITH (security_invoker='true') AS
 SELECT tenant_id,
    id,
    number,
    project_id,
    entity,
    type_id,
    identifier,
    title,
    body,
    domain,
    created_at,
    recorded_at,
    source_uri,
    source_commit,
    author,
    content_hash,
    term_count,
    actor,
    meta,
    date_source,
    date_precision,
    stated_at
   FROM public.artifact shown
  WHERE (project_id = public.current_project())
  WITH CASCADED CHECK OPTION;

CREATE VIEW one_project.document_name WITH (security_invoker='true') AS
 SELECT tenant_id,
    project_id,
    key,
    entity,
    sort,
    recorded_at,
    closed_at
   FROM public.document_name shown
  WHERE (project_id = public.current_project())
  WITH CASCADED CHECK OPTION;

CREATE TABLE public.entity (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    project_id integer NOT NULL,
    type_id integer NOT NULL,
    key text COLLATE pg_catalog."C",
    bare_key text COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    source_artifact uuid,
    actor text NOT NULL
);

CREATE VIEW one_project.entity WITH (security_invoker='true') AS
 SELECT tenant_id,
    id,
    project_id,
    type_id,
    key,
    bare_key,
    created_at,
    recorded_at,
    source_artifact,
    actor
   FROM public.entity shown
  WHERE (project_id = public.current_project())
  WITH CASCADED CHECK OPTION;

CREATE TABLE public.entity_state (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    entity uuid NOT NULL,
    branch text NOT NULL,
    valid_from timestamp with time zone NOT NULL,
    valid_until timestamp with time zone,
    recorded_at timestamp with time zone NOT NULL,
    retracted_at timestamp with time zone,
    props jsonb NOT NULL,
    wip_source text,
    source_artifact uuid,
    actor text NOT NULL,
    CONSTRAINT a_belief_ends_after_it_starts CHECK ((retracted_at > recorded_at)),
    CONSTRAINT a_branch_is_committed_or_wip CHECK ((branch = ANY (ARRAY['COMMITTED'::text, 'WIP'::text]))),
    CONSTRAINT a_state_ends_after_it_starts CHECK ((valid_until > valid_from)),
    CONSTRAINT only_wip_has_a_wip_source CHECK (((branch = 'WIP'::text) OR (wip_source IS NULL))),
    CONSTRAINT properties_are_an_object CHECK ((jsonb_typeof(props) = 'object'::text))
);

CREATE VIEW one_project.entity_state WITH (security_invoker='true') AS
 SELECT tenant_id,
    id,
    entity,
    branch,
    valid_from,
    valid_until,
    recorded_at,
    retracted_at,
    props,
    wip_source,
    source_artifact,
    actor
   FROM public.entity_state shown
  WHERE (EXISTS ( SELECT
           FROM public.entity held
          WHERE ((held.tenant_id = shown.tenant_id) AND (held.id = shown.entity) AND (held.project_id = public.current_project()))))
  WITH CASCADED CHECK OPTION;

CREATE TABLE public.fact_candidate (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    project_id integer NOT NULL,
    entity uuid NOT NULL,
    property text NOT NULL,
    value jsonb NOT NULL,
    quote text NOT NULL,
    quote_start integer NOT NULL,
    artifact uuid NOT NULL,
    status text DEFAULT 'PENDING'::text NOT NULL,
    reviewed_by text,
    reviewed_at timestamp with time zone,
    recorded_at timestamp with time zone NOT NULL,
    review_reason text,
    CONSTRAINT a_fact_candidate_is_pending_promoted_or_rejected CHECK ((status = ANY (ARRAY['PENDING'::text, 'PROMOTED'::text, 'REJECTED'::text]))),
    CONSTRAINT a_fact_review_names_who_and_when CHECK ((((status = 'PENDING'::text) = (reviewed_by IS NULL)) AND ((status = 'PENDING'::text) = (reviewed_at IS NULL))))
);

CREATE VIEW one_project.fact_candidate WITH (security_invoker='true') AS
 SELECT tenant_id,
    id,
    project_id,
    entity,
    property,
    value,
    quote,
    quote_start,
    artifact,
    status,
    reviewed_by,
    reviewed_at,
    recorded_at,
    review_reason
   FROM public.fact_candidate shown
  WHERE (project_id = public.current_project())
  WITH CASCADED CHECK OPTION;

CREATE TABLE public.import_root (
    tenant_id integer NOT NULL,
    root_id integer NOT NULL,
    project_id integer NOT NULL,
    place text NOT NULL,
    prefix text,
    first_commit text,
    recorded_at timestamp with time zone NOT NULL
);

CREATE VIEW one_project.import_root WITH (security_invoker='true') AS
 SELECT tenant_id,
    root_id,
    project_id,
    place,
    prefix,
    first_commit,
    recorded_at
   FROM public.import_root shown
  WHERE (project_id = public.current_project())
  WITH CASCADED CHECK OPTION;

CREATE TABLE public.mention (
    tenant_id integer NOT NULL,
    artifact uuid NOT NULL,
    entity uuid NOT NULL,
    folded_form text NOT NULL COLLATE pg_catalog."C",
    surface_form text NOT NULL,
    occurrences integer NOT NULL,
    recorded_at timestamp with time zone NOT NULL
);

CREATE VIEW one_project.mention WITH (security_invoker='true') AS
 SELECT tenant_id,
    artifact,
    entity,
    folded_form,
    surface_form,
    occurrences,
    recorded_at
   FROM public.mention shown
  WHERE (EXISTS ( SELECT
           FROM public.entity held
          WHERE ((held.tenant_id = shown.tenant_id) AND (held.id = shown.entity) AND (held.project_id = public.current_project()))))
  WITH CASCADED CHECK OPTION;

CREATE TABLE public.pending_reference (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    project_id integer NOT NULL,
    source uuid NOT NULL,
    target_key text NOT NULL COLLATE pg_catalog."C",
    target_text text NOT NULL,
    type text NOT NULL,
    inverted boolean NOT NULL,
    occurrences integer NOT NULL,
    is_ambiguous boolean NOT NULL,
    source_artifact uuid NOT NULL,
    valid_from timestamp with time zone NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    closed_at timestamp with time zone,
    actor text NOT NULL,
    in_part boolean DEFAULT false NOT NULL
);

CREATE VIEW one_project.pending_reference WITH (security_invoker='true') AS
 SELECT tenant_id,
    id,
    project_id,
    source,
    target_key,
    target_text,
    type,
    inverted,
    occurrences,
    is_ambiguous,
    source_artifact,
    valid_from,
    recorded_at,
    closed_at,
    actor,
    in_part
   FROM public.pending_reference shown
  WHERE (project_id = public.current_project())
  WITH CASCADED CHECK OPTION;

CREATE TABLE public.project (
    tenant_id integer NOT NULL,
    project_id integer NOT NULL,
    key text NOT NULL,
    folded_key text NOT NULL,
    name text NOT NULL,
    recorded_at timestamp with time zone NOT NULL
);

CREATE VIEW one_project.project WITH (security_invoker='true') AS
 SELECT tenant_id,
    project_id,
    key,
    folded_key,
    name,
    recorded_at
   FROM public.project shown
  WHERE (project_id = public.current_project())
  WITH CASCADED CHECK OPTION;

CREATE TABLE public.reference (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    project_id integer NOT NULL,
    source uuid NOT NULL,
    target uuid NOT NULL,
    type text NOT NULL,
    occurrences integer NOT NULL,
    source_artifact uuid,
    valid_from timestamp with time zone NOT NULL,
    valid_until timestamp with time zone,
    recorded_at timestamp with time zone NOT NULL,
    retracted_at timestamp with time zone,
    actor text NOT NULL,
    in_part boolean DEFAULT false NOT NULL,
    CONSTRAINT a_reference_belief_ends_after_it_starts CHECK ((retracted_at > recorded_at)),
    CONSTRAINT a_reference_ends_after_it_starts CHECK ((valid_until > valid_from)),
    CONSTRAINT a_reference_occurs_at_least_once CHECK ((occurrences > 0)),
    CONSTRAINT nothing_references_itself CHECK ((source <> target))
);

CREATE VIEW one_project.reference WITH (security_invoker='true') AS
 SELECT tenant_id,
    id,
    project_id,
    source,
    target,
    type,
    occurrences,
    source_artifact,
    valid_from,
    valid_until,
    recorded_at,
    retracted_at,
    actor,
    in_part
   FROM public.reference shown
  WHERE ((project_id = public.current_project()) AND (EXISTS ( SELECT
           FROM public.entity held
          WHERE ((held.tenant_id = shown.tenant_id) AND (held.id = shown.target) AND (held.project_id = public.current_project())))))
  WITH CASCADED CHECK OPTION;

CREATE TABLE public.reference_claim (
    tenant_id integer NOT NULL,
    project_id integer NOT NULL,
    source uuid NOT NULL,
    place integer NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    type text NOT NULL,
    inverted boolean NOT NULL,
    target_text text NOT NULL,
    path text,
    occurrences integer NOT NULL,
    source_artifact uuid NOT NULL,
    valid_from timestamp with time zone NOT NULL,
    closed_at timestamp with time zone,
    in_part boolean DEFAULT false NOT NULL
);

CREATE VIEW one_project.reference_claim WITH (security_invoker='true') AS
 SELECT tenant_id,
    project_id,
    source,
    place,
    key,
    type,
    inverted,
    target_text,
    path,
    occurrences,
    source_artifact,
    valid_from,
    closed_at,
    in_part
   FROM public.reference_claim shown
  WHERE (project_id = public.current_project())
  WITH CASCADED CHECK OPTION;

CREATE TABLE public.state_event (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    entity uuid NOT NULL,
    from_state uuid,
    to_state uuid NOT NULL,
    event_type text NOT NULL,
    at timestamp with time zone NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    cause_artifact uuid,
    cause_commit text,
    description text,
    props_drift boolean,
    actor text NOT NULL,
    properties text[] DEFAULT '{}'::text[] NOT NULL,
    draft uuid
);

CREATE VIEW one_project.state_event WITH (security_invoker='true') AS
 SELECT tenant_id,
    id,
    entity,
    from_state,
    to_state,
    event_type,
    at,
    recorded_at,
    cause_artifact,
    cause_commit,
    description,
    props_drift,
    actor,
    properties,
    draft
   FROM public.state_event shown
  WHERE (EXISTS ( SELECT
           FROM public.entity held
          WHERE ((held.tenant_id = shown.tenant_id) AND (held.id = shown.entity) AND (held.project_id = public.current_project()))))
  WITH CASCADED CHECK OPTION;

CREATE TABLE public.status_word (
    tenant_id integer NOT NULL,
    project_id integer NOT NULL,
    phrase text NOT NULL COLLATE pg_catalog."C",
    flag text NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    closed_at timestamp with time zone,
    actor text NOT NULL,
    CONSTRAINT a_meaning_ends_after_it_starts CHECK ((closed_at > recorded_at)),
    CONSTRAINT a_status_word_means_a_flag CHECK ((flag = ANY (ARRAY['CURRENT'::text, 'HISTORICAL'::text, 'WIP'::text])))
);

CREATE VIEW one_project.status_word WITH (security_invoker='true') AS
 SELECT tenant_id,
    project_id,
    phrase,
    flag,
    recorded_at,
    closed_at,
    actor
   FROM public.status_word shown
  WHERE (project_id = public.current_project())
  WITH CASCADED CHECK OPTION;

CREATE TABLE public.type (
    tenant_id integer NOT NULL,
    type_id integer NOT NULL,
    project_id integer,
    name text NOT NULL,
    folded_name text NOT NULL,
    zone text NOT NULL,
    ptype text,
    is_document boolean NOT NULL,
    immutable_props text[] NOT NULL,
    mutable_props text[] NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    CONSTRAINT a_property_is_immutable_or_mutable CHECK ((NOT (immutable_props && mutable_props))),
    CONSTRAINT a_system_type_is_of_every_project CHECK (((zone <> 'SYSTEM'::text) OR (project_id IS NULL))),
    CONSTRAINT a_zone_is_system_or_project CHECK ((zone = ANY (ARRAY['SYSTEM'::text, 'PROJECT'::text])))
);

CREATE VIEW one_project.type WITH (security_invoker='true') AS
 SELECT tenant_id,
    type_id,
    project_id,
    name,
    folded_name,
    zone,
    ptype,
    is_document,
    immutable_props,
    mutable_props,
    recorded_at
   FROM public.type shown
  WHERE ((project_id IS NULL) OR (project_id = public.current_project()))
  WITH CASCADED CHECK OPTION;

ALTER TABLE public.artifact ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.artifact_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.document_root (
    tenant_id integer NOT NULL,
    entity uuid NOT NULL,
    root_id integer NOT NULL,
    source_uri text NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    left_at timestamp with time zone
);

CREATE TABLE public.embedding (
    tenant_id integer NOT NULL,
    project_id integer NOT NULL,
    artifact_number bigint NOT NULL,
    ordinal integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    vector public.halfvec NOT NULL
);
ALTER TABLE ONLY public.embedding ALTER COLUMN vector SET STORAGE PLAIN;

CREATE TABLE public.embedding_model (
    is_the_model boolean DEFAULT true NOT NULL,
    name text NOT NULL,
    fingerprint text NOT NULL,
    dimensions integer NOT NULL,
    CONSTRAINT one_embedding_model_per_ledger CHECK (is_the_model)
);

CREATE TABLE public.idempotent_answer (
    tenant_id integer NOT NULL,
    actor text NOT NULL,
    operation text NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    fingerprint text NOT NULL,
    answer jsonb NOT NULL,
    recorded_at timestamp with time zone NOT NULL
);

ALTER TABLE public.import_root ALTER COLUMN root_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.import_root_root_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.ledger_clock (
    tenant_id integer NOT NULL,
    recorded_at timestamp with time zone DEFAULT '1970-01-01 00:00:00+00'::timestamp with time zone NOT NULL,
    transaction_id xid8 DEFAULT '0'::xid8 NOT NULL,
    held_from timestamp with time zone DEFAULT '1970-01-01 00:00:00+00'::timestamp with time zone NOT NULL
);

CREATE TABLE public.outbox_horizon (
    is_the_horizon boolean DEFAULT true NOT NULL,
    "position" bigint NOT NULL,
    CONSTRAINT one_horizon_per_ledger CHECK (is_the_horizon)
);

ALTER TABLE public.outbox ALTER COLUMN "position" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.outbox_position_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.passage (
    tenant_id integer NOT NULL,
    artifact_number bigint NOT NULL,
    ordinal integer NOT NULL,
    heading text,
    text text NOT NULL,
    tokens integer NOT NULL
);

ALTER TABLE public.project ALTER COLUMN project_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.project_project_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.reference_rule (
    tenant_id integer NOT NULL,
    source_type integer NOT NULL,
    reference_type text NOT NULL,
    target_type integer NOT NULL
);

CREATE TABLE public.schema_migration (
    version integer NOT NULL,
    name text NOT NULL,
    sha256 text NOT NULL,
    applied_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

CREATE TABLE public.scope_statistics (
    tenant_id integer NOT NULL,
    project_id integer NOT NULL,
    documents bigint NOT NULL,
    total_terms bigint NOT NULL,
    latest_created_at timestamp with time zone NOT NULL,
    latest_recorded_at timestamp with time zone NOT NULL
);

CREATE TABLE public.state_name (
    tenant_id integer NOT NULL,
    state uuid NOT NULL,
    entity uuid NOT NULL,
    property text NOT NULL,
    form text NOT NULL,
    folded_form text NOT NULL COLLATE pg_catalog."C",
    first_word text COLLATE pg_catalog."C"
);

CREATE TABLE public.tenant (
    tenant_id integer NOT NULL,
    key text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

ALTER TABLE public.tenant ALTER COLUMN tenant_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.tenant_tenant_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.term_statistics (
    tenant_id integer NOT NULL,
    term text NOT NULL COLLATE pg_catalog."C",
    project_id integer NOT NULL,
    documents bigint NOT NULL
);

CREATE TABLE public.token (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    hash text NOT NULL,
    role text NOT NULL,
    principal text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    revoked_at timestamp with time zone,
    expires_at timestamp with time zone,
    project_id integer,
    CONSTRAINT a_role_is_reader_agent_human_or_admin CHECK ((role = ANY (ARRAY['reader'::text, 'agent'::text, 'human'::text, 'admin'::text]))),
    CONSTRAINT a_token_ends_after_it_begins CHECK ((expires_at > created_at))
);

ALTER TABLE public.type ALTER COLUMN type_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.type_type_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.withdrawal (
    tenant_id integer NOT NULL,
    withdrawn uuid NOT NULL,
    ended uuid,
    reason text,
    recorded_at timestamp with time zone NOT NULL,
    actor text NOT NULL
);

ALTER TABLE ONLY public.state_event
    ADD CONSTRAINT a_draft_ends_once UNIQUE (tenant_id, draft);

ALTER TABLE ONLY public.absence
    ADD CONSTRAINT absence_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY public.alias_candidate
    ADD CONSTRAINT alias_candidate_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY public.alias
    ADD CONSTRAINT alias_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY public.artifact
    ADD CONSTRAINT artifact_numbers_are_unique UNIQUE (tenant_id, number);

ALTER TABLE ONLY public.artifact
    ADD CONSTRAINT artifact_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY public.document_block
    ADD CONSTRAINT document_block_pkey PRIMARY KEY (tenant_id, project_id, last_number);

ALTER TABLE ONLY public.document_name
    ADD CONSTRAINT document_name_pkey PRIMARY KEY (tenant_id, project_id, key, entity, sort, recorded_at);

ALTER TABLE ONLY public.document_root
    ADD CONSTRAINT document_root_pkey PRIMARY KEY (tenant_id, entity, root_id);

ALTER TABLE ONLY public.embedding_model
    ADD CONSTRAINT embedding_model_pkey PRIMARY KEY (is_the_model);

ALTER TABLE ONLY public.embedding
    ADD CONSTRAINT embedding_pkey PRIMARY KEY (tenant_id, project_id, artifact_number, ordinal);

ALTER TABLE ONLY public.entity
    ADD CONSTRAINT entity_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY public.entity_state
    ADD CONSTRAINT entity_state_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY public.fact_candidate
    ADD CONSTRAINT fact_candidate_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY public.idempotent_answer
    ADD CONSTRAINT idempotent_answer_pkey PRIMARY KEY (tenant_id, actor, operation, key);

ALTER TABLE ONLY public.import_root
    ADD CONSTRAINT import_root_pkey PRIMARY KEY (tenant_id, root_id);

ALTER TABLE ONLY public.ledger_clock
    ADD CONSTRAINT ledger_clock_pkey PRIMARY KEY (tenant_id);

ALTER TABLE ONLY public.mention
    ADD CONSTRAINT mention_pkey PRIMARY KEY (tenant_id, artifact, entity, folded_form);

ALTER TABLE ONLY public.absence
    ADD CONSTRAINT one_absence_at_any_instant EXCLUDE USING gist (public.uuid_range(entity, entity, '[]'::text) WITH &&, public.uuid_range(COALESCE(artifact, entity), COALESCE(artifact, entity), '[]'::text) WITH &&, tstzrange(valid_from, valid_until) WITH &&, tstzrange(recorded_at, retracted_at) WITH &&, int8range((tenant_id)::bigint, (tenant_id)::bigint, '[]'::text) WITH &&);

ALTER TABLE ONLY public.alias_candidate
    ADD CONSTRAINT one_alias_candidate_per_form_and_entity UNIQUE (tenant_id, project_id, folded_form, entity);

ALTER TABLE ONLY public.entity_state
    ADD CONSTRAINT one_belief_per_instant EXCLUDE USING gist (public.uuid_range(entity, entity, '[]'::text) WITH &&, public.text_range(branch, branch, '[]'::text) WITH &&, tstzrange(valid_from, valid_until) WITH &&, tstzrange(recorded_at, retracted_at) WITH &&, int8range((tenant_id)::bigint, (tenant_id)::bigint, '[]'::text) WITH &&);

ALTER TABLE ONLY public.entity
    ADD CONSTRAINT one_entity_per_key UNIQUE (tenant_id, project_id, key);

ALTER TABLE ONLY public.fact_candidate
    ADD CONSTRAINT one_fact_candidate_per_value_and_artifact UNIQUE (tenant_id, artifact, property, value);

ALTER TABLE ONLY public.alias
    ADD CONSTRAINT one_meaning_per_form_at_any_instant EXCLUDE USING gist (int8range((tenant_id)::bigint, (tenant_id)::bigint, '[]'::text) WITH &&, int8range((project_id)::bigint, (project_id)::bigint, '[]'::text) WITH &&, public.text_range(folded_form, folded_form, '[]'::text) WITH &&, tstzrange(valid_from, valid_until) WITH &&, tstzrange(recorded_at, retracted_at) WITH &&);

ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT one_outbox_row_per_change_and_transaction UNIQUE (transaction_id, kind, row_id);

ALTER TABLE ONLY public.reference
    ADD CONSTRAINT one_reference_of_a_type_between_two EXCLUDE USING gist (public.uuid_range(source, source, '[]'::text) WITH &&, public.uuid_range(target, target, '[]'::text) WITH &&, public.text_range(type, type, '[]'::text) WITH &&, tstzrange(valid_from, valid_until) WITH &&, tstzrange(recorded_at, retracted_at) WITH &&, int8range((tenant_id)::bigint, (tenant_id)::bigint, '[]'::text) WITH &&, int4range((in_part)::integer, (in_part)::integer, '[]'::text) WITH &&);

ALTER TABLE ONLY public.import_root
    ADD CONSTRAINT one_root_per_place UNIQUE NULLS NOT DISTINCT (tenant_id, project_id, place, prefix, first_commit);

ALTER TABLE ONLY public.artifact
    ADD CONSTRAINT one_version_per_entity_and_instant UNIQUE (tenant_id, entity, created_at);

ALTER TABLE ONLY public.outbox_horizon
    ADD CONSTRAINT outbox_horizon_pkey PRIMARY KEY (is_the_horizon);

ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT outbox_pkey PRIMARY KEY ("position");

ALTER TABLE ONLY public.passage
    ADD CONSTRAINT passage_pkey PRIMARY KEY (tenant_id, artifact_number, ordinal);

ALTER TABLE ONLY public.pending_reference
    ADD CONSTRAINT pending_reference_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY public.posting_block
    ADD CONSTRAINT posting_block_pkey PRIMARY KEY (tenant_id, term, project_id, last_number);

ALTER TABLE ONLY public.posting
    ADD CONSTRAINT posting_pkey PRIMARY KEY (tenant_id, term, project_id, artifact_number) INCLUDE (frequency, term_count);

ALTER TABLE ONLY public.project
    ADD CONSTRAINT project_keys_are_unique UNIQUE (tenant_id, folded_key);

ALTER TABLE ONLY public.project
    ADD CONSTRAINT project_pkey PRIMARY KEY (tenant_id, project_id);

ALTER TABLE ONLY public.reference_claim
    ADD CONSTRAINT reference_claim_pkey PRIMARY KEY (tenant_id, source_artifact, place, key);

ALTER TABLE ONLY public.reference
    ADD CONSTRAINT reference_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY public.reference_rule
    ADD CONSTRAINT reference_rule_pkey PRIMARY KEY (tenant_id, source_type, reference_type, target_type);

ALTER TABLE ONLY public.schema_migration
    ADD CONSTRAINT schema_migration_pkey PRIMARY KEY (version);

ALTER TABLE ONLY public.scope_statistics
    ADD CONSTRAINT scope_statistics_pkey PRIMARY KEY (tenant_id, project_id);

ALTER TABLE ONLY public.state_event
    ADD CONSTRAINT state_event_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY public.state_name
    ADD CONSTRAINT state_name_pkey PRIMARY KEY (tenant_id, state, property);

ALTER TABLE ONLY public.status_word
    ADD CONSTRAINT status_word_pkey PRIMARY KEY (tenant_id, project_id, phrase, recorded_at);

ALTER TABLE ONLY public.tenant
    ADD CONSTRAINT tenant_keys_are_unique UNIQUE (key);

ALTER TABLE ONLY public.tenant
    ADD CONSTRAINT tenant_pkey PRIMARY KEY (tenant_id);

ALTER TABLE ONLY public.term_statistics
    ADD CONSTRAINT term_statistics_pkey PRIMARY KEY (tenant_id, term, project_id);

ALTER TABLE ONLY public.token
    ADD CONSTRAINT token_hashes_are_unique UNIQUE (hash);

ALTER TABLE ONLY public.token
    ADD CONSTRAINT token_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY public.type
    ADD CONSTRAINT type_names_are_unique UNIQUE NULLS NOT DISTINCT (tenant_id, project_id, folded_name);

ALTER TABLE ONLY public.type
    ADD CONSTRAINT type_pkey PRIMARY KEY (tenant_id, type_id);

ALTER TABLE ONLY public.withdrawal
    ADD CONSTRAINT withdrawal_pkey PRIMARY KEY (tenant_id, withdrawn);

CREATE INDEX absence_by_entity ON public.absence USING btree (tenant_id, entity);

CREATE INDEX absence_by_project ON public.absence USING btree (tenant_id, project_id);

CREATE INDEX alias_by_first_word ON public.alias USING btree (tenant_id, project_id, first_word) WHERE (retracted_at IS NULL);

CREATE INDEX alias_by_form ON public.alias USING btree (tenant_id, folded_form);

CREATE INDEX alias_by_source ON public.alias USING btree (tenant_id, source) WHERE (source IS NOT NULL);

CREATE INDEX alias_by_target ON public.alias USING btree (tenant_id, target);

CREATE INDEX alias_candidate_by_status ON public.alias_candidate USING btree (tenant_id, project_id, status, recorded_at, id);

CREATE INDEX artifact_by_moment ON public.artifact USING btree (tenant_id, project_id, created_at, number) INCLUDE (recorded_at, term_count);

CREATE INDEX artifact_by_project ON public.artifact USING btree (tenant_id, project_id, number);

CREATE INDEX artifact_by_source ON public.artifact USING btree (tenant_id, project_id, md5(source_uri)) WHERE (source_uri IS NOT NULL);

CREATE INDEX awaited_successor_by_document ON public.pending_reference USING btree (tenant_id, source) WHERE ((type = 'SUPERSEDES'::text) AND inverted);

CREATE INDEX document_name_by_entity ON public.document_name USING btree (tenant_id, entity) WHERE (closed_at IS NULL);

CREATE INDEX document_root_by_root ON public.document_root USING btree (tenant_id, root_id);

CREATE INDEX entity_by_bare_key ON public.entity USING btree (tenant_id, bare_key);

CREATE INDEX entity_by_project ON public.entity USING btree (tenant_id, project_id, created_at, id);

CREATE INDEX entity_state_by_artifact ON public.entity_state USING btree (tenant_id, source_artifact);

CREATE INDEX entity_state_by_entity ON public.entity_state USING btree (tenant_id, entity, branch, valid_from);

CREATE INDEX fact_candidate_by_status ON public.fact_candidate USING btree (tenant_id, project_id, status, recorded_at, id);

CREATE INDEX former_key_by_entity ON public.document_name USING btree (tenant_id, entity) WHERE (sort = 'FORMER'::text);

CREATE INDEX mention_by_entity ON public.mention USING btree (tenant_id, entity, artifact);

CREATE UNIQUE INDEX one_meaning_per_status_word ON public.status_word USING btree (tenant_id, project_id, phrase) WHERE (closed_at IS NULL);

CREATE UNIQUE INDEX one_open_committed_state_per_entity ON public.entity_state USING btree (tenant_id, entity) WHERE ((branch = 'COMMITTED'::text) AND (valid_until IS NULL) AND (retracted_at IS NULL));

CREATE UNIQUE INDEX one_open_wip_state_per_entity ON public.entity_state USING btree (tenant_id, entity) WHERE ((branch = 'WIP'::text) AND (valid_until IS NULL) AND (retracted_at IS NULL));

CREATE UNIQUE INDEX one_pending_reference_of_a_type ON public.pending_reference USING btree (tenant_id, source, target_key, type, inverted, in_part) WHERE (closed_at IS NULL);

CREATE INDEX outbox_by_tenant ON public.outbox USING btree (tenant_id, "position");

CREATE INDEX pending_reference_by_target ON public.pending_reference USING btree (tenant_id, project_id, target_key) WHERE (closed_at IS NULL);

CREATE INDEX reference_by_project ON public.reference USING btree (tenant_id, project_id, valid_from, id);

CREATE INDEX reference_by_source ON public.reference USING btree (tenant_id, source, type, occurrences DESC, target);

CREATE INDEX reference_by_target ON public.reference USING btree (tenant_id, target, type, occurrences DESC, source);

CREATE INDEX reference_claim_by_key ON public.reference_claim USING btree (tenant_id, project_id, key) WHERE (closed_at IS NULL);

CREATE INDEX reference_claim_by_source ON public.reference_claim USING btree (tenant_id, source) WHERE (closed_at IS NULL);

CREATE INDEX reference_in_part_by_target ON public.reference USING btree (tenant_id, target) WHERE in_part;

CREATE INDEX state_event_by_entity ON public.state_event USING btree (tenant_id, entity);

CREATE INDEX state_event_by_source ON public.state_event USING btree (tenant_id, from_state);

CREATE INDEX state_event_by_target ON public.state_event USING btree (tenant_id, to_state);

CREATE INDEX state_name_by_first_word ON public.state_name USING btree (tenant_id, first_word) WHERE (first_word IS NOT NULL);

CREATE INDEX state_name_by_form ON public.state_name USING btree (tenant_id, folded_form);

CREATE INDEX withdrawal_by_end ON public.withdrawal USING btree (tenant_id, ended);

CREATE TRIGGER a_candidate_is_reviewed_once BEFORE UPDATE ON public.alias_candidate FOR EACH ROW EXECUTE FUNCTION public.a_candidate_is_reviewed_once();

CREATE TRIGGER a_candidate_is_reviewed_once BEFORE UPDATE ON public.fact_candidate FOR EACH ROW EXECUTE FUNCTION public.a_candidate_is_reviewed_once();

CREATE TRIGGER a_state_speaks_of_what_its_type_has AFTER INSERT ON public.entity_state REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION public.a_state_speaks_of_what_its_type_has();

CREATE CONSTRAINT TRIGGER a_withdrawal_names_what_ends_with_it AFTER INSERT ON public.withdrawal DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.a_withdrawal_names_what_ends_with_it();

CREATE TRIGGER alias_chains_are_acyclic BEFORE INSERT ON public.alias FOR EACH ROW WHEN ((new.source IS NOT NULL)) EXECUTE FUNCTION public.alias_chains_are_acyclic();

CREATE TRIGGER an_alias_stays_in_its_project AFTER INSERT ON public.alias FOR EACH ROW EXECUTE FUNCTION public.an_alias_stays_in_its_project();

CREATE TRIGGER an_entity_is_of_a_type_of_its_project AFTER INSERT ON public.entity FOR EACH ROW EXECUTE FUNCTION public.an_entity_is_of_a_type_of_its_project();

CREATE CONSTRAINT TRIGGER an_event_ends_the_draft_it_names AFTER INSERT ON public.state_event DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.draft IS NOT NULL)) EXECUTE FUNCTION public.an_event_ends_the_draft_it_names();

CREATE TRIGGER an_event_is_of_the_entity_of_its_state AFTER INSERT ON public.state_event FOR EACH ROW EXECUTE FUNCTION public.an_event_is_of_the_entity_of_its_state();

CREATE TRIGGER artifacts_never_change BEFORE DELETE OR UPDATE ON public.artifact FOR EACH ROW EXECUTE FUNCTION public.artifacts_never_change();

CREATE TRIGGER beliefs_are_only_retracted BEFORE DELETE OR UPDATE ON public.absence FOR EACH ROW EXECUTE FUNCTION public.beliefs_are_only_retracted();

CREATE TRIGGER beliefs_are_only_retracted BEFORE DELETE OR UPDATE ON public.alias FOR EACH ROW EXECUTE FUNCTION public.beliefs_are_only_retracted();

CREATE TRIGGER beliefs_are_only_retracted BEFORE DELETE OR UPDATE ON public.entity_state FOR EACH ROW EXECUTE FUNCTION public.beliefs_are_only_retracted();

CREATE TRIGGER beliefs_are_only_retracted BEFORE DELETE OR UPDATE ON public.reference FOR EACH ROW EXECUTE FUNCTION public.beliefs_are_only_retracted();

CREATE TRIGGER chains_move_forward BEFORE INSERT ON public.state_event FOR EACH ROW EXECUTE FUNCTION public.chains_move_forward();

CREATE CONSTRAINT TRIGGER committed_states_tile_time AFTER INSERT OR UPDATE ON public.entity_state DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.committed_states_tile_time();

CREATE TRIGGER events_never_change BEFORE DELETE OR UPDATE ON public.state_event FOR EACH ROW EXECUTE FUNCTION public.events_never_change();

CREATE CONSTRAINT TRIGGER every_entity_has_a_state AFTER INSERT ON public.entity DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.every_entity_has_a_state();

CREATE CONSTRAINT TRIGGER every_entity_has_a_state AFTER UPDATE ON public.entity_state DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.every_entity_has_a_state();

CREATE TRIGGER identity_never_changes BEFORE DELETE OR UPDATE ON public.entity FOR EACH ROW EXECUTE FUNCTION public.identity_never_changes();

CREATE TRIGGER immutable_properties_never_change BEFORE INSERT ON public.entity_state FOR EACH ROW EXECUTE FUNCTION public.immutable_properties_never_change();

CREATE TRIGGER no_project_redefines_a_type_of_all BEFORE INSERT ON public.type FOR EACH ROW WHEN ((new.project_id IS NOT NULL)) EXECUTE FUNCTION public.no_project_redefines_a_type_of_all();

CREATE CONSTRAINT TRIGGER note_absence AFTER INSERT OR UPDATE ON public.absence DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.note_row_in_outbox('absence');

CREATE CONSTRAINT TRIGGER note_alias AFTER INSERT OR UPDATE ON public.alias DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.note_row_in_outbox('alias');

CREATE CONSTRAINT TRIGGER note_artifact AFTER INSERT ON public.artifact DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.note_row_in_outbox('artifact');

CREATE CONSTRAINT TRIGGER note_beginning AFTER UPDATE OF created_at ON public.entity DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.note_row_in_outbox('entity');

CREATE CONSTRAINT TRIGGER note_entity AFTER INSERT ON public.entity DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.note_row_in_outbox('entity');

CREATE CONSTRAINT TRIGGER note_entity_state AFTER INSERT OR UPDATE ON public.entity_state DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.note_row_in_outbox('entity_state');

CREATE CONSTRAINT TRIGGER note_mention AFTER INSERT ON public.mention DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.note_mention_in_outbox();

CREATE CONSTRAINT TRIGGER note_reference AFTER INSERT OR UPDATE ON public.reference DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.note_row_in_outbox('reference');

CREATE CONSTRAINT TRIGGER note_rule AFTER INSERT ON public.reference_rule DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.note_rule_in_outbox();

CREATE CONSTRAINT TRIGGER note_state_event AFTER INSERT ON public.state_event DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.note_row_in_outbox('state_event');

CREATE CONSTRAINT TRIGGER note_type AFTER INSERT OR UPDATE ON public.type DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.note_type_in_outbox();

CREATE TRIGGER pack_documents AFTER UPDATE OF documents ON public.scope_statistics FOR EACH ROW WHEN (((new.documents / 240) > (old.documents / 240))) EXECUTE FUNCTION public.pack_documents_of_project();

CREATE TRIGGER pack_first_documents AFTER INSERT ON public.scope_statistics FOR EACH ROW WHEN ((new.documents >= 240)) EXECUTE FUNCTION public.pack_documents_of_project();

CREATE TRIGGER pack_first_postings AFTER INSERT ON public.term_statistics FOR EACH ROW WHEN ((new.documents >= 240)) EXECUTE FUNCTION public.pack_postings_of_term();

CREATE TRIGGER pack_postings AFTER UPDATE OF documents ON public.term_statistics FOR EACH ROW WHEN (((new.documents / 240) > (old.documents / 240))) EXECUTE FUNCTION public.pack_postings_of_term();

CREATE TRIGGER references_follow_their_rules BEFORE INSERT ON public.reference FOR EACH ROW EXECUTE FUNCTION public.references_follow_their_rules();

CREATE TRIGGER supersession_is_acyclic BEFORE INSERT ON public.reference FOR EACH ROW WHEN ((new.type = 'SUPERSEDES'::text)) EXECUTE FUNCTION public.supersession_is_acyclic();

CREATE TRIGGER the_ledger_alone_writes_its_outbox AFTER INSERT ON public.outbox FOR EACH ROW WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION public.the_ledger_alone_writes_its_outbox();

CREATE TRIGGER transaction_time_moves_forward BEFORE UPDATE ON public.ledger_clock FOR EACH ROW EXECUTE FUNCTION public.transaction_time_moves_forward();

CREATE TRIGGER types_only_widen BEFORE DELETE OR UPDATE ON public.type FOR EACH ROW EXECUTE FUNCTION public.types_only_widen();

CREATE TRIGGER written_when_recorded BEFORE INSERT OR UPDATE ON public.absence FOR EACH ROW EXECUTE FUNCTION public.beliefs_are_recorded_when_written();

CREATE TRIGGER written_when_recorded BEFORE INSERT OR UPDATE ON public.alias FOR EACH ROW EXECUTE FUNCTION public.beliefs_are_recorded_when_written();

CREATE TRIGGER written_when_recorded AFTER INSERT ON public.alias_candidate REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION public.rows_are_recorded_when_written();

CREATE TRIGGER written_when_recorded AFTER INSERT ON public.artifact REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION public.rows_are_recorded_when_written();

CREATE TRIGGER written_when_recorded AFTER INSERT ON public.entity REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION public.rows_are_recorded_when_written();

CREATE TRIGGER written_when_recorded BEFORE INSERT OR UPDATE ON public.entity_state FOR EACH ROW EXECUTE FUNCTION public.beliefs_are_recorded_when_written();

CREATE TRIGGER written_when_recorded AFTER INSERT ON public.fact_candidate REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION public.rows_are_recorded_when_written();

CREATE TRIGGER written_when_recorded AFTER INSERT ON public.mention REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION public.rows_are_recorded_when_written();

CREATE TRIGGER written_when_recorded AFTER INSERT ON public.pending_reference REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION public.rows_are_recorded_when_written();

CREATE TRIGGER written_when_recorded BEFORE INSERT OR UPDATE ON public.reference FOR EACH ROW EXECUTE FUNCTION public.beliefs_are_recorded_when_written();

CREATE TRIGGER written_when_recorded AFTER INSERT ON public.state_event REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION public.rows_are_recorded_when_written();

CREATE TRIGGER written_when_recorded AFTER INSERT ON public.status_word REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION public.rows_are_recorded_when_written();

CREATE TRIGGER written_when_recorded AFTER INSERT ON public.withdrawal REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION public.rows_are_recorded_when_written();

ALTER TABLE ONLY public.absence
    ADD CONSTRAINT absence_tenant_id_artifact_fkey FOREIGN KEY (tenant_id, artifact) REFERENCES public.artifact(tenant_id, id);

ALTER TABLE ONLY public.absence
    ADD CONSTRAINT absence_tenant_id_entity_fkey FOREIGN KEY (tenant_id, entity) REFERENCES public.entity(tenant_id, id);

ALTER TABLE ONLY public.absence
    ADD CONSTRAINT absence_tenant_id_project_id_fkey FOREIGN KEY (tenant_id, project_id) REFERENCES public.project(tenant_id, project_id);

ALTER TABLE ONLY public.alias_candidate
    ADD CONSTRAINT alias_candidate_tenant_id_artifact_fkey FOREIGN KEY (tenant_id, artifact) REFERENCES public.artifact(tenant_id, id);

ALTER TABLE ONLY public.alias_candidate
    ADD CONSTRAINT alias_candidate_tenant_id_entity_fkey FOREIGN KEY (tenant_id, entity) REFERENCES public.entity(tenant_id, id);

ALTER TABLE ONLY public.alias_candidate
    ADD CONSTRAINT alias_candidate_tenant_id_project_id_fkey FOREIGN KEY (tenant_id, project_id) REFERENCES public.project(tenant_id, project_id);

ALTER TABLE ONLY public.alias
    ADD CONSTRAINT alias_tenant_id_project_id_fkey FOREIGN KEY (tenant_id, project_id) REFERENCES public.project(tenant_id, project_id);

ALTER TABLE ONLY public.alias
    ADD CONSTRAINT alias_tenant_id_source_fkey FOREIGN KEY (tenant_id, source) REFERENCES public.entity(tenant_id, id);

ALTER TABLE ONLY public.alias
    ADD CONSTRAINT alias_tenant_id_target_fkey FOREIGN KEY (tenant_id, target) REFERENCES public.entity(tenant_id, id);

ALTER TABLE ONLY public.artifact
    ADD CONSTRAINT artifact_tenant_id_entity_fkey FOREIGN KEY (tenant_id, entity) REFERENCES public.entity(tenant_id, id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.artifact
    ADD CONSTRAINT artifact_tenant_id_project_id_fkey FOREIGN KEY (tenant_id, project_id) REFERENCES public.project(tenant_id, project_id);

ALTER TABLE ONLY public.artifact
    ADD CONSTRAINT artifact_tenant_id_type_id_fkey FOREIGN KEY (tenant_id, type_id) REFERENCES public.type(tenant_id, type_id);

ALTER TABLE ONLY public.document_name
    ADD CONSTRAINT document_name_tenant_id_entity_fkey FOREIGN KEY (tenant_id, entity) REFERENCES public.entity(tenant_id, id);

ALTER TABLE ONLY public.document_root
    ADD CONSTRAINT document_root_tenant_id_entity_fkey FOREIGN KEY (tenant_id, entity) REFERENCES public.entity(tenant_id, id);

ALTER TABLE ONLY public.document_root
    ADD CONSTRAINT document_root_tenant_id_root_id_fkey FOREIGN KEY (tenant_id, root_id) REFERENCES public.import_root(tenant_id, root_id);

ALTER TABLE ONLY public.embedding
    ADD CONSTRAINT embedding_tenant_id_artifact_number_ordinal_fkey FOREIGN KEY (tenant_id, artifact_number, ordinal) REFERENCES public.passage(tenant_id, artifact_number, ordinal);

ALTER TABLE ONLY public.entity_state
    ADD CONSTRAINT entity_state_tenant_id_entity_fkey FOREIGN KEY (tenant_id, entity) REFERENCES public.entity(tenant_id, id);

ALTER TABLE ONLY public.entity_state
    ADD CONSTRAINT entity_state_tenant_id_source_artifact_fkey FOREIGN KEY (tenant_id, source_artifact) REFERENCES public.artifact(tenant_id, id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.entity
    ADD CONSTRAINT entity_tenant_id_project_id_fkey FOREIGN KEY (tenant_id, project_id) REFERENCES public.project(tenant_id, project_id);

ALTER TABLE ONLY public.entity
    ADD CONSTRAINT entity_tenant_id_source_artifact_fkey FOREIGN KEY (tenant_id, source_artifact) REFERENCES public.artifact(tenant_id, id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.entity
    ADD CONSTRAINT entity_tenant_id_type_id_fkey FOREIGN KEY (tenant_id, type_id) REFERENCES public.type(tenant_id, type_id);

ALTER TABLE ONLY public.fact_candidate
    ADD CONSTRAINT fact_candidate_tenant_id_artifact_fkey FOREIGN KEY (tenant_id, artifact) REFERENCES public.artifact(tenant_id, id);

ALTER TABLE ONLY public.fact_candidate
    ADD CONSTRAINT fact_candidate_tenant_id_entity_fkey FOREIGN KEY (tenant_id, entity) REFERENCES public.entity(tenant_id, id);

ALTER TABLE ONLY public.fact_candidate
    ADD CONSTRAINT fact_candidate_tenant_id_project_id_fkey FOREIGN KEY (tenant_id, project_id) REFERENCES public.project(tenant_id, project_id);

ALTER TABLE ONLY public.idempotent_answer
    ADD CONSTRAINT idempotent_answer_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenant(tenant_id);

ALTER TABLE ONLY public.import_root
    ADD CONSTRAINT import_root_tenant_id_project_id_fkey FOREIGN KEY (tenant_id, project_id) REFERENCES public.project(tenant_id, project_id);

ALTER TABLE ONLY public.ledger_clock
    ADD CONSTRAINT ledger_clock_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenant(tenant_id);

ALTER TABLE ONLY public.mention
    ADD CONSTRAINT mention_tenant_id_artifact_fkey FOREIGN KEY (tenant_id, artifact) REFERENCES public.artifact(tenant_id, id);

ALTER TABLE ONLY public.mention
    ADD CONSTRAINT mention_tenant_id_entity_fkey FOREIGN KEY (tenant_id, entity) REFERENCES public.entity(tenant_id, id);

ALTER TABLE ONLY public.passage
    ADD CONSTRAINT passage_tenant_id_artifact_number_fkey FOREIGN KEY (tenant_id, artifact_number) REFERENCES public.artifact(tenant_id, number);

ALTER TABLE ONLY public.pending_reference
    ADD CONSTRAINT pending_reference_tenant_id_project_id_fkey FOREIGN KEY (tenant_id, project_id) REFERENCES public.project(tenant_id, project_id);

ALTER TABLE ONLY public.pending_reference
    ADD CONSTRAINT pending_reference_tenant_id_source_fkey FOREIGN KEY (tenant_id, source) REFERENCES public.entity(tenant_id, id);

ALTER TABLE ONLY public.project
    ADD CONSTRAINT project_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenant(tenant_id);

ALTER TABLE ONLY public.reference_claim
    ADD CONSTRAINT reference_claim_tenant_id_source_fkey FOREIGN KEY (tenant_id, source) REFERENCES public.entity(tenant_id, id);

ALTER TABLE ONLY public.reference_rule
    ADD CONSTRAINT reference_rule_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenant(tenant_id);

ALTER TABLE ONLY public.reference_rule
    ADD CONSTRAINT reference_rule_tenant_id_source_type_fkey FOREIGN KEY (tenant_id, source_type) REFERENCES public.type(tenant_id, type_id);

ALTER TABLE ONLY public.reference_rule
    ADD CONSTRAINT reference_rule_tenant_id_target_type_fkey FOREIGN KEY (tenant_id, target_type) REFERENCES public.type(tenant_id, type_id);

ALTER TABLE ONLY public.reference
    ADD CONSTRAINT reference_tenant_id_project_id_fkey FOREIGN KEY (tenant_id, project_id) REFERENCES public.project(tenant_id, project_id);

ALTER TABLE ONLY public.reference
    ADD CONSTRAINT reference_tenant_id_source_fkey FOREIGN KEY (tenant_id, source) REFERENCES public.entity(tenant_id, id);

ALTER TABLE ONLY public.reference
    ADD CONSTRAINT reference_tenant_id_target_fkey FOREIGN KEY (tenant_id, target) REFERENCES public.entity(tenant_id, id);

ALTER TABLE ONLY public.scope_statistics
    ADD CONSTRAINT scope_statistics_tenant_id_project_id_fkey FOREIGN KEY (tenant_id, project_id) REFERENCES public.project(tenant_id, project_id);

ALTER TABLE ONLY public.state_event
    ADD CONSTRAINT state_event_tenant_id_cause_artifact_fkey FOREIGN KEY (tenant_id, cause_artifact) REFERENCES public.artifact(tenant_id, id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.state_event
    ADD CONSTRAINT state_event_tenant_id_draft_fkey FOREIGN KEY (tenant_id, draft) REFERENCES public.entity_state(tenant_id, id);

ALTER TABLE ONLY public.state_event
    ADD CONSTRAINT state_event_tenant_id_from_state_fkey FOREIGN KEY (tenant_id, from_state) REFERENCES public.entity_state(tenant_id, id);

ALTER TABLE ONLY public.state_event
    ADD CONSTRAINT state_event_tenant_id_to_state_fkey FOREIGN KEY (tenant_id, to_state) REFERENCES public.entity_state(tenant_id, id);

ALTER TABLE ONLY public.state_name
    ADD CONSTRAINT state_name_tenant_id_state_fkey FOREIGN KEY (tenant_id, state) REFERENCES public.entity_state(tenant_id, id);

ALTER TABLE ONLY public.status_word
    ADD CONSTRAINT status_word_tenant_id_project_id_fkey FOREIGN KEY (tenant_id, project_id) REFERENCES public.project(tenant_id, project_id);

ALTER TABLE ONLY public.token
    ADD CONSTRAINT token_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenant(tenant_id);

ALTER TABLE ONLY public.token
    ADD CONSTRAINT token_tenant_id_project_id_fkey FOREIGN KEY (tenant_id, project_id) REFERENCES public.project(tenant_id, project_id);

ALTER TABLE ONLY public.type
    ADD CONSTRAINT type_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenant(tenant_id);

ALTER TABLE ONLY public.type
    ADD CONSTRAINT type_tenant_id_project_id_fkey FOREIGN KEY (tenant_id, project_id) REFERENCES public.project(tenant_id, project_id);

ALTER TABLE ONLY public.withdrawal
    ADD CONSTRAINT withdrawal_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenant(tenant_id);

ALTER TABLE public.absence ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.alias ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.alias_candidate ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.artifact ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.document_block ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.document_name ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.document_root ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.embedding ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.entity ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.entity_state ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.fact_candidate ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.idempotent_answer ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.import_root ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.ledger_clock ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.mention ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.outbox ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.passage ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.pending_reference ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.posting ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.posting_block ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.project ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.reference ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.reference_claim ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.reference_rule ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.scope_statistics ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.state_event ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.state_name ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.status_word ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.tenant ENABLE ROW LEVEL SECURITY;

CREATE POLICY tenants_never_see_each_other ON public.absence USING ((tenant_id = public.current_tenant()));

CREATE POLICY tenants_never_see_each_other ON public.alias USING ((tenant_id = public.current_tenant()));

CREATE POLICY tenants_never_see_each_other ON public.alias_candidate USING ((tenant_id = public.current_tenant()));

CREATE POLICY tenants_never_see_each_other ON public.artifact USING ((tenant_id = public.current_tenant()));

CREATE POLICY tenants_never_see_each_other ON public.document_block USING ((tenant_id = public.current_tenant()));

CREATE POLICY tenants_never_see_each_other ON public.document_name USING ((tenant_id = public.current_tenant()));

CREATE POLICY tenants_never_see_each_other ON public.document_root USING ((tenant_id = public.current_tenant()));

CREATE POLICY tenants_never_see_each_other ON public.embedding USING ((tenant_id = public.current_tenant()));

CREATE POLICY tenants_never_see_each_other ON public.entity USING ((tenant_id = public.current_tenant()));

CREATE POLICY tenants_never_see_each_other ON public.entity_state USING ((tenant_id = public.current_tenant()));

CREATE POLICY tenants_never_see_each_other ON public.fact_candidate USING ((tenant_id = public.current_tenant()));

CREATE POLICY tenants_never_see_each_other ON public.idempotent_answer USING ((tenant_id = public.current_tenant()));

CREATE POLICY tenants_never_see_each_other ON public.import_root USING ((tenant_id = public.current_tenant()));

CREATE POLICY tenants_never_see_each_other ON public.ledger_clock USING ((tenant_id = public.current_tenant()));

CREATE POLICY tenants_never_see_each_other ON public.mention USING ((tenant_id = public.current_tenant()));

CREATE POLICY tenants_never_see_each_other ON public.outbox USING ((tenant_id = public.current_tenant()));

CREATE POLICY tenants_never_see_each_other ON public.passage USING ((tenant_id = public.current_tenant()));

CREATE POLICY tenants_never_see_each_other ON public.pending_reference USING ((tenant_id = public.current_tenant()));

CREATE POLICY tenants_never_see_each_other ON public.posting USING ((tenant_id = public.current_tenant()));

CREATE POLICY tenants_never_see_each_other ON public.posting_block USING ((tenant_id = public.current_tenant()));

CREATE POLICY tenants_never_see_each_other ON public.project USING ((tenant_id = public.current_tenant()));

CREATE POLICY tenants_never_see_each_other ON public.reference USING ((tenant_id = public.current_tenant()));

CREATE POLICY tenants_never_see_each_other ON public.reference_claim USING ((tenant_id = public.current_tenant()));

CREATE POLICY tenants_never_see_each_other ON public.reference_rule USING ((tenant_id = public.current_tenant()));

CREATE POLICY tenants_never_see_each_other ON public.scope_statistics USING ((tenant_id = public.current_tenant()));

CREATE POLICY tenants_never_see_each_other ON public.state_event USING ((tenant_id = public.current_tenant()));

CREATE POLICY tenants_never_see_each_other ON public.state_name USING ((tenant_id = public.current_tenant()));

CREATE POLICY tenants_never_see_each_other ON public.status_word USING ((tenant_id = public.current_tenant()));

CREATE POLICY tenants_never_see_each_other ON public.tenant USING ((tenant_id = public.current_tenant()));

CREATE POLICY tenants_never_see_each_other ON public.term_statistics USING ((tenant_id = public.current_tenant()));

CREATE POLICY tenants_never_see_each_other ON public.token USING ((tenant_id = public.current_tenant()));

CREATE POLICY tenants_never_see_each_other ON public.type USING ((tenant_id = public.current_tenant()));

CREATE POLICY tenants_never_see_each_other ON public.withdrawal USING ((tenant_id = public.current_tenant()));

ALTER TABLE public.term_statistics ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.token ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.type ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.withdrawal ENABLE ROW LEVEL SECURITY;

GRANT USAGE ON SCHEMA one_project TO trigraph_service;

GRANT USAGE ON SCHEMA public TO trigraph_service;

REVOKE ALL ON FUNCTION pg_catalog.lo_creat(integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION pg_catalog.lo_create(oid) FROM PUBLIC;

REVOKE ALL ON FUNCTION pg_catalog.lo_from_bytea(oid, bytea) FROM PUBLIC;

REVOKE ALL ON FUNCTION pg_catalog.lo_open(oid, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION pg_catalog.lo_put(oid, bigint, bytea) FROM PUBLIC;

REVOKE ALL ON FUNCTION pg_catalog.lowrite(integer, bytea) FROM PUBLIC;

GRANT SELECT,INSERT ON TABLE public.artifact TO trigraph_service;

GRANT SELECT,INSERT ON TABLE public.document_block TO trigraph_service;

GRANT SELECT,INSERT ON TABLE public.posting TO trigraph_service;

GRANT SELECT,INSERT ON TABLE public.posting_block TO trigraph_service;

GRANT ALL ON FUNCTION public.is_unknown(moment timestamp with time zone) TO trigraph_service;

REVOKE ALL ON FUNCTION public.keep_tenants_apart(relation regclass) FROM PUBLIC;

GRANT SELECT,INSERT ON TABLE public.document_name TO trigraph_service;

GRANT UPDATE(closed_at) ON TABLE public.document_name TO trigraph_service;

GRANT ALL ON FUNCTION public.key_at(of_tenant integer, of_entity uuid, present_key text, instant timestamp with time zone) TO trigraph_service;

REVOKE ALL ON FUNCTION public.show_one_project(relation text, condition text) FROM PUBLIC;

GRANT SELECT,INSERT ON TABLE public.outbox TO trigraph_service;

REVOKE ALL ON FUNCTION public.stands_in_ledger(at bigint, mark text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.stands_in_ledger(at bigint, mark text) TO trigraph_service;

GRANT SELECT,INSERT ON TABLE public.absence TO trigraph_service;

GRANT UPDATE(retracted_at) ON TABLE public.absence TO trigraph_service;

GRANT ALL ON FUNCTION public.stated_since(of_tenant integer, of_entity uuid, begins timestamp with time zone, moment timestamp with time zone) TO trigraph_service;

GRANT SELECT,INSERT,UPDATE ON TABLE one_project.absence TO trigraph_service;

GRANT SELECT,INSERT ON TABLE public.alias TO trigraph_service;

GRANT UPDATE(retracted_at) ON TABLE public.alias TO trigraph_service;

GRANT SELECT,INSERT,UPDATE ON TABLE one_project.alias TO trigraph_service;

GRANT SELECT,INSERT ON TABLE public.alias_candidate TO trigraph_service;

GRANT UPDATE(status) ON TABLE public.alias_candidate TO trigraph_service;

GRANT UPDATE(reviewed_by) ON TABLE public.alias_candidate TO trigraph_service;

GRANT UPDATE(reviewed_at) ON TABLE public.alias_candidate TO trigraph_service;

GRANT UPDATE(review_reason) ON TABLE public.alias_candidate TO trigraph_service;

GRANT SELECT,INSERT,UPDATE ON TABLE one_project.alias_candidate TO trigraph_service;

GRANT SELECT,INSERT,UPDATE ON TABLE one_project.artifact TO trigraph_service;

GRANT SELECT,INSERT,UPDATE ON TABLE one_project.document_name TO trigraph_service;

GRANT SELECT,INSERT ON TABLE public.entity TO trigraph_service;

GRANT UPDATE(key) ON TABLE public.entity TO trigraph_service;

GRANT UPDATE(bare_key) ON TABLE public.entity TO trigraph_service;

GRANT UPDATE(created_at) ON TABLE public.entity TO trigraph_service;

GRANT SELECT,INSERT,UPDATE ON TABLE one_project.entity TO trigraph_service;

GRANT SELECT,INSERT ON TABLE public.entity_state TO trigraph_service;

GRANT UPDATE(retracted_at) ON TABLE public.entity_state TO trigraph_service;

GRANT SELECT,INSERT,UPDATE ON TABLE one_project.entity_state TO trigraph_service;

GRANT SELECT,INSERT ON TABLE public.fact_candidate TO trigraph_service;

GRANT UPDATE(status) ON TABLE public.fact_candidate TO trigraph_service;

GRANT UPDATE(reviewed_by) ON TABLE public.fact_candidate TO trigraph_service;

GRANT UPDATE(reviewed_at) ON TABLE public.fact_candidate TO trigraph_service;

GRANT UPDATE(review_reason) ON TABLE public.fact_candidate TO trigraph_service;

GRANT SELECT,INSERT,UPDATE ON TABLE one_project.fact_candidate TO trigraph_service;

GRANT SELECT,INSERT ON TABLE public.import_root TO trigraph_service;

GRANT SELECT,INSERT,UPDATE ON TABLE one_project.import_root TO trigraph_service;

GRANT SELECT,INSERT ON TABLE public.mention TO trigraph_service;

GRANT SELECT,INSERT,UPDATE ON TABLE one_project.mention TO trigraph_service;

GRANT SELECT,INSERT ON TABLE public.pending_reference TO trigraph_service;

GRANT UPDATE(closed_at) ON TABLE public.pending_reference TO trigraph_service;

GRANT SELECT,INSERT,UPDATE ON TABLE one_project.pending_reference TO trigraph_service;

GRANT SELECT,INSERT ON TABLE public.project TO trigraph_service;

GRANT SELECT,INSERT,UPDATE ON TABLE one_project.project TO trigraph_service;

GRANT SELECT,INSERT ON TABLE public.reference TO trigraph_service;

GRANT UPDATE(retracted_at) ON TABLE public.reference TO trigraph_service;

GRANT SELECT,INSERT,UPDATE ON TABLE one_project.reference TO trigraph_service;

GRANT SELECT,INSERT ON TABLE public.reference_claim TO trigraph_service;

GRANT UPDATE(closed_at) ON TABLE public.reference_claim TO trigraph_service;

GRANT SELECT,INSERT,UPDATE ON TABLE one_project.reference_claim TO trigraph_service;

GRANT SELECT,INSERT ON TABLE public.state_event TO trigraph_service;

GRANT SELECT,INSERT,UPDATE ON TABLE one_project.state_event TO trigraph_service;

GRANT SELECT,INSERT ON TABLE public.status_word TO trigraph_service;

GRANT UPDATE(closed_at) ON TABLE public.status_word TO trigraph_service;

GRANT SELECT,INSERT,UPDATE ON TABLE one_project.status_word TO trigraph_service;

GRANT SELECT,INSERT ON TABLE public.type TO trigraph_service;

GRANT UPDATE(mutable_props) ON TABLE public.type TO trigraph_service;

GRANT SELECT,INSERT,UPDATE ON TABLE one_project.type TO trigraph_service;

GRANT USAGE ON SEQUENCE public.artifact_number_seq TO trigraph_service;

GRANT SELECT,INSERT ON TABLE public.document_root TO trigraph_service;

GRANT UPDATE(root_id) ON TABLE public.document_root TO trigraph_service;

GRANT UPDATE(source_uri) ON TABLE public.document_root TO trigraph_service;

GRANT UPDATE(recorded_at) ON TABLE public.document_root TO trigraph_service;

GRANT UPDATE(left_at) ON TABLE public.document_root TO trigraph_service;

GRANT SELECT,INSERT ON TABLE public.embedding TO trigraph_service;

GRANT SELECT,INSERT ON TABLE public.embedding_model TO trigraph_service;

GRANT SELECT,INSERT ON TABLE public.idempotent_answer TO trigraph_service;

GRANT SELECT ON TABLE public.ledger_clock TO trigraph_service;

GRANT UPDATE(recorded_at) ON TABLE public.ledger_clock TO trigraph_service;

GRANT SELECT ON TABLE public.outbox_horizon TO trigraph_service;

GRANT SELECT,INSERT ON TABLE public.passage TO trigraph_service;

GRANT SELECT,INSERT ON TABLE public.reference_rule TO trigraph_service;

GRANT SELECT ON TABLE public.schema_migration TO trigraph_service;

GRANT SELECT,INSERT ON TABLE public.scope_statistics TO trigraph_service;

GRANT UPDATE(documents) ON TABLE public.scope_statistics TO trigraph_service;

GRANT UPDATE(total_terms) ON TABLE public.scope_statistics TO trigraph_service;

GRANT UPDATE(latest_created_at) ON TABLE public.scope_statistics TO trigraph_service;

GRANT UPDATE(latest_recorded_at) ON TABLE public.scope_statistics TO trigraph_service;

GRANT SELECT,INSERT ON TABLE public.state_name TO trigraph_service;

GRANT SELECT ON TABLE public.tenant TO trigraph_service;

GRANT SELECT,INSERT ON TABLE public.term_statistics TO trigraph_service;

GRANT UPDATE(documents) ON TABLE public.term_statistics TO trigraph_service;

GRANT SELECT ON TABLE public.token TO trigraph_service;

GRANT SELECT,INSERT ON TABLE public.withdrawal TO trigraph_service;

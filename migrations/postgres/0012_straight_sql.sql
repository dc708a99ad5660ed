-- What the program keeps, the ledger keeps by itself: whoever writes in plain SQL as the service breaks no rule of
-- time, of identity or of projects either, and no tenant is in the way of another.

-- A belief recorded at the clock's time is only then none of the past when the clock was moved for it, and rules
-- that look at other rows hold only while nobody else writes. Both follow from one demand: a write moves its
-- tenant's clock first, which keeps every other writer of the tenant waiting until it has ended.
ALTER TABLE ledger_clock ADD COLUMN transaction_id xid8 NOT NULL DEFAULT '0';

CREATE OR REPLACE FUNCTION transaction_time_moves_forward() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.tenant_id <> OLD.tenant_id OR NEW.recorded_at <= OLD.recorded_at
        OR NEW.recorded_at > greatest(clock_timestamp(), OLD.recorded_at + interval '1 microsecond') THEN
        PERFORM refuse('transaction_time_moves_forward', 'the ledger clock goes forward, and no further than now');
    END IF;
    NEW.transaction_id := pg_current_xact_id();
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION beliefs_are_recorded_when_written() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    clock ledger_clock%ROWTYPE;
BEGIN
    SELECT * INTO clock FROM ledger_clock WHERE tenant_id = NEW.tenant_id;
    IF TG_OP = 'INSERT' AND (NEW.recorded_at IS DISTINCT FROM clock.recorded_at OR NEW.retracted_at IS NOT NULL)
        OR TG_OP = 'UPDATE' AND NEW.retracted_at IS DISTINCT FROM clock.recorded_at THEN
        PERFORM refuse('beliefs_are_recorded_when_written', 'transaction time is read from the ledger clock');
    END IF;
    IF clock.transaction_id <> pg_current_xact_id() THEN
        PERFORM refuse('a_write_moves_the_ledger_clock', 'a write moves the clock of its tenant before it records');
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION rows_are_recorded_when_written() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    is_at_the_clock boolean := (
        SELECT clock.recorded_at IS NOT DISTINCT FROM written.recorded_at
        FROM written LEFT JOIN ledger_clock AS clock ON clock.tenant_id = written.tenant_id
        WHERE clock.recorded_at IS DISTINCT FROM written.recorded_at
            OR clock.transaction_id <> pg_current_xact_id()
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

-- Types and identities ----------------------------------------------------------------------------

ALTER TABLE type ADD CONSTRAINT a_system_type_is_of_every_project CHECK (zone <> 'SYSTEM' OR project_id IS NULL);

CREATE FUNCTION no_project_redefines_a_type_of_all() RETURNS trigger LANGUAGE plpgsql AS $$
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

CREATE FUNCTION types_only_widen() RETURNS trigger LANGUAGE plpgsql AS $$
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

CREATE FUNCTION an_entity_is_of_a_type_of_its_project() RETURNS trigger LANGUAGE plpgsql AS $$
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

-- States and events ---------------------------------------------------------------------------------

ALTER TABLE entity_state ADD CONSTRAINT properties_are_an_object CHECK (jsonb_typeof(props) = 'object');

-- A draft is no state an entity could be in.
CREATE OR REPLACE FUNCTION every_entity_has_a_state() RETURNS trigger LANGUAGE plpgsql AS $$
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

-- They may reach back before the moment from which the entity was first known, but leave no gap after it.
CREATE OR REPLACE FUNCTION committed_states_tile_time() RETURNS trigger LANGUAGE plpgsql AS $$
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

CREATE FUNCTION an_event_is_of_the_entity_of_its_state() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE FUNCTION an_event_ends_the_draft_it_names() RETURNS trigger LANGUAGE plpgsql AS $$
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

-- Projects ------------------------------------------------------------------------------------------

CREATE FUNCTION an_alias_stays_in_its_project() RETURNS trigger LANGUAGE plpgsql AS $$
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

-- The target of a reference may lie in another.
CREATE OR REPLACE FUNCTION references_follow_their_rules() RETURNS trigger LANGUAGE plpgsql AS $$
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

-- Tenants -------------------------------------------------------------------------------------------

-- Two tenants may have one id, and neither hears of the other's. The tenant comes last: all rows of most ledgers
-- have the same, by which an index tells nothing apart.
ALTER TABLE entity_state
    DROP CONSTRAINT one_belief_per_instant,
    ADD CONSTRAINT one_belief_per_instant EXCLUDE USING gist (
        uuid_range(entity, entity, '[]') WITH &&,
        text_range(branch, branch, '[]') WITH &&,
        tstzrange(valid_from, valid_until) WITH &&,
        tstzrange(recorded_at, retracted_at) WITH &&,
        int8range(tenant_id, tenant_id, '[]') WITH &&
    );
-- Made anew behind it, so that the same rule as before speaks first.
DROP INDEX one_open_committed_state_per_entity, one_open_wip_state_per_entity;
CREATE UNIQUE INDEX one_open_committed_state_per_entity ON entity_state (tenant_id, entity)
    WHERE branch = 'COMMITTED' AND valid_until IS NULL AND retracted_at IS NULL;
CREATE UNIQUE INDEX one_open_wip_state_per_entity ON entity_state (tenant_id, entity)
    WHERE branch = 'WIP' AND valid_until IS NULL AND retracted_at IS NULL;
ALTER TABLE reference
    DROP CONSTRAINT one_reference_of_a_type_between_two,
    ADD CONSTRAINT one_reference_of_a_type_between_two EXCLUDE USING gist (
        uuid_range(source, source, '[]') WITH &&,
        uuid_range(target, target, '[]') WITH &&,
        text_range(type, type, '[]') WITH &&,
        tstzrange(valid_from, valid_until) WITH &&,
        tstzrange(recorded_at, retracted_at) WITH &&,
        int8range(tenant_id, tenant_id, '[]') WITH &&
    );

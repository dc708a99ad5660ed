-- Many documents in one write: each at a transaction time of its own, their numbers known before their rows are
-- written, and counted together.

-- A write may record at any time between the clock's before it began and the clock's now: nobody has seen the ledger
-- there yet, since the clock's row is held until the write has ended. It may take the times of a millisecond at once,
-- which has passed before anybody else hears of them.
ALTER TABLE ledger_clock ADD COLUMN held_from timestamptz NOT NULL DEFAULT 'epoch';

CREATE OR REPLACE FUNCTION transaction_time_moves_forward() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.tenant_id <> OLD.tenant_id OR NEW.recorded_at <= OLD.recorded_at
        OR NEW.recorded_at > greatest(clock_timestamp(), OLD.recorded_at) + interval '1 millisecond' THEN
        PERFORM refuse('transaction_time_moves_forward', 'the ledger clock goes forward, and no further than now');
    END IF;
    NEW.held_from := CASE WHEN OLD.transaction_id = pg_current_xact_id() THEN OLD.held_from ELSE OLD.recorded_at END;
    NEW.transaction_id := pg_current_xact_id();
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION beliefs_are_recorded_when_written() RETURNS trigger LANGUAGE plpgsql AS $$
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

CREATE OR REPLACE FUNCTION rows_are_recorded_when_written() RETURNS trigger LANGUAGE plpgsql AS $$
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

-- Numbers are taken while the clock is held, so that they still commit in their order.
DO $$
BEGIN
    EXECUTE format('GRANT USAGE ON SEQUENCE %s TO trigraph_service', pg_get_serial_sequence('artifact', 'number'));
END $$;

-- A count that many documents move at once may pass 240 without ever being a multiple of it.
CREATE OR REPLACE FUNCTION pack_postings_of_term() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    FOR block IN coalesce(OLD.documents, 0) / 240 + 1 .. NEW.documents / 240 LOOP
        PERFORM pack_postings(NEW.tenant_id, NEW.term, NEW.project_id);
    END LOOP;
    RETURN NULL;
END $$;
DROP TRIGGER pack_postings ON term_statistics;
CREATE TRIGGER pack_postings AFTER UPDATE OF documents ON term_statistics
    FOR EACH ROW WHEN (NEW.documents / 240 > OLD.documents / 240) EXECUTE FUNCTION pack_postings_of_term();
CREATE TRIGGER pack_first_postings AFTER INSERT ON term_statistics
    FOR EACH ROW WHEN (NEW.documents >= 240) EXECUTE FUNCTION pack_postings_of_term();

CREATE OR REPLACE FUNCTION pack_documents_of_project() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    FOR block IN coalesce(OLD.documents, 0) / 240 + 1 .. NEW.documents / 240 LOOP
        PERFORM pack_documents(NEW.tenant_id, NEW.project_id);
    END LOOP;
    RETURN NULL;
END $$;
DROP TRIGGER pack_documents ON scope_statistics;
CREATE TRIGGER pack_documents AFTER UPDATE OF documents ON scope_statistics
    FOR EACH ROW WHEN (NEW.documents / 240 > OLD.documents / 240) EXECUTE FUNCTION pack_documents_of_project();
CREATE TRIGGER pack_first_documents AFTER INSERT ON scope_statistics
    FOR EACH ROW WHEN (NEW.documents >= 240) EXECUTE FUNCTION pack_documents_of_project();

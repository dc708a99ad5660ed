-- What is recorded under a clock that is far ahead stays there: every later write follows it. One clock cannot tell
-- whether the ledger rested or the clock is wrong. So a writer that moves the ledger clock by more than a day since the
-- last write says what its own clock reads, and the two may differ by a day.

CREATE OR REPLACE FUNCTION transaction_time_moves_forward() RETURNS trigger LANGUAGE plpgsql
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

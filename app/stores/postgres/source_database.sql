-- name: settle_in
-- What makes a session read everything of a table, in forms that do not depend on who asks, for as long as it takes.
SELECT set_config('TimeZone', 'UTC', true), set_config('DateStyle', 'ISO, YMD', true),
    set_config('row_security', 'off', true), set_config('statement_timeout', '0', true),
    set_config('idle_in_transaction_session_timeout', '0', true)

-- name: table_called
-- The table or view of one of these names, the first that there is, in a schema or else on the search path.
SELECT relation.oid, namespace.nspname AS schema, relation.relname AS name
FROM pg_class AS relation
JOIN pg_namespace AS namespace ON namespace.oid = relation.relnamespace
WHERE relation.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND relation.relname = ANY ($2::text[])
    AND CASE
        WHEN $1::text[] IS NULL THEN pg_table_is_visible(relation.oid)
        ELSE namespace.nspname = ANY ($1::text[])
    END
ORDER BY array_position($1::text[], namespace.nspname::text), array_position($2::text[], relation.relname::text)
LIMIT 1

-- name: columns_of
-- The columns of a table in order: what each holds, and its place in the primary key.
SELECT attribute.attname AS name, format_type(attribute.atttypid, attribute.atttypmod) AS type,
    CASE
        WHEN base.typname IN ('json', 'jsonb') THEN 'json'
        WHEN base.typname = 'bytea' THEN 'bytes'
        WHEN base.typcategory IN ('S', 'E') THEN 'text'
        WHEN base.typcategory = 'N' THEN 'number'
        WHEN base.typcategory = 'D' THEN 'moment'
        WHEN base.typcategory = 'A' THEN 'list'
        ELSE 'other'
    END AS shape,
    array_position(key.indkey::int2[], attribute.attnum) AS key_place
FROM pg_attribute AS attribute
JOIN pg_type AS declared ON declared.oid = attribute.atttypid
JOIN pg_type AS base ON base.oid = COALESCE(NULLIF(declared.typbasetype, 0), declared.oid)
LEFT JOIN pg_index AS key ON key.indrelid = attribute.attrelid AND key.indisprimary
WHERE attribute.attrelid = $1::oid AND attribute.attnum > 0 AND NOT attribute.attisdropped
ORDER BY attribute.attnum

-- name: tables_there
-- The names of the tables and views of the database, as they are written.
SELECT format('%I.%I', namespace.nspname, relation.relname) AS name
FROM pg_class AS relation
JOIN pg_namespace AS namespace ON namespace.oid = relation.relnamespace
WHERE relation.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND namespace.nspname <> 'information_schema' AND namespace.nspname !~ '^pg_'
ORDER BY namespace.nspname, relation.relname
LIMIT $1::int

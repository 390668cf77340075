-- What all other files use. Times are milliseconds since 1970, as everywhere in the library.

create function taskboard.now_ms() returns bigint language sql volatile parallel safe as $$
  select (extract(epoch from clock_timestamp()) * 1000)::bigint
$$;

-- A prefix and 26 lower-case hexadecimal digits, like the ids that the library makes itself: 11 digits of time, so that ids rise with it,
-- and 15 random ones, the last digits of a UUID. The planner inlines this function into each query that calls it and prepares it every
-- time, even when the query makes no id, so it is short.
create function taskboard.new_id(prefix text, at bigint) returns text language sql volatile as $$
  select prefix || '_' || lpad(to_hex(at), 11, '0') || substr(replace(gen_random_uuid()::text, '-', ''), 18)
$$;

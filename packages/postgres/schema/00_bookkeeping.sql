-- Which migrations the database has. The other files of this folder, in their order, are migration 1.
create schema if not exists taskboard;

create table taskboard.migration (
  number integer primary key,
  name text not null,
  -- SHA-256 of the SQL: shows that a migration was applied with another text.
  digest text not null,
  applied_at timestamptz not null default now()
);

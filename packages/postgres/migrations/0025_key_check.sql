-- A text that is sealed with the encryption key of the processes. One with another key does not start.
create table taskboard.key_check (
  only_row boolean primary key default true check (only_row),
  sealed text not null
);

-- Once, as a superuser: psql -f roles.sql. Change both passwords.
create role board_owner login password 'change_me_owner';
create role board login password 'change_me_board';
alter role board set jit = off;
alter role board set statement_timeout = '12s';
alter role board set idle_in_transaction_session_timeout = '60s';
create database board owner board_owner;
revoke all on database board from public;
grant connect on database board to board;

\connect board
-- Everything that migrations will create in this database, now and later.
alter default privileges for role board_owner grant usage on schemas to board;
alter default privileges for role board_owner grant select, insert, update, delete on tables to board;
alter default privileges for role board_owner grant execute on functions to board;

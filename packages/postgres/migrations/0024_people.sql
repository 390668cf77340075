-- Who has a task without an agent, as JSON of kind, id and name; and the name of who decided an approval, as it was then.
alter table taskboard.task add column taken_by jsonb;
alter table taskboard.approval add column decided_by_name text;

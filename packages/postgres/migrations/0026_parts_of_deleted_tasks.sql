-- Writing the rows below checks no reference to their task. They go with it, whatever deletes the task, a statement by hand included:
-- without their task, nothing tells whose most of them were.
create function taskboard.delete_parts() returns trigger language plpgsql as $$
declare
  ids text[] := array(select g.id from gone g);
begin
  delete from taskboard.attempt r where r.task_id = any (ids);
  delete from taskboard.task_comment r where r.task_id = any (ids);
  delete from taskboard.approval r where r.task_id = any (ids);
  delete from taskboard.task_usage r where r.task_id = any (ids);
  delete from taskboard.freeing r where r.task_id = any (ids);
  delete from taskboard.todo r where r.task_id = any (ids);
  delete from taskboard.task_search r using gone g where r.workspace_id = g.workspace_id and r.task_id = g.id;
  return null;
end
$$;
create trigger delete_parts after delete on taskboard.task referencing old table as gone
  for each statement execute function taskboard.delete_parts();

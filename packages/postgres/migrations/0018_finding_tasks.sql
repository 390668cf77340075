-- What a task is found by: each begins with its workspace, so that a search reads nothing of other workspaces. The signs before types,
-- tags and flags are in no word. Kept in the row: to make it takes much longer than to read it.
create function taskboard.search_terms(
  workspace text, title_words text[], description_words text[], type text, tags text[], flag smallint
) returns tsvector language sql immutable parallel safe as $$
  select array_to_tsvector(array(
    select workspace || '/' || term from (
      select unnest(title_words) union select unnest(description_words) union select '#' || unnest(tags)
      union select '=' || type where type is not null union select '!' || flag::text
    ) as terms (term)
  ))
$$;

-- Finding tasks by their words, and in other orders than the newest first. What searches look for is in a table of its own: it changes
-- only when a person edits the task, and the indexes of `task` are written with each claim, renewal and completion.
create table taskboard.task_search (
  workspace_id text not null,
  task_id text not null,
  created_at bigint not null,
  -- The due date, or the largest number of the library for none, below 0: what is due first is the greatest.
  due_rank bigint not null,
  -- As `searchWords` of the core returns them.
  title_words text[] not null,
  description_words text[] not null,
  type text,
  tags text[] not null,
  flag smallint not null,
  terms tsvector generated always as (
    taskboard.search_terms(workspace_id, title_words, description_words, type, tags, flag)
  ) stored,
  primary key (workspace_id, task_id)
);

-- Tasks from before have the words that the database makes of their texts. These differ from those of the library where the database
-- does not know the lower case of a letter; the next edit of the text corrects them.
create function taskboard.words_of(text_of_task text) returns text[] language sql stable as $$
  select coalesce(array_agg(distinct left(word, 64)), '{}') from regexp_split_to_table(lower(text_of_task), '[^[:alnum:]]+') as word
  where word <> ''
$$;
insert into taskboard.task_search
select t.workspace_id, t.id, t.created_at, -coalesce(t.due_date, 9007199254740991), taskboard.words_of(t.title),
  (taskboard.words_of(coalesce(t.description, '')))[:1000], t.type, t.tags, t.flag
from taskboard.task t;
drop function taskboard.words_of(text);

create index task_search_terms on taskboard.task_search
  using gin (terms);
create index task_search_due on taskboard.task_search (workspace_id, due_rank, task_id);
create index task_search_created on taskboard.task_search (workspace_id, created_at);
-- Without the id: with it, the planner may look up a task of a workspace here, and reads all entries of the workspace for that.
create index task_updated on taskboard.task (workspace_id, updated_at);
create index task_parent on taskboard.task (parent_id, id) where parent_id is not null;

-- The agents that workers outside of the runtimes have claimed for: whether they still do is looked at all the time.
create index agent_worked on taskboard.agent (worked_until) where worked_until is not null;

import { searchWords, type NewTask, type TaskChange, type TaskConditions } from '@taskboard/core/storage'
import { rankOf } from './field-columns.js'

/**
 * What a task is found by: `task_search.terms`. The words of the title have the weight A and the words of the description B. An edit of one
 * keeps the words of the other without computing them again. The other terms have a character in front that no word has, and no weight.
 * Each begins with the id of the workspace and a slash.
 */
export function searchTerms({ workspaceId, title, description, type, tags, priority }: NewTask): string {
  const others = [
    ...tags.map((tag) => TAG + tag),
    ...(type === null ? [] : [TYPE + type]),
    PRIORITY + rankOf(priority),
  ]
  const ofTexts = [wordsOf(workspaceId, title, TITLE), wordsOf(workspaceId, description, DESCRIPTION)]
  return [...ofTexts, ...others.map((term) => lexeme(`${workspaceId}/${term}`))].join(' ')
}

const TAG = '#'
const TYPE = '='
const PRIORITY = '!'
// At one place, a word would keep the higher weight only.
const TITLE = '1A'
const DESCRIPTION = '2B'

function wordsOf(workspaceId: string, text: string | null, place: string): string {
  return searchWords(text)
    .map((word) => `${lexeme(`${workspaceId}/${word}`)}:${place}`)
    .join(' ')
}

/** As the input of a `tsvector` or `tsquery`. */
const lexeme = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`

/** The terms of the texts that a change contains, as JSON for `editedTerms`. */
export function changedTerms(workspaceId: string, { title, description }: TaskChange): string {
  return JSON.stringify({
    title: title === undefined ? null : wordsOf(workspaceId, title, TITLE),
    description: description === undefined ? null : wordsOf(workspaceId, description, DESCRIPTION),
  })
}

/** The terms of the row `s` after an edit: of the task `t` as it is then, and of `w`, the result of `changedTerms`. */
export const editedTerms = /* sql */ `
  coalesce(w.title, ts_filter(s.terms, '{a}')) || coalesce(w.description, ts_filter(s.terms, '{b}')) || array_to_tsvector(array(
    select t.workspace_id || '/' || term from (
      select '${TAG}' || unnest(t.tags) union select '${TYPE}' || t.type where t.type is not null union select '${PRIORITY}' || t.priority_rank
    ) as terms (term)
  ))`

/** The conditions of a search that terms meet, each as SQL of a quoted lexeme of a `tsquery`: `'ws_1/word':*`. */
export function lexemesOf(
  { words, type, tag, priority }: TaskConditions,
  workspace: string,
  add: (value: unknown, type: string) => string,
): readonly string[] {
  const whole = [
    ...(type === null ? [] : [TYPE + type]),
    ...(tag === null ? [] : [TAG + tag]),
    ...(priority === null ? [] : [PRIORITY + rankOf(priority)]),
  ]
  const ends = [...words.map((word) => `${lexeme(word)}:*`), ...whole.map(lexeme)]
  // The opening quote goes in front of the workspace.
  return ends.map((end) => `'''' || ${workspace} || '/' || ${add(end.slice(1), 'text')}`)
}

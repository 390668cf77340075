import { priorities, type Task } from '@taskboard/core'
import { readDue, type Due } from './due.js'

type Priority = Task['priority']

/** What a text after `/task` asks for. */
export type Command =
  | { readonly kind: 'help' | 'list' | 'mine' }
  | { readonly kind: 'status' | 'why' | 'cancel'; readonly handle: string | null }
  | { readonly kind: 'comment'; readonly handle: string; readonly text: string }
  | { readonly kind: 'priority'; readonly handle: string | null; readonly priority: Priority }
  | { readonly kind: 'link'; readonly code: string }
  | { readonly kind: 'connect'; readonly workspace: string }
  | ({ readonly kind: 'task' } & WrittenTask)

/** A task as a person wrote it. */
export interface WrittenTask {
  readonly title: string
  /** What of the title was too long. */
  readonly description: string | null
  readonly priority: Priority | null
  readonly due: Due | null
  readonly agent: string | null
  readonly tags: readonly string[]
  readonly type: string | null
}

const LONGEST_TITLE = 200
/** So many characters can follow a title in quotation marks. */
const LONGEST_PARTS = 1_000
const HANDLE = /^(#[0-9a-z]{4,26}|task_[0-9a-z]{26})$/i

/** The name of a task, without the invisible character that cards have in it; null for anything else. */
function readHandle(text: string): string | null {
  const plain = text.replaceAll('\u2060', '').toLowerCase()
  return HANDLE.test(plain) ? plain : null
}
const CODE = /^[0-9a-z]{4}-?[0-9a-z]{4}-?[0-9a-z]{4}$/i
const TAG = /^#([^\s#,]{1,100})$/
const TYPE = /^type ([\p{L}\p{N}][\p{L}\p{N}_.:-]{0,63})$/iu

/** A code for a link, as people copy it; null for anything else. */
export const readCode = (text: string): string | null => (CODE.test(text.trim()) ? text.trim() : null)

/**
 * What a text asks for. The first word alone, or with its argument, is a command; everything else is a task, and so is each text in quotation
 * marks. `agents` are the names that `for` may have.
 */
export function readCommand(text: string, agents: readonly string[] = []): Command {
  const trimmed = text.trim()
  const [, word = '', rest = ''] = /^(\S+)\s*([\s\S]*)$/.exec(trimmed) ?? []
  return commandOf(word.toLowerCase(), rest.trim()) ?? { kind: 'task', ...readTask(trimmed, agents) }
}

function commandOf(word: string, rest: string): Command | null {
  switch (word) {
    case '':
      return { kind: 'help' }
    case 'help':
    case 'list':
    case 'mine':
      return rest === '' ? { kind: word } : null
    case 'status':
    case 'why':
    case 'cancel': {
      const handle = rest === '' ? null : readHandle(rest)
      return rest === '' || handle !== null ? { kind: word, handle } : null
    }
    case 'comment':
      return commentOf(rest)
    case 'priority':
      return priorityOf(rest)
    case 'connect':
      if (rest === '') return null
      return CODE.test(rest) ? { kind: 'link', code: rest } : { kind: 'connect', workspace: unquoted(rest) }
    default:
      return null
  }
}

function commentOf(rest: string): Command | null {
  const [, named = '', text = ''] = /^(\S+)\s+([\s\S]+)$/.exec(rest) ?? []
  const handle = readHandle(named)
  return handle === null ? null : { kind: 'comment', handle, text }
}

function priorityOf(rest: string): Command | null {
  const words = rest.split(/\s+/)
  const priority = toPriority(words.at(-1) ?? '')
  if (priority === null || words.length > 2) return null
  if (words.length === 1) return { kind: 'priority', handle: null, priority }
  const handle = readHandle(words[0] ?? '')
  return handle === null ? null : { kind: 'priority', handle, priority }
}

const toPriority = (text: string): Priority | null =>
  priorities.find((priority) => priority === text.toLowerCase()) ?? null

/** Phones write other ones. */
const OPENING = /^["“”„]/
const CLOSING: ReadonlySet<string> = new Set('"“”')

const unquoted = (text: string): string =>
  text.length > 1 && OPENING.test(text) && CLOSING.has(text.charAt(text.length - 1))
    ? text.slice(1, -1)
    : text

type Parts = Omit<WrittenTask, 'title' | 'description'>

const NO_PARTS: Parts = { priority: null, due: null, agent: null, tags: [], type: null }

/** A task: from its end, parts between commas are taken while each is one that a task has; all before is the title. */
export function readTask(text: string, agents: readonly string[] = []): WrittenTask {
  const quoted = readQuoted(text, agents)
  if (quoted !== null) return quoted
  let title = text
  let parts = NO_PARTS
  for (;;) {
    const comma = title.lastIndexOf(',')
    if (comma <= 0 || title.slice(0, comma).trim() === '') break
    const next = withPart(parts, title.slice(comma + 1).trim(), agents)
    if (next === null) break
    parts = next
    title = title.slice(0, comma).trimEnd()
  }
  return { ...titled(title), ...parts }
}

/** A title in quotation marks, with nothing but parts behind it; null for anything else. */
function readQuoted(text: string, agents: readonly string[]): WrittenTask | null {
  if (!OPENING.test(text)) return null
  const first = Math.max(1, text.length - 1 - LONGEST_PARTS)
  for (let end = text.length - 1; end >= first; end -= 1) {
    if (!CLOSING.has(text.charAt(end)) || text.slice(1, end).trim() === '') continue
    const parts = readParts(text.slice(end + 1).trim(), agents)
    if (parts !== null) return { ...titled(text.slice(1, end)), ...parts }
  }
  return null
}

/** Parts alone, each after a comma. */
function readParts(text: string, agents: readonly string[]): Parts | null {
  if (text === '') return NO_PARTS
  if (!text.startsWith(',')) return null
  let parts: Parts | null = NO_PARTS
  for (const part of text.slice(1).split(',').toReversed()) {
    parts = parts && withPart(parts, part.trim(), agents)
  }
  return parts
}

/** The parts with one more, which was written before them; null when it isn't a part, or is already there. */
function withPart(parts: Parts, part: string, agents: readonly string[]): Parts | null {
  const priority = toPriority(part)
  if (priority !== null) return parts.priority === null ? { ...parts, priority } : null
  const [, tag] = TAG.exec(part) ?? []
  if (tag !== undefined) return parts.tags.includes(tag) ? parts : { ...parts, tags: [tag, ...parts.tags] }
  const [, type] = TYPE.exec(part) ?? []
  if (type !== undefined) return parts.type === null ? { ...parts, type } : null
  const due = /^due\s/i.test(part) ? readDue(part.slice(3).trim()) : null
  if (due !== null) return parts.due === null ? { ...parts, due } : null
  const named = /^for\s/i.test(part) ? part.slice(3).trim().toLowerCase() : null
  const agent = agents.find((name) => name.toLowerCase() === named)
  return agent === undefined || parts.agent !== null ? null : { ...parts, agent }
}

/** A title has 200 code points: the rest becomes the description, and so does each line but the first. */
function titled(text: string): Pick<WrittenTask, 'title' | 'description'> {
  const [first = '', ...lines] = text.split(/\r\n|[\r\n]/)
  const points = Array.from(first)
  const over = points.slice(LONGEST_TITLE).join('')
  const description = [over, ...lines].join('\n').trim()
  return {
    title: points.slice(0, LONGEST_TITLE).join(''),
    description: description === '' ? null : description,
  }
}

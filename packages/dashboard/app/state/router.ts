import { batch, computed, signal } from '@preact/signals'

/**
 * The pages by their names, which `pages.ts` adds: it loads them, and they import this file. A link to a page that isn't in its table doesn't
 * compile.
 */
export interface Pages {}
export type Page = keyof Pages
/** The target of an address: a page, or a task, which lies over a page. */
type Place = Page | 'tasks'

export interface Route {
  /** The name in the address. There may be not a such page. */
  readonly page: string
  /** What comes after the page in the address, decoded: `['webhooks', 'wh_01…']`. */
  readonly rest: readonly string[]
  readonly query: URLSearchParams
}

const address = signal(location.hash)
/** The page that a task lies over: the one that it was opened from. */
const background = signal('#/board')
follow()
addEventListener('hashchange', follow)

function follow(): void {
  const { hash } = location
  batch(() => {
    if (parse(hash).page !== 'tasks') background.value = hash === '' ? '#/board' : hash
    address.value = hash
  })
}

/** Closes a task: shows the page that it was opened from, which is still there behind it. */
export function leaveTask(): void {
  location.hash = background.peek()
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function parse(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  const [page = '', ...rest] = path
    .split('/')
    .filter((part) => part !== '')
    .map(decoded)
  return { page, rest, query: new URLSearchParams(query) }
}

/** The page that is shown; while a task is open, the one that lies behind it. */
export const route = computed(() => parse(background.value))

/** The id of the task that is open over the page; null for none. */
export const openTaskId = computed(() => {
  const { page, rest } = parse(address.value)
  return page === 'tasks' ? (rest[0] ?? null) : null
})

/** The address of a page, or of a task: `href('tasks', id)`. */
export function href(place: Place, ...rest: readonly string[]): string {
  return `#/${[place, ...rest].map(encodeURIComponent).join('/')}`
}

/** Shows a page or a task, in a new entry of the history. */
export function go(place: Place, ...rest: readonly string[]): void {
  location.hash = href(place, ...rest)
}

/** Shows a page in place of the one in the history. */
export function replace(hash: string): void {
  history.replaceState(null, '', hash)
  follow()
}

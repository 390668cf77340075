import { batch, computed, signal } from '@preact/signals'

export const pages = ['board', 'inbox', 'agents', 'chat', 'analytics', 'settings'] as const
export type Page = (typeof pages)[number]
/** What an address leads to: a page, or a task, which lies over a page. */
type Place = Page | 'tasks'

export interface Route {
  readonly page: Page
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
    if (parse(hash).place !== 'tasks') background.value = hash === '' ? '#/board' : hash
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

interface Address extends Omit<Route, 'page'> {
  readonly place: Place
}

function parse(hash: string): Address {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  const [first = '', ...rest] = path
    .split('/')
    .filter((part) => part !== '')
    .map(decoded)
  const place = first === 'tasks' ? first : (pages.find((known) => known === first) ?? 'board')
  return { place, rest, query: new URLSearchParams(query) }
}

/** The page that is shown; while a task is open, the one that lies behind it. */
export const route = computed((): Route => {
  const { place, rest, query } = parse(background.value)
  return { page: place === 'tasks' ? 'board' : place, rest, query }
})

/** The id of the task that is open over the page; null for none. */
export const openTaskId = computed(() => {
  const { place, rest } = parse(address.value)
  return place === 'tasks' ? (rest[0] ?? null) : null
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

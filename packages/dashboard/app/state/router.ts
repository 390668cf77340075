import { computed, signal } from '@preact/signals'

/** The pages. The rest of an address belongs to the page: `#/tasks/task_01…`. */
export const pages = ['board', 'tasks', 'inbox', 'agents', 'chat', 'analytics', 'settings'] as const
export type Page = (typeof pages)[number]

export interface Route {
  readonly page: Page
  /** What comes after the page, decoded: `['webhooks', 'wh_01…']`. */
  readonly rest: readonly string[]
  readonly query: URLSearchParams
}

const address = signal(location.hash)
/** Where a task was opened from. */
let background = '#/board'
addEventListener('hashchange', ({ oldURL }) => {
  const { hash } = new URL(oldURL)
  if (parse(hash).page !== 'tasks') background = hash === '' ? '#/board' : hash
  address.value = location.hash
})

/** Closes a task: shows the page that it was opened from. */
export function leaveTask(): void {
  location.hash = background
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
  const [first = '', ...rest] = path
    .split('/')
    .filter((part) => part !== '')
    .map(decoded)
  const page = pages.find((known) => known === first) ?? 'board'
  return { page, rest, query: new URLSearchParams(query) }
}

/** The page that is shown. */
export const route = computed(() => parse(address.value))

/** The address of a page: `href('tasks', id)`. */
export function href(page: Page, ...rest: readonly string[]): string {
  return `#/${[page, ...rest].map(encodeURIComponent).join('/')}`
}

/** Shows a page, in a new entry of the history. */
export function go(page: Page, ...rest: readonly string[]): void {
  location.hash = href(page, ...rest)
}

/** Shows a page in place of the one in the history. */
export function replace(hash: string): void {
  history.replaceState(null, '', hash)
  address.value = location.hash
}

import { computed } from '@preact/signals'
import { pages, type PageRow } from './pages.js'
import { can } from './state/api.js'
import type { Page } from './state/router.js'

const rows: Readonly<Record<Page, PageRow>> = pages

/** The pages that the caller may use, in the order of the navigation. */
export const offeredPages = computed(() =>
  (Object.keys(rows) as Page[])
    .map((name) => ({ name, ...rows[name] }))
    .filter(({ scope }) => scope === undefined || can(scope)),
)

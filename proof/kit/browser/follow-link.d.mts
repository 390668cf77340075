import type { Page } from 'playwright-core'

export function followLink(page: Page, link: string): Promise<void>

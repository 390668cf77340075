import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const source = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe-core finds wrong with what is shown. */
export async function accessibilityOf(page: Page): Promise<readonly string[]> {
  // By the protocol of the debugger, as the page's policy allows no scripts but its own.
  if (!(await page.evaluate<boolean>(`'axe' in globalThis`))) await page.evaluate(await source)
  return page.evaluate(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 200)).join(' ')))`,
  )
}

/** A row of the application's table of pages, as far as tests look at it. */
interface PageRow {
  readonly title: string
  readonly icon: string
  readonly shortcut: string
  readonly scope?: string
}

const table = new URL('../app/pages.ts', import.meta.url).href
// TypeScript sees the table with the application, whose pages it loads.
const { pages } = (await import(table)) as { readonly pages: Readonly<Record<string, PageRow>> }

/** The pages of the application, by their names. */
export const appPages = pages

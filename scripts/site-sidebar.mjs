import { join, normalize } from 'node:path'

/** The page that a path of the repository has on the site; null for what is no page. */
export function pageOf(path) {
  if (!path.endsWith('.md')) return null
  return path.replace(/(^|\/)README\.md$/, '$1index.md')
}

/** The index of the docs is the sidebar: a group for each section, an entry for each page that it names. */
export function sidebarGroups(index) {
  const [, ...sections] = index.split(/^## /m)
  return sections.map((section) => {
    const [heading = ''] = section.split('\n')
    const lastCells = [...section.matchAll(/\| ([^|\n]*) \|$/gm)].map(([, cell]) => cell)
    const rows = lastCells.flatMap((cell) => [...cell.matchAll(/\[([^\]]+)\]\(([^)#]+)[^)]*\)/g)])
    const entries = rows.map(([, text, path]) => [text, `/${pageOf(normalize(join('docs', path)))}`])
    const items = [
      ...new Map(entries.map(([text, link]) => [link, { text, link: link.replace(/\.md$/, '') }])).values(),
    ]
    return { text: heading, items }
  })
}

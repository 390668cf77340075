import { readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { root } from './run.mjs'
import { siteFilesIn, siteFolders } from './site-files.mjs'
import { pageOf, sidebarGroups } from './site-sidebar.mjs'

const ABOUT =
  'A task board for AI agents, as a library for your Node.js server: agents claim tasks under leases, ask people, stay within budgets, and people watch live.'

/**
 * The texts that programs read, by their paths on the site: each page as Markdown beside its HTML (`docs/agents.md` for
 * `docs/agents.html`), `llms.txt` with a link to each page of the index, and `llms-full.txt` with all of their texts.
 */
export function siteTexts() {
  const paths = siteFolders.flatMap(siteFilesIn).filter((path) => path.endsWith('.md'))
  const twins = new Map(paths.map((path) => [pageOf(path), twinOf(readFileSync(join(root, path), 'utf8'))]))
  const groups = sidebarGroups(readFileSync(join(root, 'docs/README.md'), 'utf8'))
  const sections = groups.map(({ text, items }) => {
    const lines = items.map((item) => `- [${item.text}](${item.link}.md)`)
    return `## ${text}\n\n${lines.join('\n')}`
  })
  const linked = [...new Set(groups.flatMap(({ items }) => items.map(({ link }) => `${link.slice(1)}.md`)))]
  return new Map([
    ...twins,
    ['llms.txt', `# Taskboard\n\n> ${ABOUT}\n\n${sections.join('\n\n')}\n`],
    ['llms-full.txt', linked.map((path) => `<!-- /${path} -->\n\n${twins.get(path) ?? ''}`).join('\n')],
  ])
}

/** Pages of the index are named `index.md` on the site. */
function twinOf(text) {
  return text.replaceAll(/\]\(((?:[\w.-]+\/)*)README\.md(#[^)]*)?\)/g, (_, folder, anchor = '') => {
    return `](${normalize(`${folder}index.md`)}${anchor})`
  })
}

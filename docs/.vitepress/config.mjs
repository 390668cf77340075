// The site of the docs. scripts/docs.mjs copies the pages to .site/, each at its path in the repository.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { packageNames } from '../../scripts/packages.mjs'
import { siteDownloads } from '../../scripts/site-files.mjs'
import { pageOf, sidebarGroups } from '../../scripts/site-sidebar.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const textOf = (path) => readFileSync(join(root, path), 'utf8')

/** Where a source file can be read, once the packages name their repository. */
function sourceUrl(path) {
  const url = manifest.repository?.url?.replace(/^git\+/, '').replace(/\.git$/, '')
  return url === undefined ? null : `${url}/blob/HEAD/${path}`
}

/**
 * Points links between pages at the site's names for them. A file that the site serves as it is has the same name there; a link to a source
 * file that cannot be shown becomes text.
 */
function relink(markdown) {
  markdown.core.ruler.after('inline', 'relink', ({ tokens, env }) => {
    const folder = dirname(env.relativePath ?? '')
    for (const { children } of tokens) {
      let closing = null
      for (const token of children ?? []) {
        if (token.type === 'link_close' && closing !== null) {
          Object.assign(token, { type: 'html_inline', content: closing })
          closing = null
        }
        const href = token.type === 'link_open' ? token.attrGet('href') : null
        if (href === null || /^(?:[a-z]+:|#|\/)/.test(href) || env.relativePath?.startsWith('docs/api/'))
          continue
        const [path, anchor] = href.split('#')
        const target = normalize(join(folder, decodeURIComponent(path)))
        if (!existsSync(join(root, target))) continue // VitePress reports it
        if (siteDownloads.includes(target)) {
          closing = '</a>'
          Object.assign(token, { type: 'html_inline', content: `<a href="/${target}" target="_blank">` })
          continue
        }
        const page = pageOf(target)
        const url = page === null ? sourceUrl(target) : `/${page}${anchor === undefined ? '' : `#${anchor}`}`
        if (url !== null) token.attrSet('href', url)
        else {
          closing = '</span>'
          Object.assign(token, { type: 'html_inline', content: `<span title="${target}">` })
        }
      }
    }
  })
}

/** The anchor that GitHub gives to a heading, so that links hold in both places. */
function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-')
}

/** A request of the HTTP reference stands beside its response where there is room. */
const EXCHANGES = `@media (min-width: 1280px) {
  .vp-doc .exchange { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 16px; align-items: start }
}`

export default defineConfig({
  title: 'Taskboard',
  description: manifest.description ?? 'A kanban board for your Node.js server, worked by AI agents.',
  lang: 'en',
  head: [['style', {}, EXCHANGES]],
  srcDir: '.site',
  // The texts for language models, in the public folder, are served as they are.
  srcExclude: ['**/CHANGELOG.md', 'public/**'],
  rewrites: {
    'README.md': 'index.md',
    'docs/README.md': 'docs/index.md',
    'docs/decisions/README.md': 'docs/decisions/index.md',
    'docs/reference/README.md': 'docs/reference/index.md',
    'examples/README.md': 'examples/index.md',
    'packages/:name/README.md': 'packages/:name/index.md',
    'clients/:name/README.md': 'clients/:name/index.md',
  },
  // Without attributes, `GET /v2/tasks/{task_id}` is a heading as it stands.
  markdown: { config: relink, anchor: { slugify: anchorOf }, attrs: { disable: true } },
  themeConfig: {
    outline: [2, 3],
    search: { provider: 'local' },
    nav: [
      { text: 'Tutorial', link: '/docs/tutorial' },
      { text: 'Docs', link: '/docs/' },
      { text: 'API reference', link: '/docs/api/' },
    ],
    sidebar: [
      ...sidebarGroups(textOf('docs/README.md')),
      {
        text: 'Packages',
        items: packageNames.map((name) => ({ text: `@taskboard/${name}`, link: `/packages/${name}/` })),
      },
      {
        text: 'API reference',
        collapsed: true,
        items: packageNames.map((name) => ({ text: `@taskboard/${name}`, link: `/docs/api/${name}/src/` })),
      },
    ],
  },
})

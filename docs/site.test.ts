import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { siteDownloads, siteFilesIn, siteFolders } from '../scripts/site-files.mjs'
import { sidebarGroups } from '../scripts/site-sidebar.mjs'
import { siteTexts } from '../scripts/site-texts.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const files = siteFolders.flatMap(siteFilesIn)
const textOf = (page: string): string => readFileSync(join(root, page), 'utf8')

describe('the site of the docs', () => {
  it('has every picture that a page shows', () => {
    const pictures = files
      .filter((file) => file.endsWith('.md'))
      .flatMap((page) =>
        [...textOf(page).matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)]
          .map(([, target = '']) => target)
          .filter((target) => !/^[a-z]+:/.test(target))
          .map((target) => normalize(join(dirname(page), target))),
      )
    expect(pictures).toContain('docs/images/board-1440-light.png')
    expect(pictures.filter((picture) => !files.includes(picture))).toEqual([])
  })

  it('serves the GraphQL schema, to which its page links', () => {
    expect(siteDownloads.filter((file) => !existsSync(join(root, file)))).toEqual([])
    expect(textOf('docs/graphql.md')).toContain(`](../${siteDownloads[0]})`)
  })

  it('has every page of the index in its sidebar, also those that share a row', () => {
    const index = textOf('docs/README.md')
    const links = sidebarGroups(index).flatMap(({ items }) => items.map(({ link }) => link))
    expect(links).toEqual(expect.arrayContaining(['/docs/simulation', '/docs/faults']))
    const indexed = [...index.matchAll(/\]\(([\w-]+)\.md[^)]*\)/g)].map(([, name = '']) => `/docs/${name}`)
    expect([...new Set(indexed)].filter((link) => !links.includes(link))).toEqual([])
  })

  it('has each page as Markdown as well, and lists them for language models', () => {
    const texts = siteTexts()
    const listed = [...(texts.get('llms.txt') ?? '').matchAll(/^- \[[^\]]+\]\(\/(\S+)\)$/gm)].map(
      ([, path = '']) => path,
    )
    expect(listed).toEqual(
      expect.arrayContaining(['index.md', 'docs/tutorial.md', 'docs/reference/index.md']),
    )
    expect(listed.filter((path) => !texts.has(path))).toEqual([])
    const full = texts.get('llms-full.txt') ?? ''
    expect(listed.filter((path) => !full.includes(`<!-- /${path} -->`))).toEqual([])
    const dead = [...texts].flatMap(([page, text]) =>
      [...text.matchAll(/\]\(([\w./-]+\.md)(?:#[^)]*)?\)/g)]
        .map(([, target = '']) => normalize(join(dirname(page), target)))
        .filter((target) => page.endsWith('.md') && !texts.has(target))
        .map((target) => `${page}: ${target}`),
    )
    expect(dead).toEqual([])
  })
})

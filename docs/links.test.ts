import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { packageNames } from '../scripts/packages.mjs'

interface Link {
  readonly page: string
  readonly target: string
}

const root = fileURLToPath(new URL('..', import.meta.url))
const FENCE = /^ *```[\s\S]*?^ *```$/gm
const LINK = /\]\(([^)\s]+)\)/g
const packageReadmes = packageNames.map((name) => `packages/${name}/README.md`)

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(join(root, folder)))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name))
}

async function pages(): Promise<readonly string[]> {
  const own = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'examples/README.md']
  const docs = await Promise.all(['docs', 'docs/decisions', 'docs/security', 'docs/reference'].map(namesIn))
  return [...own, ...docs.flat(), ...packageReadmes]
}

const textOf = async (page: string): Promise<string> =>
  (await readFile(join(root, page), 'utf8')).replaceAll(FENCE, '')

async function linksOf(page: string): Promise<readonly Link[]> {
  const targets = [...(await textOf(page)).matchAll(LINK)].map(([, target = '']) => target)
  return targets.filter((target) => !/^[a-z]+:/.test(target)).map((target) => ({ page, target }))
}

/** The anchors that GitHub and the site give to the headings of a page. */
async function anchorsOf(page: string): Promise<ReadonlySet<string>> {
  const headings = (await textOf(page)).matchAll(/^#+ (.*)$/gm)
  return new Set([...headings].map(([, heading = '']) => anchorOf(heading)))
}

function anchorOf(heading: string): string {
  const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
  return text.replaceAll(/[^\p{L}\p{N}_\- ]/gu, '').replaceAll(' ', '-')
}

async function isDead({ page, target }: Link): Promise<boolean> {
  const [path = '', anchor] = target.split('#')
  const file = path === '' ? page : normalize(join(dirname(page), path))
  if (!existsSync(join(root, file))) return true
  return anchor !== undefined && !(await anchorsOf(file)).has(anchor)
}

describe('links between pages', () => {
  it('lead to files and headings that exist', async () => {
    const links = (await Promise.all((await pages()).map(linksOf))).flat()
    expect(links.length).toBeGreaterThan(100)
    const dead = await Promise.all(links.map(async (link) => ((await isDead(link)) ? [link] : [])))
    expect(dead.flat()).toEqual([])
  })

  it('reach every page of the docs from its index', async () => {
    const indexed = new Set((await linksOf('docs/README.md')).map(({ target }) => target))
    const unlisted = (await namesIn('docs')).map((page) => page.replace('docs/', ''))
    expect(unlisted.filter((page) => page !== 'README.md' && !indexed.has(page))).toEqual([])
  })

  it('are absolute in the packages, whose pages a registry shows alone', async () => {
    const links = await Promise.all(packageReadmes.map(linksOf))
    expect(links.flat().filter(({ target }) => !target.startsWith('#'))).toEqual([])
  })
})

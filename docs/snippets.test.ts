import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packageNames } from '../scripts/packages.mjs'

/** A program of a document: a `ts` block, and the `ts continues` blocks that go on from it. */
interface Program {
  /** The document and the place of its block: `README.md-1`. */
  readonly name: string
  readonly source: string
  readonly path: string
}

const root = fileURLToPath(new URL('..', import.meta.url))
const fromSources = new URL('../scripts/sources.mjs', import.meta.url).href
const folder = join(root, 'node_modules/.cache/taskboard-snippets')
/** What those on PostgreSQL read. */
const withKey = { ...process.env, TASKBOARD_ENCRYPTION_KEY: randomBytes(32).toString('base64') }
const BLOCK = /^```ts( continues)?\n([\s\S]*?)^```$/gm
let programs: readonly Program[] = []

/** Documents name fixed ports, for people; here each server takes a free one. */
function withFreePorts(source: string): string {
  return source.replaceAll(/\blisten\((\{ port: )?\d{4}/g, (_, object = '') => `listen(${object}0`)
}

async function readPrograms(document: string): Promise<readonly Program[]> {
  const sources: string[] = []
  for (const [, continues, code = ''] of (await readFile(join(root, document), 'utf8')).matchAll(BLOCK)) {
    if (continues) sources.push(`${sources.pop()}\n${code}`)
    else sources.push(code)
  }
  return sources.map((source, index) => {
    const name = `${document.replaceAll('/', '-')}-${index + 1}`
    return { name, source: `${withFreePorts(source)}\nexport {}\n`, path: join(folder, `${name}.mts`) }
  })
}

async function documents(): Promise<readonly string[]> {
  const inDocs = (await readdir(join(root, 'docs'))).filter((name) => name.endsWith('.md'))
  return [
    'README.md',
    'CONTRIBUTING.md',
    'examples/README.md',
    ...inDocs.map((name) => `docs/${name}`),
    ...packageNames.map((name) => `packages/${name}/README.md`),
  ]
}

function typeErrors(): readonly string[] {
  const config = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path))
  const { options } = ts.parseJsonConfigFileContent({ ...config.config, include: [] }, ts.sys, root)
  const program = ts.createProgram(
    programs.map(({ path }) => path),
    { ...options, noUnusedLocals: false, noEmit: true },
  )
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`)
}

beforeAll(async () => {
  programs = (await Promise.all((await documents()).map(readPrograms))).flat()
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await Promise.all(programs.map(({ path, source }) => writeFile(path, source)))
  const imports = programs.map(({ name }) => `await import('./${name}.mts')\nconsole.log('ran ${name}')`)
  await writeFile(join(folder, 'run.mts'), `${imports.join('\n')}\nprocess.exit(0)\n`)
})
afterAll(() => rm(folder, { recursive: true }))

describe('the programs in the documents', () => {
  it('are found', () => {
    expect(programs.map(({ name }) => name)).toContain('README.md-1')
  })

  it('fit the types', { timeout: 180_000 }, () => {
    expect(typeErrors()).toEqual([])
  })

  it('run as they stand', { timeout: 180_000 }, async () => {
    const args = ['--conditions=@taskboard/source', '--import', fromSources, join(folder, 'run.mts')]
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, env: withKey })
    const ran = stdout.match(/^ran .*$/gm) ?? []
    expect(ran).toEqual(programs.map(({ name }) => `ran ${name}`))
  })

  it(
    'make no encryption key of their own for a database that outlives them',
    { timeout: 60_000 },
    async () => {
      const keyed = programs.filter(({ source }) => source.includes('TASKBOARD_ENCRYPTION_KEY'))
      expect(keyed.map(({ name }) => name)).toContain('docs-operating.md-1')
      const { TASKBOARD_ENCRYPTION_KEY: _, ...env } = withKey
      for (const { path } of keyed) {
        const args = ['--conditions=@taskboard/source', '--import', fromSources, path]
        await expect(promisify(execFile)(process.execPath, args, { cwd: root, env })).rejects.toThrow(
          /TASKBOARD_ENCRYPTION_KEY is not set|secrets\.encryptionKey must be 32 bytes/,
        )
      }
    },
  )
})

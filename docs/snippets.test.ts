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
const NO_KEY = /.*(?:TASKBOARD_ENCRYPTION_KEY is not set|secrets\.encryptionKey must be 32 bytes)/
const isKeyed = ({ source }: Program): boolean => source.includes('TASKBOARD_ENCRYPTION_KEY')
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
  // Of the sources that they import, `npm test` checks each file already.
  const found = [
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...programs.flatMap(({ path }) => {
      const file = program.getSourceFile(path)
      return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]
    }),
  ]
  return found.map(
    ({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
  )
}

/** Resolves with what a program of the folder printed. To load the sources takes seconds: each runs many in one process. */
async function run(name: string, env: NodeJS.ProcessEnv): Promise<string> {
  // To optimize PGlite takes longer than they run.
  const args = [
    '--liftoff-only',
    '--conditions=@taskboard/source',
    '--import',
    fromSources,
    join(folder, name),
  ]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, env })
  return stdout
}

beforeAll(async () => {
  programs = (await Promise.all((await documents()).map(readPrograms))).flat()
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await Promise.all(programs.map(({ path, source }) => writeFile(path, source)))
  const imports = programs.map(({ name }) => `await import('./${name}.mts')\nconsole.log('ran ${name}')`)
  await writeFile(join(folder, 'run.mts'), `${imports.join('\n')}\nprocess.exit(0)\n`)
  const refusals = programs
    .filter(isKeyed)
    .map(
      ({ name }) =>
        `await import('./${name}.mts').then(() => console.log('ran ${name}'), ({ message }) => console.log('refused ${name}:', message))`,
    )
  await writeFile(join(folder, 'without-key.mts'), `${refusals.join('\n')}\nprocess.exit(0)\n`)
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
    const ran = (await run('run.mts', withKey)).match(/^ran .*$/gm) ?? []
    expect(ran).toEqual(programs.map(({ name }) => `ran ${name}`))
  })

  it(
    'make no encryption key of their own for a database that outlives them',
    { timeout: 60_000 },
    async () => {
      const keyed = programs.filter(isKeyed)
      expect(keyed.map(({ name }) => name)).toContain('docs-operating.md-1')
      const { TASKBOARD_ENCRYPTION_KEY: _, ...env } = withKey
      const refused = await run('without-key.mts', env)
      expect(refused.match(/^refused .*$/gm)).toEqual(
        keyed.map(({ name }) => expect.stringMatching(new RegExp(`^refused ${name}: ${NO_KEY.source}`))),
      )
    },
  )
})

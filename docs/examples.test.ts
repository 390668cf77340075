import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { entriesOf, packageNames } from '../scripts/packages.mjs'

/** An `@example` of a doc comment: a whole program. */
interface Example {
  /** The package and the name of what it is an example of: `core.scoreTask`. */
  readonly name: string
  readonly source: string
  readonly path: string
  /** What its comments say that each `console.log` prints. */
  readonly prints: readonly string[]
}

interface Entry {
  readonly name: string
  readonly path: string
}

const root = fileURLToPath(new URL('..', import.meta.url))
const fromSources = new URL('../scripts/sources.mjs', import.meta.url).href
const folder = join(root, 'node_modules/.cache/taskboard-examples')
const SHARED = "new PGlite('board/data')"
/** The entries of packages, each by its name and its source. */
const entries: readonly Entry[] = packageNames
  .flatMap(entriesOf)
  .map(({ name, source }) => ({ name, path: join(root, source) }))
let examples: readonly Example[] = []
let program: ts.Program

async function readExamples(packageName: string): Promise<readonly Example[]> {
  const sources = join(root, 'packages', packageName, 'src')
  const paths = (await readdir(sources, { recursive: true })).filter((path) => path.endsWith('.ts'))
  const texts = await Promise.all(paths.map((path) => readFile(join(sources, path), 'utf8')))
  return texts
    .filter((text) => text.includes('* @example'))
    .flatMap((text) => ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true).statements)
    .flatMap((statement) => examplesOf(packageName, statement))
}

function examplesOf(packageName: string, statement: ts.Statement): readonly Example[] {
  const [variable] = ts.isVariableStatement(statement) ? statement.declarationList.declarations : []
  const name = ts.getNameOfDeclaration(variable ?? (statement as ts.DeclarationStatement))?.getText()
  return ts
    .getJSDocTags(statement)
    .filter(({ tagName }) => tagName.text === 'example')
    .map(({ comment }, index) =>
      toExample(`${packageName}.${name}${index || ''}`, ts.getTextOfJSDocComment(comment) ?? ''),
    )
}

function toExample(name: string, text: string): Example {
  const [, code = text] = /^```ts\n([\s\S]*)\n```$/.exec(text) ?? []
  const prints = [...code.matchAll(/console\.log\(.* \/\/ (.+)$/gm)].map(([, line = '']) => line)
  // A new database in memory takes seconds of CPU: the examples share the one that `runner` makes.
  const source = `${code.replaceAll('new PGlite()', SHARED)}\nexport {}\n`
  return { name, source, path: join(folder, `${name}.mts`), prints }
}

function createProgram(): ts.Program {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path))
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root)
  const paths = [...entries, ...examples].map(({ path }) => path)
  return ts.createProgram(paths, { ...options, noUnusedLocals: false, noEmit: true })
}

/** The exported functions and classes of an entry that have no example. */
function exportsWithoutExample({ name: entry, path }: Entry): readonly string[] {
  const checker = program.getTypeChecker()
  const file = program.getSourceFile(path)
  const module = file && checker.getSymbolAtLocation(file)
  if (!module) throw new Error(`${entry} exports nothing`)
  return checker
    .getExportsOfModule(module)
    .filter((exported) => {
      // What `export * from` passes on is no alias.
      const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0
      return lacksExample(isAlias ? checker.getAliasedSymbol(exported) : exported, checker)
    })
    .map(({ name }) => `${entry}.${name}`)
}

function lacksExample(symbol: ts.Symbol, checker: ts.TypeChecker): boolean {
  if (!(symbol.flags & ts.SymbolFlags.Value)) return false
  if (symbol.getJsDocTags(checker).some(({ name }) => name === 'example')) return false
  const type = checker.getTypeOfSymbol(symbol)
  return type.getCallSignatures().length + type.getConstructSignatures().length > 0
}

function typeErrors({ path }: Example): readonly string[] {
  const file = program.getSourceFile(path)
  return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
    ({ messageText }) => `${basename(path)}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
  )
}

/** A program that runs the examples one by one, in its folder, and prints what each has printed or thrown. */
function runner(): string {
  // What is said to be in memory is empty: it comes before others fill the database that all share.
  const inTurn = examples.toSorted(
    (a, b) => Number(b.source.includes(SHARED)) - Number(a.source.includes(SHARED)),
  )
  return `import { format } from 'node:util'
import { PGlite } from '@electric-sql/pglite'

await (await PGlite.create('board/data')).close()
const printed = {}
for (const name of ${JSON.stringify(inTurn.map(({ name }) => name))}) {
  const lines = (printed[name] = [])
  console.log = (...values) => lines.push(format(...values))
  await import(\`./\${name}.mts\`).catch((error) => lines.push(\`threw \${error}\`))
}
process.stdout.write(JSON.stringify(printed))
`
}

beforeAll(async () => {
  examples = (await Promise.all(packageNames.map(readExamples))).flat()
  await rm(folder, { recursive: true, force: true })
  await mkdir(join(folder, 'board'), { recursive: true })
  await Promise.all(examples.map(({ path, source }) => writeFile(path, source)))
  await writeFile(join(folder, 'run.mts'), runner())
  program = createProgram()
}, 180_000)
afterAll(() => rm(folder, { recursive: true }))

describe('the examples in the doc comments', () => {
  it('cover each exported function and class', { timeout: 180_000 }, () => {
    expect(entries.flatMap(exportsWithoutExample)).toEqual([])
  })

  it('fit the types', { timeout: 180_000 }, () => {
    expect(examples.flatMap(typeErrors)).toEqual([])
  })

  it('print what their comments say, and leave nothing open', { timeout: 180_000 }, async () => {
    // An example that leaves a handle open keeps the process from ending: it is stopped then, and this rejects.
    const args = [
      '--liftoff-only',
      '--conditions=@taskboard/source',
      '--import',
      fromSources,
      join(folder, 'run.mts'),
    ]
    const run = promisify(execFile)(process.execPath, args, { cwd: folder, timeout: 120_000 })
    const expected = Object.fromEntries(examples.map(({ name, prints }) => [name, prints]))
    expect(JSON.parse((await run).stdout)).toEqual(expected)
  })
})

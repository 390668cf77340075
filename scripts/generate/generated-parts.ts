import { type BenchmarkFile, benchmarkTables } from './benchmark-tables.js'
import { readDocument } from './documented-board.js'
import { methodTables } from './method-tables.js'
import { referencePages } from './reference/reference-pages.js'
import { scopeTables } from './scope-tables.js'

type TextOf = (path: string) => Promise<string>

/** The pages that have generated parts. */
const pages = [
  'packages/client/README.md',
  'clients/python/README.md',
  'docs/benchmarks.md',
  'docs/scaling.md',
  'docs/scopes.md',
]

const PART = /<!-- made by `npm run generate:docs`: ([\w ]+) -->[^]*?<!-- end of what is made -->/g

/**
 * The texts of the pages of the HTTP reference and of those that have generated parts, with these as they are now, by their paths in the
 * repository. `textOf` reads a file by that path. A part begins with a comment that names it, and ends with another one.
 * @throws Error for a page without a part, and for a part that nothing makes.
 */
export async function withGeneratedParts(textOf: TextOf): Promise<Readonly<Record<string, string>>> {
  const document = await readDocument()
  const parts: Readonly<Record<string, string>> = {
    ...methodTables(document),
    ...scopeTables(document),
    ...benchmarkTables(JSON.parse(await textOf('docs/benchmarks.json')) as BenchmarkFile),
  }
  const made = pages.map(async (path) => [path, withParts(path, await textOf(path), parts)] as const)
  return { ...Object.fromEntries(await Promise.all(made)), ...(await referencePages(document)) }
}

function withParts(path: string, page: string, parts: Readonly<Record<string, string>>): string {
  if (!page.includes('<!-- made by `npm run generate:docs`: '))
    throw new Error(`${path} has no place for a generated part`)
  return page.replaceAll(PART, (_, name: string) => {
    const text = parts[name]
    if (text === undefined) throw new Error(`${path} has a place for "${name}", which nothing makes`)
    return `<!-- made by \`npm run generate:docs\`: ${name} -->\n\n${text}\n\n<!-- end of what is made -->`
  })
}

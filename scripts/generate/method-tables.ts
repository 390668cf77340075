import { clientMethods, groupOf, lastOf } from './client-methods.js'
import { readDocument } from './documented-board.js'
import { pythonName } from './python-source.js'

const START = '<!-- made by `npm run generate:docs` -->'
const END = '<!-- end of what is made -->'

/** The pages that list the methods of a client, with the names that methods have in its language. */
const pages: Readonly<Record<string, (name: string) => string>> = {
  'packages/client/README.md': (name) => name,
  'clients/python/README.md': pythonName,
}

/** The texts of those pages with the methods as they are, by their paths in the repository. `textOf` reads a file by that path. */
export async function withMethodTables(
  textOf: (path: string) => Promise<string>,
): Promise<Readonly<Record<string, string>>> {
  const methods = clientMethods(await readDocument())
  const tableOf = (nameOf: (name: string) => string): string => {
    const groups = [...new Set(methods.map(({ name }) => groupOf(name)))].toSorted(
      (one, other) => Number(one === '') - Number(other === ''),
    )
    const rows = groups.map((group) => {
      const names = methods.filter(({ name }) => groupOf(name) === group)
      const list = names.map(({ name }) => `\`${nameOf(lastOf(name))}\``).join(', ')
      return `| ${group === '' ? 'the client itself' : `\`${nameOf(group)}\``} | ${list} |`
    })
    return `| Of the client | Methods |\n| --- | --- |\n${rows.join('\n')}`
  }
  const texts = Object.entries(pages).map(async ([path, nameOf]) => {
    const [before, rest] = (await textOf(path)).split(START)
    const after = rest?.split(END)[1]
    if (before === undefined || after === undefined) throw new Error(`${path} has no place for the methods`)
    return [path, `${before}${START}\n\n${tableOf(nameOf)}\n\n${END}${after}`] as const
  })
  return Object.fromEntries(await Promise.all(texts))
}

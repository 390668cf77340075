import { clientMethods, groupOf, lastOf } from './client-methods.js'
import type { Document } from './document.js'
import { pythonName } from './python-source.js'

/** The lists of the methods of both clients, by the names of their places in pages. */
export function methodTables(document: Document): Readonly<Record<string, string>> {
  const methods = clientMethods(document)
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
  return { 'methods of the client': tableOf((name) => name), 'methods in Python': tableOf(pythonName) }
}

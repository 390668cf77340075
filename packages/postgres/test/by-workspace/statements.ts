import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { statementsAcrossWorkspaces, statementsNotSent } from './exceptions.js'
import type { RecordedPlan } from './recorded-plans.js'
import { tableUses } from './restrictions.js'

const SOURCES = fileURLToPath(new URL('../../src', import.meta.url))
/** A statement whose verb is written out; some have one that is put together. */
const DECLARED = /\b(?:statement|backgroundStatement)(?:<[^(]*>)?\(\s*'(\w+)'/g

/** The verbs of the statements in the sources of the package. */
async function declaredVerbs(): Promise<readonly string[]> {
  const names = await readdir(SOURCES, { recursive: true })
  const files = names.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  const texts = await Promise.all(files.map((name) => readFile(join(SOURCES, name), 'utf8')))
  return texts.flatMap((text) => [...text.matchAll(DECLARED)].map(([, verb = '']) => verb))
}

/**
 * What is wrong with the statements that were sent: those that do not restrict each of the tables to one workspace and are not listed,
 * and what the lists have too much of.
 */
export async function faultsOfStatements(
  plans: readonly RecordedPlan[],
  tables: readonly string[],
): Promise<readonly string[]> {
  const sent = new Set(plans.map(({ name }) => name))
  const across = new Map<string, Set<string>>()
  for (const { name, plan } of plans) {
    const wide = tableUses(plan, tables).filter(({ restriction }) => restriction !== 'one')
    if (wide.length > 0)
      across.set(name, new Set([...(across.get(name) ?? []), ...wide.map(({ table }) => table)]))
  }
  const listed = Object.values(statementsAcrossWorkspaces).flat()
  const unsent = Object.keys(statementsNotSent)
  const declared = await declaredVerbs()
  return [
    ...[...across]
      .filter(([name]) => !listed.includes(name))
      .map(([name, of]) => `${name} does not restrict ${[...of].join(', ')} to one workspace`),
    ...listed.filter((name) => !sent.has(name)).map((name) => `${name} is listed, and was not sent`),
    ...listed
      .filter((name) => sent.has(name) && !across.has(name))
      .map((name) => `${name} is listed, and restricts all tables to one workspace`),
    ...listed
      .filter((name, place) => listed.indexOf(name) !== place)
      .map((name) => `${name} is listed twice`),
    ...declared
      .filter((verb) => !sent.has(verb) && !unsent.includes(verb))
      .map((verb) => `${verb} was not sent, so nothing is known of it`),
    ...unsent
      .filter((verb) => sent.has(verb) || !declared.includes(verb))
      .map((verb) => `${verb} is listed as not sent`),
  ]
}

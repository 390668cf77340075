import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const folder = join(import.meta.dirname, '..')
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) =>
    readFileSync(join(folder, name), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|'[^'\n]*'/g, ''),
  )

/** Types of the language and of the platform, parameters of types, and what has no name for callers. */
const builtIn = new Set(
  'AbortSignal Config Date Error LeasedInput Omit Partial Pick Promise Readonly ReadonlyMap Record S T Tx'.split(
    ' ',
  ),
)
/** For transports, from `@taskboard/core/transport`. */
const ofTransports = new Set(['TransportServices'])

/** The names in the public signatures of an interface, with those of the interfaces that it extends. */
function namesIn(name: string): readonly string[] {
  const declaration = new RegExp(String.raw`^export interface ${name}\b([\s\S]*?\n)\}$`, 'm')
  const [, body = ''] = sources.map((text) => declaration.exec(text)).find((found) => found !== null) ?? []
  const values = body.replaceAll(/typeof \w+/g, '')
  return [...new Set(values.match(/(?<![\w.])[A-Z]\w+/g) ?? [])].filter(
    (each) => !builtIn.has(each) && !ofTransports.has(each),
  )
}

it('every type that a method of a task board names can be imported', () => {
  const index = readFileSync(join(folder, 'index.ts'), 'utf8')
  const missing: string[] = []
  const seen = new Set<string>()
  const visit = (name: string): void => {
    if (seen.has(name)) return
    seen.add(name)
    if (!new RegExp(String.raw`\b${name}\b`).test(index)) missing.push(name)
    else for (const inner of namesIn(name)) visit(inner)
  }
  visit('Taskboard')
  expect(seen.size).toBeGreaterThan(60)
  expect(missing).toEqual([])
})

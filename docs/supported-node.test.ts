import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

interface LockedPackage {
  readonly version?: string
  readonly optional?: boolean
  readonly engines?: { readonly node?: string }
}

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'))
const { engines } = read('package.json') as { readonly engines: { readonly node: string } }
const lowest = partsOf(engines.node)

/** Major and minor of the first version in a range. */
function partsOf(range: string): readonly [number, number] {
  const [, major, minor] = /(\d+)(?:\.(\d+))?/.exec(range) ?? []
  return [Number(major ?? 0), Number(minor ?? 0)]
}

/** Whether one of the alternatives of a range takes the lowest version of Node.js that this repository supports. */
function takesLowest(range: string): boolean {
  return range.split('||').some((alternative) => {
    const [major, minor] = partsOf(alternative)
    const isFromThere = major < lowest[0] || (major === lowest[0] && minor <= lowest[1])
    return alternative.includes('>=') || alternative.includes('*')
      ? isFromThere
      : isFromThere && major === lowest[0]
  })
}

describe('the lock file', () => {
  it('installs on the lowest supported Node.js without a warning', () => {
    const { packages } = read('package-lock.json') as {
      readonly packages: Readonly<Record<string, LockedPackage>>
    }
    const refusing = Object.entries(packages).flatMap(([name, { version, optional, engines: asked }]) =>
      optional !== true && asked?.node !== undefined && !takesLowest(asked.node)
        ? [`${name} ${version} asks for ${asked.node}`]
        : [],
    )
    expect(refusing).toEqual([])
  })
})

describe('docs/supported-versions.md', () => {
  const page = readFileSync(new URL('supported-versions.md', import.meta.url), 'utf8')

  it('has the lowest Node.js of package.json, and the releases that continuous integration runs', () => {
    const { optionalDependencies } = read('scripts/node-matrix/package.json') as {
      readonly optionalDependencies: Readonly<Record<string, string>>
    }
    const others = Object.values(optionalDependencies).flatMap(
      (version) => /@(\d{2})\./.exec(version)?.[1] ?? [],
    )
    const tested = [...new Set([String(lowest[0]), ...others])].toSorted()
    expect(page).toContain(`| Node.js | ${tested.join(', ')} | ${lowest.join('.')} or later |`)
  })

  it('has the peers that the packages ask for', () => {
    const peersOf = (name: string) =>
      (
        read(`packages/${name}/package.json`) as {
          readonly peerDependencies: Readonly<Record<string, string>>
        }
      ).peerDependencies
    expect(peersOf('express')['express']).toBe('^4.18.0 || ^5.0.0')
    expect(page).toContain('| Express | 4 and 5 | 4.18 or later |')
    expect(peersOf('fastify')['fastify']).toBe('^5.0.0')
    expect(page).toContain('| Fastify | 5 | 5 |')
    expect(peersOf('postgres')['@electric-sql/pglite']).toBe('>=0.4.0 <0.6.0')
    expect(page).toContain('| 0.4 or 0.5 |')
  })
})

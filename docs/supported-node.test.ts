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

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { circlesIn, floorsOf, needed, partsOf } from '../scripts/house/floors.mjs'
import { type Import, readImports } from '../scripts/house/imports.mjs'
import { drawHouse } from '../scripts/house/picture.mjs'

const imports = readImports()

describe('the house', () => {
  it('has no folder and no package that imports upwards or in a circle', () => {
    expect(imports.length).toBeGreaterThan(3_000)
    expect(circlesIn(imports)).toEqual([])
  })

  it('is the one in docs/images/house.svg; draw it again by `npm run house`', () => {
    expect(readFileSync(new URL('images/house.svg', import.meta.url), 'utf8')).toBe(drawHouse(imports))
  })
})

describe('a floor', () => {
  const sound: readonly Import[] = [
    ['a/src/top/one.ts', 'a/src/middle/two.ts'],
    ['a/src/middle/two.ts', 'a/src/ground.ts'],
    ['a/src/top/one.ts', 'a/src/ground.ts'],
    ['b/src/x.ts', 'a/src/top/one.ts'],
  ]

  it('is above all that it imports, and an arrow that follows from others is left out', () => {
    const parts = partsOf(sound, 'a/src/')
    expect([...floorsOf(parts)]).toEqual([
      ['ground.ts', 0],
      ['middle', 1],
      ['top', 2],
    ])
    expect(needed(parts)).toEqual([
      ['top', 'middle'],
      ['middle', 'ground.ts'],
    ])
    expect(circlesIn(sound)).toEqual([])
  })

  it.each<[string, Import, string]>([
    [
      'a file that it is imported by',
      ['a/src/ground.ts', 'a/src/middle/three.ts'],
      'a/src/: middle → ground.ts → middle',
    ],
    ['a folder above it', ['a/src/middle/deep/four.ts', 'a/src/top/five.ts'], 'a/src/: top → middle → top'],
    ['another package that imports it', ['a/src/ground.ts', 'b/src/y.ts'], ': a → b → a'],
  ])('is in a circle when what it is built on imports %s', (_, added, circle) => {
    expect(circlesIn([...sound, added]).map((text) => text.split('\n')[0])).toEqual([circle])
  })
})

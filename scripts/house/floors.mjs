import { dirname } from 'node:path'
import { byText } from './imports.mjs'

/** The part of a folder that a path is in: a file or a folder there. None for a path elsewhere. */
function partOf(folder, path) {
  if (!path.startsWith(folder)) return undefined
  const rest = path.slice(folder.length)
  const end = rest.indexOf('/')
  return end < 0 ? rest : rest.slice(0, end)
}

/** What each part of a folder imports of the others: for each part those, each with an import as an example. */
export function partsOf(imports, folder) {
  const parts = new Map()
  for (const example of imports) {
    const [from, to] = example.map((path) => partOf(folder, path))
    for (const part of [from, to]) if (part !== undefined && !parts.has(part)) parts.set(part, new Map())
    if (from === undefined || to === undefined || from === to) continue
    const below = parts.get(from)
    if (!below.has(to)) below.set(to, example)
  }
  return parts
}

/** The first circle of parts, as the parts in their order; null when there is none. */
function circleOf(parts) {
  const isDone = new Set()
  const way = []
  const follow = (part) => {
    if (way.includes(part)) return way.slice(way.indexOf(part))
    if (isDone.has(part)) return null
    way.push(part)
    for (const next of parts.get(part).keys()) {
      const circle = follow(next)
      if (circle !== null) return circle
    }
    way.pop()
    isDone.add(part)
    return null
  }
  for (const part of parts.keys()) {
    const circle = follow(part)
    if (circle !== null) return circle
  }
  return null
}

/**
 * What is not built from the ground up: for each folder whose parts import each other in a circle, the circle and its imports. Without one,
 * every arrow leads down, since the floor of a part is above all that it imports.
 */
export function circlesIn(imports) {
  const folders = new Set([''])
  for (const path of imports.flat())
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) folders.add(`${folder}/`)
  return [...folders].toSorted(byText).flatMap((folder) => {
    const parts = partsOf(imports, folder)
    const circle = circleOf(parts)
    if (circle === null) return []
    const arrows = circle.map((part, at) =>
      parts
        .get(part)
        .get(circle[(at + 1) % circle.length])
        .join(' imports '),
    )
    return [`${folder}: ${[...circle, circle[0]].join(' → ')}\n  ${arrows.join('\n  ')}`]
  })
}

/** The floor of each part: 0 for those that import no other one, else one above the highest that they import. */
export function floorsOf(parts) {
  const floors = new Map()
  const floorOf = (part) => {
    if (!floors.has(part)) floors.set(part, Math.max(-1, ...[...parts.get(part).keys()].map(floorOf)) + 1)
    return floors.get(part)
  }
  for (const part of parts.keys()) floorOf(part)
  return floors
}

/** The arrows that do not follow from others, as `[from, to]`: what one imports only by way of a third is left out. */
export function needed(parts) {
  const reached = (part) => [...parts.get(part).keys()].flatMap((next) => [next, ...reached(next)])
  return [...parts].flatMap(([from, below]) => {
    const indirect = new Set([...below.keys()].flatMap(reached))
    return [...below.keys()].filter((to) => !indirect.has(to)).map((to) => [from, to])
  })
}

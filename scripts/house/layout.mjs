import { floorsOf, needed } from './floors.mjs'
import { byText } from './imports.mjs'

const SWEEPS = 40
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length

/**
 * The floors of a house, the ground floor first, and its arrows. Each arrow is the things that it passes, from above: on a floor between
 * its ends that is a gap of its own.
 */
function furnish(parts, sizeOf) {
  const floors = []
  const put = (floor, thing) => {
    ;(floors[floor] ??= []).push(thing)
    return thing
  }
  const level = floorsOf(parts)
  const rooms = new Map(
    [...level]
      .toSorted(byText)
      .map(([name, floor]) => [name, put(floor, { name, ...sizeOf(name), up: [], down: [] })]),
  )
  const arrows = needed(parts)
    .toSorted(byText)
    .map(([from, to]) => {
      const passed = [rooms.get(from)]
      for (let floor = level.get(from) - 1; floor > level.get(to); floor -= 1)
        passed.push(put(floor, { name: null, width: 6, height: 0, up: [], down: [] }))
      passed.push(rooms.get(to))
      for (const [at, lower] of passed.slice(1).entries()) {
        passed[at].down.push(lower)
        lower.up.push(passed[at])
      }
      return passed
    })
  return { floors, arrows }
}

/** How many arrows cross between the floors. */
function crossings(floors) {
  let count = 0
  for (const floor of floors) {
    const lines = floor.flatMap((upper, at) => upper.down.map((lower) => [at, lower.at]))
    for (const [a, b] of lines) for (const [c, d] of lines) if (a < c && b > d) count += 1
  }
  return count
}

/** Orders each floor so that few arrows cross: again and again by the middle of what each thing is joined to. */
function order(floors) {
  const number = () => floors.forEach((floor) => floor.forEach((thing, at) => Object.assign(thing, { at })))
  number()
  let best = { count: crossings(floors), orders: floors.map((floor) => [...floor]) }
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const [side, way] = sweep % 2 === 0 ? ['down', floors] : ['up', floors.toReversed()]
    for (const floor of way) {
      for (const thing of floor)
        thing.wish = thing[side].length === 0 ? thing.at : mean(thing[side].map(({ at }) => at))
      floor.sort((a, b) => a.wish - b.wish || a.at - b.at)
      floor.forEach((thing, at) => Object.assign(thing, { at }))
    }
    const count = crossings(floors)
    if (count < best.count) best = { count, orders: floors.map((floor) => [...floor]) }
  }
  best.orders.forEach((things, index) => floors[index].splice(0, Infinity, ...things))
  number()
}

/** Places each floor from left to right, every thing as near to the middle of what it is joined to as those beside it allow. */
function place(floors, gap) {
  const shift = (floor) => {
    // Those that would overlap form a row, which stands where its things wish in the mean.
    const row = []
    for (const thing of floor) {
      let block = { things: [thing], width: thing.width, left: thing.wish - thing.width / 2 }
      while (row.length > 0 && row.at(-1).left + row.at(-1).width + gap > block.left) {
        const before = row.pop()
        const things = [...before.things, ...block.things]
        const width = before.width + gap + block.width
        const left =
          (before.left * before.things.length + (block.left - before.width - gap) * block.things.length) /
          things.length
        block = { things, width, left }
      }
      row.push(block)
    }
    for (const { things, left } of row) {
      let x = left
      for (const thing of things) {
        thing.x = x
        x += thing.width + gap
      }
    }
  }
  const middle = ({ x, width }) => x + width / 2
  for (const floor of floors) {
    let x = 0
    for (const thing of floor) {
      thing.x = x
      x += thing.width + gap
    }
    for (const thing of floor) thing.x -= x / 2
  }
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    for (const floor of sweep % 2 === 0 ? floors : floors.toReversed()) {
      for (const thing of floor) {
        // An arrow that passes floors counts more often, so that it runs straight.
        const joined = [...thing.up, ...thing.down].flatMap((other) =>
          Array.from(
            { length: [thing, other].filter(({ name }) => name === null).length * 3 + 1 },
            () => other,
          ),
        )
        thing.wish = joined.length === 0 ? 0 : mean(joined.map(middle))
      }
      shift(floor)
    }
  }
}

/**
 * Where the rooms of a house stand and its arrows run, from (0, 0) to the right and down. `sizeOf` gives the width and height of a room.
 * The same parts stand the same way each time.
 */
export function layOut(parts, sizeOf, { gap, between }) {
  const { floors, arrows } = furnish(parts, sizeOf)
  order(floors)
  place(floors, gap)
  const all = floors.flat()
  const left = Math.min(...all.map(({ x }) => x))
  let y = 0
  for (const floor of floors.toReversed()) {
    const height = Math.max(...floor.map((thing) => thing.height))
    for (const thing of floor) Object.assign(thing, { x: Math.round(thing.x - left), y })
    for (const thing of floor) if (thing.name === null) thing.height = height
    y += height + between
  }
  const width = Math.max(...all.map((thing) => thing.x + thing.width))
  return { rooms: all.filter(({ name }) => name !== null), arrows, width, height: y - between }
}

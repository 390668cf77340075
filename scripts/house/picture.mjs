import { partsOf } from './floors.mjs'
import { byText } from './imports.mjs'
import { layOut } from './layout.mjs'

const CORE = 'packages/core/src/'
const MARGIN = 20
const HEAD = 64
const STYLE = `
    .ground { fill: #f8fafc } .room { fill: #eef2ff; stroke: #6366f1 } .hall { fill: #e0e7ff; stroke: #4f46e5 }
    .folder { fill: #ffffff; stroke: #94a3b8 } .name { fill: #1e293b } .said { fill: #475569 }
    .way { fill: none; stroke: #64748b; stroke-width: 1.3 } .tip { fill: #64748b }
    @media (prefers-color-scheme: dark) {
      .ground { fill: #0f172a } .room { fill: #1e1b4b; stroke: #818cf8 } .hall { fill: #1e1b4b; stroke: #a5b4fc }
      .folder { fill: #1e293b; stroke: #64748b } .name { fill: #f1f5f9 } .said { fill: #cbd5e1 }
      .way { stroke: #94a3b8 } .tip { fill: #94a3b8 }
    }`

const labelOf = (name) => name.replace(/\.ts$/, '')
/** Wide enough for a name in letters of 14 pixels. */
const widthOf = (name, least) => Math.max(least, Math.ceil(labelOf(name).length * 8.2) + 16)

/** Where an arrow between a thing and another one meets it: spread over its width, in the order of the other ends. */
function spread(thing, side, at) {
  const others = thing[side].toSorted((a, b) => a.x + a.width / 2 - (b.x + b.width / 2))
  const index = others.indexOf(at)
  return thing.x + (thing.width * (index + 1)) / (others.length + 1)
}

function arrowPath(passed, dx, dy) {
  const points = passed.slice(1).flatMap((lower, index) => {
    const upper = passed[index]
    return [
      [spread(upper, 'down', lower), upper.y + upper.height],
      [spread(lower, 'up', upper), lower.y],
    ]
  })
  const [[x0, y0], ...rest] = points.map(([x, y]) => [Math.round(x + dx), Math.round(y + dy)])
  let path = `M${x0} ${y0}`
  let last = [x0, y0]
  for (const [x, y] of rest) {
    const half = Math.round((last[1] + y) / 2)
    path += last[0] === x ? `L${x} ${y}` : `C${last[0]} ${half} ${x} ${half} ${x} ${y}`
    last = [x, y]
  }
  return `<path class="way" d="${path}" marker-end="url(#tip)"/>`
}

function roomBox({ name, x, y, width, height }, kind, dx, dy) {
  const [left, top] = [x + dx, y + dy]
  return `<rect class="${kind}" x="${left}" y="${top}" width="${width}" height="${height}" rx="7"/>
  <text class="name" x="${left + width / 2}" y="${top + height / 2 + 5}" text-anchor="middle">${labelOf(name)}</text>`
}

/** A house in words: what each room imports, directly or not. */
const inWords = (parts) =>
  [...parts]
    .toSorted(byText)
    .map(
      ([name, below]) =>
        `${labelOf(name)} imports ${[...below.keys()].map(labelOf).toSorted(byText).join(', ') || 'nothing'}.`,
    )
    .join(' ')

/** The picture of the house as SVG: packages, with the folders of core inside it, each above all that it imports. */
export function drawHouse(imports) {
  const core = partsOf(imports, CORE)
  const inside = layOut(core, (name) => ({ width: widthOf(name, 84), height: 34 }), { gap: 16, between: 34 })
  const packages = partsOf(
    imports.map((example) => example.map((path) => path.replace(/^packages\//, ''))),
    '',
  )
  const hall = { width: inside.width + 48, height: inside.height + 72 }
  const sizeOf = (name) => (name === 'core' ? hall : { width: widthOf(name, 60), height: 40 })
  const house = layOut(packages, sizeOf, { gap: 12, between: 66 })
  const width = Math.max(1_000, house.width + 2 * MARGIN)
  const [dx, dy] = [Math.round((width - house.width) / 2), HEAD]
  const height = HEAD + house.height + MARGIN
  const { x, y } = house.rooms.find(({ name }) => name === 'core')
  const [inX, inY] = [x + dx + 24, y + dy + 52]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="t d" font-family="system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif" font-size="14">
  <title id="t">What imports what</title>
  <desc id="d">${inWords(packages)} In core: ${inWords(core)}</desc>
  <style>${STYLE}
  </style>
  <defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto"><path class="tip" d="M0 0 10 5 0 10z"/></marker></defs>
  <rect class="ground" width="${width}" height="${height}" rx="12"/>
  <text class="name" x="${MARGIN}" y="30" font-weight="600">What imports what</text>
  <text class="said" x="${MARGIN}" y="50" font-size="13">Every arrow points down. Imports that follow from other arrows are left out.</text>
  ${house.arrows.map((passed) => arrowPath(passed, dx, dy)).join('\n  ')}
  ${house.rooms
    .filter(({ name }) => name !== 'core')
    .map((room) => roomBox(room, 'room', dx, dy))
    .join('\n  ')}
  <rect class="hall" x="${x + dx}" y="${y + dy}" width="${hall.width}" height="${hall.height}" rx="10"/>
  <text class="name" x="${x + dx + 24}" y="${y + dy + 30}" font-weight="600">core</text>
  ${inside.arrows.map((passed) => arrowPath(passed, inX, inY)).join('\n  ')}
  ${inside.rooms.map((room) => roomBox(room, 'folder', inX, inY)).join('\n  ')}
</svg>
`
}

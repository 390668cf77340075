// `npm run house`: draws what imports what as docs/images/house.svg. Fails when folders or packages import each other in a circle.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { circlesIn } from './house/floors.mjs'
import { readImports } from './house/imports.mjs'
import { drawHouse } from './house/picture.mjs'
import { root } from './run.mjs'

const imports = readImports()
const circles = circlesIn(imports)
if (circles.length > 0) throw new Error(`these import each other:\n${circles.join('\n')}`)
writeFileSync(join(root, 'docs/images/house.svg'), drawHouse(imports))

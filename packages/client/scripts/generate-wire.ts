// Writes src/wire.ts: npm run generate -w packages/client
import { writeFile } from 'node:fs/promises'
import { readDocument } from '../test/documented-board.js'
import { formattedWire, wireFile } from './formatted-wire.js'

await writeFile(wireFile, await formattedWire(await readDocument()))

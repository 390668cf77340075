// Writes src/wire.ts, and the stubs of the Python client: npm run generate -w packages/client
import { writeFile } from 'node:fs/promises'
import { readDocument } from '../test/documented-board.js'
import { formattedWire, wireFile } from './formatted-wire.js'
import { pythonFiles } from './python-files.js'

const document = await readDocument()
await writeFile(wireFile, await formattedWire(document))
for (const [file, text] of Object.entries(await pythonFiles(document))) await writeFile(file, text)

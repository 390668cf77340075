import { writeFileSync } from 'node:fs'
import { referencePath, withReference } from './reference.js'

writeFileSync(referencePath, await withReference())

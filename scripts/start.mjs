// `npm start`: builds what is out of date, and runs an example server in this process.
import { pathToFileURL } from 'node:url'
import { programOf } from './demo-output.mjs'

const server = process.argv[2]
process.argv.push('--stale')
await import('./build.mjs')
await import(pathToFileURL(programOf(server)).href)

// `npm start`: makes what is out of date of an example server, and runs it in this process.
import { pathToFileURL } from 'node:url'
import { prepareServer } from './example-server.mjs'

await import(pathToFileURL(await prepareServer(process.argv[2] ?? 'express-server')).href)

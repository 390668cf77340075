export { describeServer } from './server-cases.js'
export { launch, startServer } from './server-process.js'
export type { ServerProcess } from './server-process.js'
export { runInShell } from './shell.js'

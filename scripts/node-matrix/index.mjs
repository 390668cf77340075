import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The path of a pinned Node.js binary (`release` is 22 or 24), or null when `npm ci --prefix scripts/node-matrix` has not run or the platform has none. */
export function nodeBinary(release) {
  const folder = `./node_modules/node${release}-${process.platform}-${process.arch}/bin/node`
  const path = fileURLToPath(new URL(folder, import.meta.url))
  return existsSync(path) ? path : null
}

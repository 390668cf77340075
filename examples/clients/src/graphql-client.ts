import { firstWorkspace } from './ask-graphql.js'
import { drawOverview, readOverview } from './board-overview.js'
import { readAccess } from './server-access.js'

/** Prints the board of the workspace in the first argument, or of the oldest one within the key's reach. */
try {
  const access = readAccess(process.env)
  console.log(drawOverview(await readOverview(access, process.argv[2] ?? (await firstWorkspace(access)))))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

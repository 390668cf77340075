import { firstWorkspace } from './ask-graphql.js'
import { followWorkspace } from './follow-workspace.js'
import { messageLine } from './realtime-message.js'
import { readAccess } from './server-access.js'

/**
 * Prints the events of the workspace in the first argument, or of the oldest one within the key's reach, until SIGINT or SIGTERM.
 */
const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())

try {
  const access = readAccess(process.env)
  await followWorkspace({
    access,
    workspaceId: process.argv[2] ?? (await firstWorkspace(access)),
    onMessage: (message) => console.log(messageLine(message)),
    onCut: ({ code, reason }) => console.log(`cut off (${code} ${reason}), connecting again`),
    signal: stopping.signal,
  })
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

import type { Command } from './command.js'
import { agentCommands } from './commands/agent-commands.js'
import { apiCommand } from './commands/api-command.js'
import { approvalCommands } from './commands/approval-commands.js'
import { completionCommand } from './commands/completion-command.js'
import { databaseCommands } from './commands/database-commands.js'
import { keyCommands } from './commands/key-commands.js'
import { mcpCommand } from './commands/mcp-command.js'
import { messengerCommands } from './commands/messenger-commands.js'
import { openCommand } from './commands/open-command.js'
import { sessionCommands } from './commands/session-commands.js'
import { taskCommands } from './commands/task-commands.js'
import { taskChangeCommands } from './commands/task-change-commands.js'
import { transferCommands } from './commands/transfer-commands.js'
import { watchCommand } from './commands/watch-command.js'
import { webhookCommands } from './commands/webhook-commands.js'
import { workCommand } from './commands/work-command.js'

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  ...sessionCommands,
  ...taskCommands,
  ...taskChangeCommands,
  watchCommand,
  openCommand,
  ...approvalCommands,
  workCommand,
  mcpCommand,
  ...agentCommands,
  ...webhookCommands,
  ...keyCommands,
  ...messengerCommands,
  ...databaseCommands,
  ...transferCommands,
  apiCommand,
  completionCommand(() => commands),
]

/** What the groups of commands are about. */
export const groups: Readonly<Record<string, string>> = {
  agents: 'the agents of the board',
  webhooks: 'endpoints for events',
  keys: 'API keys',
  messengers: 'accounts and conversations of messengers',
}

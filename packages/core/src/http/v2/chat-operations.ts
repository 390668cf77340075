import { z } from 'zod'
import { operation, workspaceOf } from './operation.js'
import { idText, timestamp, toTimestamp } from '../wire/wire-schemas.js'

const sendChatMessage = operation({
  id: 'sendChatMessage',
  tag: 'agents',
  summary: 'Asks the chat agent of a workspace',
  description:
    'Waits for the reply. 503 when no agent of the workspace can chat, or when it does not reply. A message is not kept: send what the agent must know.',
  method: 'POST',
  path: '/v2/chat',
  client: 'chat.send',
  repeatable: false,
  scope: 'chat:write',
  body: z.object({
    message: z.string({ error: 'must be text' }).meta({ description: '1 to 20,000 characters.' }),
    user: z
      .string({ error: 'must be text' })
      .nullish()
      .meta({ description: 'Who asks, as the agent sees it.' }),
    workspace_id: idText.nullish(),
  }),
  example: { message: 'What is left to do?' },
  answer: { status: 200, schema: z.object({ reply: z.string(), timestamp }) },
  async run({ services, principal, body }) {
    const workspaceId = await workspaceOf(services, principal, body.workspace_id)
    const { message, user } = body
    const { reply, at } = await services.board(workspaceId).chat({ message, user })
    return { reply, timestamp: toTimestamp(at) }
  },
})

/** The chat with an agent, as on the board API. */
export const chatOperations = [sendChatMessage]

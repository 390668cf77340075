import { z } from 'zod'
import type { LinkRequest } from '../../links/index.js'
import { operation } from './operation.js'
import { idText, timestamp, toTimestamp } from '../wire/wire-schemas.js'

const body = z.object({
  user_id: idText.meta({ description: 'The person who decides with it: the id of a user.' }),
})
const sent = z.object({
  user_id: z.string(),
  expires_at: timestamp.meta({ description: 'When the link expires.' }),
})
const description =
  "The link goes only to the person's linked account or verified address, and decides once. No response contains its address. Rejected with 409 when nothing waits for a decision, and when no message can reach the person."
const common = {
  method: 'POST',
  repeatable: false,
  scope: 'tasks:write',
  description,
  body,
  example: { user_id: 'user_01' },
  answer: { status: 202, schema: sent },
} as const

const toWire = (userId: string, { expiresAt }: { readonly expiresAt: number }) => ({
  user_id: userId,
  expires_at: toTimestamp(expiresAt),
})

const sendApprovalLink = operation({
  ...common,
  id: 'sendApprovalLink',
  tag: 'approvals',
  summary: 'Sends a person a link that decides an approval',
  path: '/v2/approvals/{approval_id}/links',
  client: 'approvals.sendLink',
  params: z.object({ approval_id: idText }),
  async run({ services, principal, by, params: { approval_id: approvalId }, body: { user_id: userId } }) {
    const request: LinkRequest = { about: { approvalId }, userId }
    return toWire(userId, await services.links.send(principal, request, by))
  },
})

const sendQuestionLink = operation({
  ...common,
  id: 'sendQuestionLink',
  tag: 'tasks',
  summary: 'Sends a person a link that answers the question of a task',
  path: '/v2/tasks/{task_id}/answer/links',
  client: 'tasks.sendAnswerLink',
  params: z.object({ task_id: idText }),
  async run({ services, principal, by, params: { task_id: taskId }, body: { user_id: userId } }) {
    const request: LinkRequest = { about: { taskId }, userId }
    return toWire(userId, await services.links.send(principal, request, by))
  },
})

/** Operations that send links to people. */
export const linkOperations = [sendApprovalLink, sendQuestionLink]

import type { CreateWebhookBody, Webhook } from '@taskboard/client'
import { type Call, type Command, listOf } from '../command.js'
import { textTable } from '../output/text.js'
import { workspaceOf, workspaceOption } from './task-commands.js'

const webhookRow = ({ id, url, enabled, signed, weak_secret: weak, events }: Webhook) => [
  id,
  enabled ? 'enabled' : 'disabled',
  signed ? (weak ? 'weak secret' : 'signed') : 'unsigned',
  events.length,
  url,
]

async function list(call: Call): Promise<void> {
  const { cli } = call
  const answer = await (await cli.client()).webhooks.list({ workspace_id: workspaceOf(call) })
  cli.output.result(answer, () =>
    answer.webhooks.length === 0
      ? 'no webhooks'
      : textTable(['ID', 'STATE', 'SIGNATURE', 'EVENTS', 'URL'], answer.webhooks.map(webhookRow), cli.output),
  )
}

async function create(call: Call): Promise<void> {
  const { cli, args, options } = call
  const secret = options['signed'] === true ? await cli.askSecret('Secret') : undefined
  const webhook = await (
    await cli.client()
  ).webhooks.create({
    url: args[0] ?? '',
    events: (listOf(options, 'event') ?? []) as CreateWebhookBody['events'],
    secret,
    generate_secret: options['generateSecret'] === true,
    workspace_id: workspaceOf(call),
  })
  const created = `${webhook.id}  created`
  cli.output.result(webhook, webhook.secret === null ? created : `${created}\n${webhook.secret}`)
  if (webhook.secret !== null && !cli.output.isJson) cli.output.note('This secret is shown only once.')
}

async function test({ cli, args: [id = ''] }: Call): Promise<void> {
  const delivery = await (await cli.client()).webhooks.test(id)
  cli.output.result(delivery, `${delivery.id}  ${delivery.status}`)
}

function enable(enabled: boolean): Command['run'] {
  return async ({ cli, args: [id = ''] }) => {
    const webhook = await (await cli.client()).webhooks.update(id, { enabled })
    cli.output.result(webhook, `${webhook.id}  ${webhook.enabled ? 'enabled' : 'disabled'}`)
  }
}

async function remove({ cli, args: [id = ''] }: Call): Promise<void> {
  await (await cli.client()).webhooks.delete(id)
  cli.output.result({ deleted: id }, `${id}  deleted`)
}

const webhook = { name: 'webhook', summary: 'the id of the webhook' }

export const webhookCommands: readonly Command[] = [
  {
    name: 'webhooks list',
    summary: 'List webhooks',
    options: [workspaceOption],
    scopes: ['webhooks:read'],
    json: { operation: 'listWebhooks' },
    run: list,
  },
  {
    name: 'webhooks create',
    summary: 'Create a webhook',
    arguments: [{ name: 'url', summary: 'the URL to send events to' }],
    options: [
      { flags: '--event <type>', summary: 'an event type to send', isList: true, isRequired: true },
      { flags: '--signed', summary: 'ask for the secret to sign deliveries with' },
      {
        flags: '--generate-secret',
        summary: 'generate a secret to sign deliveries with, and show it once',
      },
      workspaceOption,
    ],
    scopes: ['webhooks:write'],
    json: { operation: 'createWebhook' },
    run: create,
  },
  {
    name: 'webhooks test',
    summary: 'Queue a test event, and show its delivery: `pending` until the endpoint has responded',
    arguments: [webhook],
    scopes: ['webhooks:write'],
    json: { operation: 'testWebhook' },
    run: test,
  },
  {
    name: 'webhooks enable',
    summary: 'Enable a webhook',
    arguments: [webhook],
    scopes: ['webhooks:write'],
    json: { operation: 'updateWebhook' },
    run: enable(true),
  },
  {
    name: 'webhooks disable',
    summary: 'Disable a webhook',
    arguments: [webhook],
    scopes: ['webhooks:write'],
    json: { operation: 'updateWebhook' },
    run: enable(false),
  },
  {
    name: 'webhooks delete',
    summary: 'Delete a webhook with its deliveries',
    arguments: [webhook],
    scopes: ['webhooks:write'],
    json: { shape: '`{ deleted }`' },
    run: remove,
  },
]

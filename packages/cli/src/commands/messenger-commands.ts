import type { MessengerConversation, MessengerLink } from '@taskboard/client'
import { type Call, type Command, textOf } from '../command.js'
import { textTable } from '../output/text.js'
import { withUser } from './session-commands.js'

const emailOption = {
  flags: '--email <email>',
  summary: 'the email of the user; the command asks for it otherwise',
}

const linkRow = ({ id, messenger, name, created_at: at }: MessengerLink) => [id, messenger, at, name]

async function list({ cli, options }: Call): Promise<void> {
  const found = await withUser(cli, textOf(options, 'email'), (client) => client.messengers.list())
  cli.output.result(found, () =>
    textTable(['ID', 'MESSENGER', 'LINKED', 'NAME'], found.links.map(linkRow), cli.output),
  )
}

async function code({ cli, options }: Call): Promise<void> {
  const zone = textOf(options, 'zone') ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  const made = await withUser(cli, textOf(options, 'email'), (client) =>
    client.messengers.createCode({ time_zone: zone }),
  )
  cli.output.result(made, made.code)
  if (cli.output.isJson) return
  cli.output.note(`Send it to the bot in a direct message until ${made.expires_at}. It is valid once.`)
  for (const address of Object.values(made.addresses)) cli.output.note(`Or open ${address}`)
}

async function unlink({ cli, args: [id = ''], options }: Call): Promise<void> {
  await withUser(cli, textOf(options, 'email'), (client) => client.messengers.unlink(id))
  cli.output.result({ unlinked: id }, `${id}  unlinked`)
}

const conversationRow = (each: MessengerConversation) => [
  each.id,
  each.messenger,
  each.workspace_id,
  each.failure === null ? 'connected' : 'failed',
  each.title,
]

async function conversations({ cli }: Call): Promise<void> {
  const found = await (await cli.client()).messengers.conversations()
  const head = ['ID', 'MESSENGER', 'WORKSPACE', 'STATE', 'TITLE']
  cli.output.result(found, () => textTable(head, found.conversations.map(conversationRow), cli.output))
}

async function disconnect({ cli, args: [id = ''] }: Call): Promise<void> {
  await (await cli.client()).messengers.disconnect(id)
  cli.output.result({ disconnected: id }, `${id}  disconnected`)
}

export const messengerCommands: readonly Command[] = [
  {
    name: 'messengers list',
    summary: 'List the messenger accounts that are linked to a user. Asks for the password',
    options: [emailOption],
    scopes: [],
    json: { operation: 'listMessengers' },
    run: list,
  },
  {
    name: 'messengers code',
    summary: 'Print a code that links a messenger account to a user. Asks for the password',
    options: [
      { flags: '--zone <zone>', summary: 'the time zone for times in your messages; default: yours' },
      emailOption,
    ],
    scopes: [],
    json: { operation: 'createMessengerCode' },
    run: code,
  },
  {
    name: 'messengers unlink',
    summary: 'Unlink a messenger account. Asks for the password',
    arguments: [{ name: 'link', summary: 'the id of the link' }],
    options: [emailOption],
    scopes: [],
    json: { shape: '`{ unlinked }`' },
    run: unlink,
  },
  {
    name: 'messengers conversations',
    summary: 'List the messenger conversations that are connected to workspaces',
    scopes: ['account:read'],
    json: { operation: 'listMessengerConversations' },
    run: conversations,
  },
  {
    name: 'messengers disconnect',
    summary: 'Disconnect a conversation from its workspace',
    arguments: [{ name: 'conversation', summary: 'the id of the conversation' }],
    scopes: ['account:write'],
    json: { shape: '`{ disconnected }`' },
    run: disconnect,
  },
]

import type { ApiKey, CreateApiKeyBody } from '@taskboard/client'
import { CliError } from '../cli-error.js'
import { type Call, type Command, listOf, textOf } from '../command.js'
import { readConfig, storeServer } from '../config-file.js'
import { textTable } from '../output/text.js'
import { endOf, withUser } from './session-commands.js'
import { workspaceOf, workspaceOption } from './task-commands.js'

const keyRow = (key: ApiKey) => [
  key.id,
  key.prefix,
  key.revoked_at === null ? (key.expires_at ?? 'valid') : 'revoked',
  key.workspace_id ?? 'all',
  key.name,
]

async function list({ cli }: Call): Promise<void> {
  const client = await cli.client()
  const keys: ApiKey[] = []
  for await (const key of client.apiKeys.listAll()) keys.push(key)
  cli.output.result({ api_keys: keys, next_cursor: null }, () =>
    textTable(['ID', 'PREFIX', 'ENDS', 'WORKSPACE', 'NAME'], keys.map(keyRow), cli.output),
  )
}

async function create(call: Call): Promise<void> {
  const { cli, args, options } = call
  const days = textOf(options, 'days')
  const body: CreateApiKeyBody = {
    name: args[0] ?? '',
    scopes: (listOf(options, 'scope') ?? []) as CreateApiKeyBody['scopes'],
    expires_at: days === undefined ? undefined : endOf(days),
    workspace_id: workspaceOf(call),
  }
  const key = await withUser(cli, textOf(options, 'email'), (client) => client.apiKeys.create(body))
  cli.output.result(key, key.key)
  if (!cli.output.isJson) cli.output.note(`${key.id} was created. This key is shown only once.`)
}

async function rotate({ cli, args: [id = ''], options }: Call): Promise<void> {
  const overlap = textOf(options, 'overlap')
  if (overlap !== undefined && !/^\d{1,7}$/.test(overlap)) {
    throw new CliError('usage', '--overlap must be a whole number of seconds')
  }
  const body = overlap === undefined ? {} : { overlap_s: Number(overlap) }
  const key = await withUser(cli, textOf(options, 'email'), (client) => client.apiKeys.rotate(id, body))
  const url = await cli.url()
  const stored = (await readConfig(cli.env)).servers[url]
  if (stored !== undefined && 'keyId' in stored && stored.keyId === id) {
    await storeServer(cli.env, url, { key: key.key, keyId: key.id })
    cli.output.note('the stored key was replaced as well')
  }
  cli.output.result(key, key.key)
  if (!cli.output.isJson) cli.output.note(`${key.id} was created. This key is shown only once.`)
}

async function revoke({ cli, args: [id = ''] }: Call): Promise<void> {
  await (await cli.client()).apiKeys.revoke(id)
  cli.output.result({ revoked: id }, `${id}  revoked`)
}

const emailOption = {
  flags: '--email <email>',
  summary: 'the email of the user; the command asks for it otherwise',
}
const key = { name: 'key', summary: 'the id of the key' }

export const keyCommands: readonly Command[] = [
  {
    name: 'keys list',
    summary: 'List API keys, without the keys themselves',
    scopes: ['account:read'],
    json: { operation: 'listApiKeys' },
    run: list,
  },
  {
    name: 'keys create',
    summary:
      'Create an API key, and print it once. Requires a user: it asks for the password, as `login` does',
    arguments: [{ name: 'name', summary: 'the name of the key' }],
    options: [
      { flags: '--scope <scope>', summary: 'a scope of the key', isList: true, isRequired: true },
      { flags: '--days <days>', summary: 'days until the key expires; default: never' },
      emailOption,
      workspaceOption,
    ],
    scopes: ['account:write'],
    json: { operation: 'createApiKey' },
    run: create,
  },
  {
    name: 'keys rotate',
    summary:
      'Create a key with the same rights, and print it once. Only the user who created the old key can',
    arguments: [key],
    options: [
      {
        flags: '--overlap <seconds>',
        summary: 'how long the old key stays valid: 0 to 604800, default 86400',
      },
      emailOption,
    ],
    scopes: ['account:write'],
    json: { operation: 'rotateApiKey' },
    run: rotate,
  },
  {
    name: 'keys revoke',
    summary: 'Revoke a key',
    arguments: [key],
    scopes: ['account:write'],
    json: { shape: '`{ revoked }`' },
    run: revoke,
  },
]

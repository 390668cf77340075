import { openApiCheck, type OpenApiCheck } from '../../../packages/testing/src/v2/open-api-check.js'
import { toFetchHandler } from '../../../packages/core/src/entries/transport.js'
import type { Random } from '../../../packages/core/src/environment/index.js'
import {
  createTaskboard,
  defineAgent,
  scopes,
  type TaskboardOptions,
} from '../../../packages/core/src/index.js'
import { memoryStorage } from '../../../packages/memory/src/index.js'
import { email, slack } from '../../../packages/notify/src/index.js'
import { plainPasswordHasher, virtualClock, type VirtualClock } from '../../../packages/testing/src/index.js'
import { seededNumbers } from '../../../proof/kit/random/seeded-numbers.js'

export const OWNER = { email: 'ada@acme.example', password: 'correct horse battery' }
const ORIGIN = 'http://board.example'

/** A response, with its body as text. */
export interface ExampleResponse {
  readonly status: number
  readonly text: string
}

export interface ExampleRequest {
  readonly method: string
  /** With its query. */
  readonly path: string
  /** The access token or API key; none without it. */
  readonly credential?: string | undefined
  readonly body?: object | undefined
}

/** A board on which the examples of the reference run, the same in each run. */
export interface ExampleBoard {
  readonly clock: VirtualClock
  readonly check: OpenApiCheck
  /** An API key with every scope. */
  readonly key: string
  readonly workspaceId: string
  /** The owner of the account, whose address is verified. */
  readonly userId: string
  /** An account of a messenger that is linked to the owner, and a conversation that is connected with the workspace. */
  connectMessenger(): Promise<{ readonly linkId: string; readonly conversationId: string }>
  send(request: ExampleRequest): Promise<ExampleResponse>
  close(): Promise<void>
}

const assistant = defineAgent({
  type: 'assistant',
  run: () => '',
  chat: async (_, { board }) => {
    const { tasks } = await board.list('TODO')
    return `Left to do: ${tasks.map(({ title }) => title).join(', ')}.`
  },
})

const telegram: NonNullable<TaskboardOptions['bots']>[number] = {
  name: 'telegram',
  label: 'Telegram',
  path: null,
  handle: () => Promise.resolve({ status: 404 }),
  show: () => Promise.resolve({ outcome: 'gone' }),
  linkAddress: (code) => `https://t.me/acme_board_bot?start=${code}`,
}

/** Opens a board with an account, its owner and a key. What it sends goes nowhere and succeeds. */
export async function openExampleBoard(): Promise<ExampleBoard> {
  const clock = virtualClock('2026-11-02T09:00:00Z')
  const shared = {
    storage: memoryStorage(),
    clock,
    random: seededRandom(7),
    logger: false,
    secrets: { encryptionKey: '0'.repeat(64) },
    webhooks: {
      sender: {
        send: () => Promise.resolve({ kind: 'answered', status: 200, excerpt: 'ok' } as const),
        close: () => Promise.resolve(),
      },
    },
  } as const
  const taskboard = createTaskboard({
    ...shared,
    agents: [assistant],
    notifications: [
      slack(),
      email({ transport: { sendMail: () => Promise.resolve() }, from: 'board@acme.example', confirm: true }),
    ],
    bots: [telegram],
    publicUrl: 'https://board.acme.example',
    passwordHasher: plainPasswordHasher,
    tokens: { secret: 'only for the examples of the reference' },
  })
  // Sends the deliveries. It has no agents, so that the tasks wait for those of the examples.
  const deliverer = createTaskboard(shared)
  await deliverer.start()
  const { account, workspace } = await taskboard.accounts.create({
    name: 'Acme',
    tier: 'professional',
    owner: OWNER,
  })
  const [{ id: userId } = { id: '' }] = await taskboard.accounts.listUsers(account.id)
  await taskboard.accounts.setEmailVerified(userId, true)
  const { key } = await taskboard.accounts.createKey({
    workspaceId: workspace.id,
    name: 'examples',
    scopes: [...scopes],
  })
  const handle = toFetchHandler(taskboard)
  async function send({ method, path, credential, body }: ExampleRequest): Promise<ExampleResponse> {
    const headers = {
      ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
    const content = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await handle(new Request(ORIGIN + path, { method, headers, ...content }))
    return { status: response.status, text: await response.text() }
  }
  return {
    clock,
    check: openApiCheck((await send({ method: 'GET', path: '/v2/openapi.json' })).text),
    key,
    workspaceId: workspace.id,
    userId,
    send,
    async connectMessenger() {
      const { bots } = shared.storage
      const at = { now: clock.now() }
      const owner = { userId, accountId: account.id }
      const shown = { bot: telegram.name, externalId: '7', secretHash: 'secret' }
      const code = { ...owner, timeZone: 'Europe/Oslo', codeHash: 'code', ttlMs: 1_000 }
      const { id: codeId } = await bots.insertLinkCode(code, at)
      await bots.offerLink({ codeHash: code.codeHash, name: 'Ada', ...shown }, at)
      const link = await bots.settleLink({ codeId, ...shown, accepts: true, most: 5 }, at)
      const group = { bot: telegram.name, externalId: '-8', title: 'Operations', workspaceId: workspace.id }
      const connected = await bots.connectConversation(
        { ...group, accountId: account.id, connectedBy: userId, most: 100 },
        at,
      )
      return { linkId: link?.id ?? '', conversationId: connected.id }
    },
    async close() {
      await deliverer.close()
      await taskboard.close()
    },
  }
}

function seededRandom(seed: number): Random {
  const below = seededNumbers(seed)
  return {
    bytes: (size) => Uint8Array.from({ length: size }, () => below(256)),
    fraction: () => below(1_000) / 1_000,
  }
}

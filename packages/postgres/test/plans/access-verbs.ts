import type { Storage } from '@taskboard/core'
import { createHash } from 'node:crypto'
import type { PgConnection } from '../../src/connection/pool.js'
import type { HotVerb } from './hot-verb.js'
import { HUGE, NOW } from './large-board.js'

const at = { now: NOW }
const reach = { accountId: 'acc_7', workspaceIds: 'all' } as const

/** Background work that runs all the time. */
export function pruningVerbs(storage: Storage<PgConnection>): readonly HotVerb[] {
  return [
    {
      name: 'prune deliveries',
      indexes: ['ended_delivery_age'],
      most: { rows: 7_000, pages: 5_000 },
      run: () => storage.prune({ rows: 'deliveries', olderThanMs: 0, limit: 500 }, { now: NOW - 9e8 }),
    },
    {
      name: 'prune deliveries, nothing old',
      indexes: ['ended_delivery_age'],
      run: () => storage.prune({ rows: 'deliveries', olderThanMs: 0, limit: 500 }, { now: NOW - 2e9 }),
    },
    {
      name: 'prune events',
      scans: ['event_batch'],
      most: { rows: 6_000, pages: 5_000 },
      run: () => storage.prune({ rows: 'events', olderThanMs: 0, limit: 500 }, { now: NOW - 9e8 }),
    },
    {
      name: 'prune events, nothing old',
      indexes: ['event_batch_age'],
      run: () => storage.prune({ rows: 'events', olderThanMs: 0, limit: 500 }, { now: NOW - 2e9 }),
    },
    {
      name: 'prune idempotency',
      indexes: ['idempotency_age'],
      most: { rows: 1_500, pages: 5_000 },
      run: () => storage.prune({ rows: 'idempotency', olderThanMs: 0, limit: 500 }, { now: NOW - 4.9e7 }),
    },
    {
      name: 'prune idempotency, nothing old',
      indexes: ['idempotency_age'],
      run: () => storage.prune({ rows: 'idempotency', olderThanMs: 0, limit: 500 }, { now: NOW - 9e8 }),
    },
    {
      name: 'prune limits',
      indexes: ['rolling_limit_idle'],
      most: { rows: 1_500, pages: 5_000 },
      run: () => storage.prune({ rows: 'limits', limit: 500 }, { now: NOW + 300_000 }),
    },
    {
      name: 'prune limits, nothing idle',
      indexes: ['rolling_limit_idle', 'tier_limit_hour'],
      run: () => storage.prune({ rows: 'limits', limit: 500 }, { now: NOW }),
    },
  ]
}

/** The reads that every request to the API begins with. */
export function accessVerbs({ access, agents, limits, quotas }: Storage<PgConnection>): readonly HotVerb[] {
  const hash = createHash('sha256').update('77').digest('hex')
  const take = (key: string) => limits.take({ key, limit: 60, windowMs: 60_000 }, at)
  const takeTier = (key: string) => limits.take({ key, perHour: 10_000, perMinute: 500 }, at)
  return [
    {
      name: 'find a principal',
      indexes: ['api_key_hash_key'],
      run: () => access.findPrincipal({ keyHash: hash }, at),
    },
    { name: 'get a workspace', run: () => access.listWorkspaces({ workspaceId: 'ws_77' }, at) },
    { name: 'list workspaces', run: () => access.listWorkspaces({ accountId: 'acc_7' }, at) },
    { name: 'list accounts', run: () => access.listAccounts({ limit: 50 }, at) },
    { name: 'list keys', run: () => access.listApiKeys({ reach, limit: 50, afterId: null }, at) },
    {
      name: 'list agents',
      indexes: ['agent_age'],
      run: () => agents.listAgents({ reach: null, workspaceId: HUGE }, at),
    },
    {
      name: 'get an agent',
      run: () => agents.listAgents({ reach: null, agentIds: [`agent_${HUGE}_1`] }, at),
    },
    {
      name: 'report a status',
      run: () => agents.reportPresence({ workspaceId: HUGE, agentId: `agent_${HUGE}_1`, status: 'busy' }, at),
    },
    { name: 'take of a limit', run: () => take('key:100') },
    { name: 'take of a new limit', run: () => take('new') },
    {
      name: 'take of 200 limits',
      most: { rows: 1_000, pages: 4_000 },
      run: () => Promise.all(Array.from({ length: 200 }, (_, n) => take(`key:${n * 7}`))),
    },
    { name: 'take of a tier limit', run: () => takeTier('account:100') },
    { name: 'take of a new tier limit', run: () => takeTier('new') },
    {
      name: 'take of 200 tier limits',
      most: { rows: 1_000, pages: 4_000 },
      run: () => Promise.all(Array.from({ length: 200 }, (_, n) => takeTier(`account:${n * 7}`))),
    },
    { name: 'take a task of the month', run: () => quotas.takeTask({ accountId: 'acc_7', limit: 100 }, at) },
    { name: 'give back a task', run: () => quotas.giveBackTask({ accountId: 'acc_7', month: NOW }, at) },
    { name: 'read the usage', run: () => quotas.usage({ accountId: 'acc_7' }, at) },
  ]
}

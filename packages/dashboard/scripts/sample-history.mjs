// Makes the data folder of a demo whose agents have worked for a month. It is written on a clock of its own: the API has only today.
import { randomBytes } from 'node:crypto'
import { createTaskboard } from '@taskboard/core'
import { virtualClock } from '@taskboard/testing'
import { migrate, openPglite, postgresStorage } from '@taskboard/postgres'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const DAYS = 29

const reports = [
  ['Compare four vendors of label printers', 'research'],
  ['Summarise the feedback on the beta', 'writing'],
  ['Check the October invoices', 'finance'],
  ['Draft the release notes for 2.4', 'writing'],
  ['Find where the sign-up loses people', 'research'],
]

/** Fills an empty folder. Returns who owns the account in it. */
export async function makeHistory(folder) {
  const owner = { email: 'ada@example.com', password: randomBytes(18).toString('base64url') }
  const pglite = await openPglite(folder)
  await migrate(pglite.pool)
  const clock = virtualClock(new Date(startOfDay(Date.now()) - DAYS * DAY_MS + 8 * HOUR_MS).toISOString())
  const taskboard = createTaskboard({
    storage: postgresStorage({ pool: pglite.pool }),
    clock,
    logger: false,
    tokens: { secret: randomBytes(32) },
    secrets: { encryptionKey: randomBytes(32) },
  })
  // Pictures of all pages take more requests than other tiers have.
  const { workspace } = await taskboard.accounts.create({
    name: 'Harbour & Co',
    tier: 'custom',
    workspaceName: 'Operations',
    owner,
  })
  const agents = await makeAgents(taskboard, workspace.id)
  await work({ clock, board: taskboard.board(workspace.id), agents })
  await taskboard.close()
  await pglite.close()
  return owner
}

const startOfDay = (timeMs) => timeMs - (timeMs % DAY_MS)

async function makeAgents({ agents }, workspaceId) {
  const make = (name, type, model, tools) =>
    agents.create(workspaceId, { name, type, model, tools, systemPrompt: `You are ${name}.` })
  return {
    research: await make('Scout', 'research', 'large-2', ['web search', 'spreadsheet']),
    writing: await make('Quill', 'writing', 'large-2', ['editor']),
    finance: await make('Ledger', 'finance', 'small-1', ['accounting']),
  }
}

/** Some reports each day, of which some fail. */
async function work({ clock, board, agents }) {
  for (let day = 0; day < DAYS; day++) {
    for (const [index, [title, type]] of reports.entries()) {
      if ((day + index) % 3 === 0) continue
      await board.add({ title, type, assignedTo: agents[type].id, tags: ['weekly'] })
      const { id, lease } = await board.claim({ agentId: agents[type].id, leaseMs: HOUR_MS })
      const { fencingToken } = lease
      await clock.advance((7 + ((day * 5 + index * 3) % 11)) * MINUTE_MS)
      const costUsd = 0.04 + index * 0.02
      await board.usage(id, {
        fencingToken,
        model: agents[type].model,
        inputTokens: Math.round(costUsd * 120_000),
        outputTokens: Math.round(costUsd * 9_000),
        costUsd,
      })
      if ((day + index) % 8 === 0) {
        await board.fail(id, { fencingToken, reason: 'The source did not answer.', retry: false })
        await board.delete(id)
      } else await board.complete(id, { fencingToken, result: `Done: ${title.toLowerCase()}.` })
    }
    await clock.advance(startOfDay(clock.now()) + DAY_MS + 8 * HOUR_MS - clock.now())
  }
}

// What happens on the sample board today: something of everything, by calls of the client, as people and agents would make them.
import { randomBytes } from 'node:crypto'
import { createClient } from '@taskboard/client'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const LEASE_S = 3_600

const waiting = [
  {
    title: 'Write the case study about Northwind',
    type: 'writing',
    priority: 'high',
    dueInMs: 2 * DAY_MS,
    tags: ['marketing'],
  },
  {
    title: 'Reconcile the payouts of last week',
    type: 'finance',
    priority: 'urgent',
    dueInMs: 5 * HOUR_MS,
    tags: ['month-end'],
  },
  {
    title: 'Review the city library tender',
    type: 'research',
    priority: 'medium',
    dueInMs: 9 * DAY_MS,
    tags: ['sales', 'public sector'],
  },
  { title: 'Translate the help page about refunds', type: 'writing', priority: 'low', tags: ['docs'] },
  {
    title: 'Answer the security review questionnaire',
    type: 'research',
    priority: 'high',
    dueInMs: -3 * HOUR_MS,
    tags: ['sales'],
  },
  {
    title: 'Collect the prices of the three nearest competitors',
    type: 'research',
    priority: 'medium',
    tags: [],
  },
]

const description = `Send the **three** drafts that the team chose.

- [x] Pick the drafts
- [x] Check every number against \`figures.csv\`
- [ ] Send them to <press@example.com>

See [the brief](https://example.com/brief).`

/** Fills the board of the owner's first workspace. Returns the id of the task that waits for an approval. */
export async function fillBoard({ url, owner }) {
  const client = createClient({ baseUrl: url, login: owner })
  const { agents } = await client.agents.list()
  const place = {
    client,
    agents: Object.fromEntries(agents.map((agent) => [agent.type, agent])),
    dueIn: (ms) => new Date(Date.now() + ms).toISOString(),
  }
  await makeFailure(place)
  await makeQuestion(place)
  const taskId = await makeApproval(place)
  await startWork(place, 'research', { title: 'Watch the launch of Contoso', progress: 35 })
  await startWork(place, 'finance', { title: 'Match 340 receipts with the ledger', progress: 70 })
  for (const { dueInMs, ...task } of waiting)
    await add(place, { ...task, ...(dueInMs === undefined ? {} : { deadline: place.dueIn(dueInMs) }) })
  await add(place, { title: 'Check the quotes in the press kit', type: 'research', parent_id: taskId })
  await makeSettings(place)
  await client.auth.logout()
  return taskId
}

/** Adds a task for the agent of its type alone. */
const add = ({ client, agents }, task) => client.tasks.create({ ...task, assigned_to: agents[task.type].id })

/** Adds a task that its agent takes at once. Returns its id, and what the agent's calls carry. */
async function begin(place, task) {
  const made = await add(place, task)
  const { task: claimed } = await place.client.tasks.claim({
    agent_id: place.agents[task.type].id,
    lease_s: LEASE_S,
  })
  if (claimed?.id !== made.id) throw new Error(`${claimed?.title} came before ${task.title}`)
  return { id: claimed.id, fencing_token: claimed.fencing_token }
}

const report = ({ client }, { id, fencing_token }, costUsd) =>
  client.tasks.usage(id, {
    fencing_token,
    model: 'large-2',
    input_tokens: Math.round(costUsd * 120_000),
    output_tokens: Math.round(costUsd * 9_000),
    cost_usd: costUsd,
  })

async function makeFailure(place) {
  const { id, fencing_token } = await begin(place, {
    title: 'Close the books of October',
    type: 'finance',
    priority: 'high',
  })
  await place.client.tasks.fail(id, {
    fencing_token,
    reason: 'The bank refused the connection (403).',
    retry: false,
  })
}

async function makeQuestion(place) {
  const { id, fencing_token } = await begin(place, {
    title: 'Choose a name for the new plan',
    type: 'writing',
    priority: 'medium',
  })
  await place.client.tasks.hold(id, {
    fencing_token,
    reason: 'needs_input',
    message: 'Should the name be one word? "Harbour Pro" and "Anchor" are the best two.',
  })
}

async function makeApproval(place) {
  const { tasks } = place.client
  const begun = await begin(place, {
    title: 'Send the press kit',
    description,
    type: 'writing',
    priority: 'urgent',
    deadline: place.dueIn(6 * HOUR_MS),
    tags: ['press', 'launch'],
  })
  const { id, fencing_token } = begun
  await tasks.log(id, { fencing_token, message: 'Read the brief and figures.csv' })
  await tasks.log(id, {
    fencing_token,
    message: 'One number differs from the brief: 1,204 and 1,240',
    level: 'warn',
  })
  await tasks.output(id, {
    fencing_token,
    type: 'document',
    name: 'Press kit, draft 3',
    url: 'https://example.com/press-kit.pdf',
    size: 184_320,
  })
  await report(place, begun, 0.18)
  await tasks.progress(id, { fencing_token, progress: 80 })
  await tasks.approvals.request(id, {
    fencing_token,
    action: 'send_email',
    summary: 'Send the press kit to 214 journalists',
    input: { to: 'press-list', subject: 'Harbour 2.4', attachments: ['press-kit.pdf'] },
  })
  await tasks.comment(id, { body: 'Please wait for the last number from finance.' })
  return id
}

async function startWork(place, type, { title, progress }) {
  const begun = await begin(place, { title, type, priority: 'urgent', tags: ['today'] })
  await report(place, begun, 0.07)
  await place.client.tasks.progress(begun.id, { fencing_token: begun.fencing_token, progress })
}

async function makeSettings({ client }) {
  await client.workspaces.create({ name: 'Research' })
  await client.members.create({ email: 'grace@example.com', password: randomBytes(18).toString('base64url') })
  await client.apiKeys.create({ name: 'nightly import', scopes: ['tasks:read', 'tasks:write'] })
  await client.webhooks.create({
    url: 'https://hooks.example.com/board',
    events: ['task.completed', 'task.failed'],
  })
  await client.schedules.create({
    cron: '0 7 * * 1-5',
    time_zone: 'Europe/Berlin',
    task: { title: 'Collect the figures of yesterday', type: 'finance' },
  })
}

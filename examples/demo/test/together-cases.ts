import { expect } from 'vitest'
import type { ServerProcess } from './server-process.js'
import { runInShell } from './shell.js'

interface WireTask {
  readonly id: string
  readonly result: string | null
}
interface WireApproval {
  readonly id: string
  readonly status: string
  readonly summary: string
}

/** What the shell has after a line: what it printed as JSON (null for nothing), and its variables. */
interface Pasted {
  readonly answer: unknown
  readonly variables: string
}

const VARIABLES = ['TASK', 'APPROVAL', 'CLAIM', 'TOKEN', 'WORKER']

/** The commands of the server's page under a heading. */
export async function commandsUnder(server: ServerProcess, heading: string): Promise<readonly string[]> {
  const [, section = ''] = (await server.commands()).split(`\n# === ${heading}`)
  const [commands = ''] = section.split('\n# === ')
  return commands
    .split('\n')
    .slice(1)
    .filter((line) => line !== '' && !line.startsWith('#'))
}

async function paste(server: ServerProcess, line: string, variables: string): Promise<Pasted> {
  const show = VARIABLES.map((name) => `printf "${name}='%s'\\n" "$${name}"`).join('\n')
  const printed = await runInShell(`${variables}\n${line}\nprintf '\\n--\\n'\n${show}`, server.key)
  const [text = '', after = ''] = printed.split('\n--\n')
  return { answer: text.trim() === '' ? null : JSON.parse(text), variables: after }
}

/** Pastes the commands under a heading one by one, and before each waits for what `isReady` says. */
async function pasteAll(
  server: ServerProcess,
  heading: string,
  isReady: (line: string) => Promise<unknown> | undefined,
): Promise<readonly unknown[]> {
  const answers: unknown[] = []
  let variables = /^ {2}(WORKER=\S+)$/m.exec(server.output())?.[1] ?? ''
  for (const line of await commandsUnder(server, heading)) {
    await isReady(line)
    const pasted = await paste(server, line, variables)
    variables = pasted.variables
    answers.push(pasted.answer)
  }
  return answers
}

/** By the lines of the page, with the demo's own agent. */
export async function assertTogetherLines(server: ServerProcess): Promise<void> {
  const happened = (event: string) => server.printed(new RegExp(`${event}.* Plan the party`))
  let passed = 0
  const answers = await pasteAll(server, 'Work with the agent', () => {
    passed += 1
    if (passed === 2) return happened('Question by')
    if (passed === 4) return happened('Approval requested for')
    return passed === 7 ? happened('Completed:') : undefined
  })
  const pending = { action: 'work a line', summary: 'Order the cake', status: 'pending' }
  expect(answers).toMatchObject([
    null,
    { comments: [{ kind: 'question', body: 'How many guests?' }] },
    { kind: 'answer', body: 'Forty' },
    { approvals: [pending] },
    null,
    { status: 'approved', comment: 'Go ahead' },
    { status: 'completed', attempts: 1, result: expect.stringContaining('(answered: Forty)') as string },
    { comments: [{ kind: 'question' }, { kind: 'answer' }, { kind: 'decision' }, { kind: 'comment' }] },
  ])
}

/** By the lines of the page, without an agent in the process. */
export async function assertWorkerLines(server: ServerProcess): Promise<void> {
  const lines = await commandsUnder(server, 'Try the API')
  const add = lines.find((line) => line.includes('action=add')) ?? ''
  const { answer } = await paste(server, add, '')
  const { id } = (answer as { readonly task: WireTask }).task
  const answers = await pasteAll(server, 'Be the worker', () => undefined)
  const claimed = (token: number) => ({
    task: { id, status: 'in_progress', attempts: 1, fencing_token: token },
  })
  expect(answers).toMatchObject([
    claimed(1),
    { id, status: 'blocked' },
    { kind: 'answer', body: 'Green', author: { kind: 'api_key', name: 'npm start' } },
    claimed(2),
    {
      comments: [
        { kind: 'question', body: 'Which color?' },
        { kind: 'answer', body: 'Green' },
      ],
    },
    { outcome: 'pending', approval: { task_id: id } },
    { approvals: [{ summary: 'Order 250 stickers', requested_by: { kind: 'api_key' } }] },
    null,
    { status: 'approved', comment: 'Go ahead' },
    claimed(3),
    { outcome: 'approved', approval: { status: 'used' } },
    { id, status: 'completed' },
  ])
}

async function send<T>(server: ServerProcess, path: string, body?: object): Promise<T> {
  const response = await fetch(`${server.url}/v2${path}`, {
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  })
  expect(response.ok).toBe(true)
  return (await response.json()) as T
}

async function decide(
  server: ServerProcess,
  taskId: string,
  summary: string,
  decision: object,
): Promise<void> {
  const path = `/approvals?status=pending&task_id=${taskId}`
  const { approvals } = await send<{ readonly approvals: readonly WireApproval[] }>(server, path)
  expect(approvals.map((approval) => approval.summary)).toEqual([summary])
  await send(server, `/approvals/${approvals[0]?.id}/decision`, decision)
}

/**
 * A list with all kinds of lines over HTTP. `next` may put another process on the same board each time when the task waits for people.
 * Returns the last process.
 */
export async function assertWorkedTogether(
  first: ServerProcess,
  next: (server: ServerProcess) => Promise<ServerProcess> = (server) => Promise.resolve(server),
): Promise<ServerProcess> {
  const description = [
    '- Read https://a.example/plan',
    '? Which floor?',
    'alert: the movers are coming',
    '! Sign the lease',
    '! Sell the desks',
    '+ Pack the books',
    '+ Pack the plants',
    '? Which day?',
  ].join('\n')
  const { id } = await send<WireTask>(first, '/tasks', { title: 'Move', description, priority: 'urgent' })
  await first.printed(/Question by .* on Move: Which floor/)
  let server = await next(first)
  await send(server, `/tasks/${id}/answer`, { body: 'The third' })
  await server.printed(/Approval requested for Move: .*: Sign the lease/)
  await decide(server, id, 'Sign the lease', { decision: 'approved' })
  await server.printed(/Approval requested for Move: .*: Sell the desks/)
  server = await next(server)
  await decide(server, id, 'Sell the desks', { decision: 'rejected', comment: 'We keep them' })
  await server.printed(/Question by .* on Move: Which day/)
  server = await next(server)
  await send(server, `/tasks/${id}/answer`, { body: 'Friday' })
  await server.printed(/Completed: Move\n/)

  const task = await send<WireTask>(server, `/tasks/${id}`)
  expect(task).toMatchObject({
    status: 'completed',
    attempts: 1,
    outputs: [{ url: 'https://a.example/plan' }],
  })
  const found = await send<{ readonly approvals: readonly WireApproval[] }>(
    server,
    `/approvals?task_id=${id}`,
  )
  expect(found.approvals.map(({ status }) => status)).toEqual(['rejected', 'used'])
  const noDescription = 'has no description, so there was nothing to work through. The title has 3 words.'
  expect(task.result?.split('\n').slice(1, 9)).toEqual([
    '1. Read https://a.example/plan (read: 2 words; link https://a.example/plan)',
    '2. Which floor? (answered: The third)',
    '3. the movers are coming (people were alerted)',
    '4. Sign the lease (approved, and done)',
    '5. Sell the desks (not done: rejected: We keep them)',
    `6. Pack the books (done as a subtask: "Pack the books" ${noDescription})`,
    `7. Pack the plants (done as a subtask: "Pack the plants" ${noDescription})`,
    '8. Which day? (answered: Friday)',
  ])
  return server
}

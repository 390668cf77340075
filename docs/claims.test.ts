import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createServer } from 'node:http'
import { createClient } from '../packages/client/src/index.js'
import { taskboardDashboard } from '../packages/dashboard/src/index.js'
import { taskboardRouter } from '../packages/express/src/index.js'
import { taskboardGraphql } from '../packages/graphql/src/index.js'
import { taskboardMcp } from '../packages/mcp/src/index.js'
import { postgresStorage } from '../packages/postgres/src/index.js'
import { attachRealtime } from '../packages/ws/src/index.js'
import { agentFields } from '../packages/core/src/agents/agent.js'
import { holdReasons } from '../packages/core/src/board/task.js'
import { taskStatus } from '../packages/core/src/board/task-search.js'
import { completionInput } from '../packages/core/src/board/write-inputs.js'
import { toFetchHandler } from '../packages/core/src/http/fetch-handler.js'
import { healthRoutes } from '../packages/core/src/http/health-routes.js'
import {
  createTaskboard,
  defaultRetrySchedule,
  defaultScoring,
  defineAgent,
} from '../packages/core/src/index.js'
import { lanes } from '../packages/core/src/priority/lanes.js'
import { memoryStorage } from '../packages/memory/src/index.js'
import { LEAST_DEPTH } from '../packages/postgres/src/board/claim/claim-sql.js'
import { packageNames } from '../scripts/packages.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8')
const filesIn = (folder: string, end: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(end) && !/node_modules|\.site|\bdist\b|\.test\.ts$/.test(name))
    .map((name) => join(folder, name))

const pages = [
  'README.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  ...filesIn('docs', '.md').filter((page) => !page.startsWith('docs/decisions/')),
  ...packageNames.map((name) => `packages/${name}/README.md`),
]
const sources = packageNames.flatMap((name) => filesIn(`packages/${name}/src`, '.ts'))

/** A page, or the comments of a source file. */
const proseOf = (file: string): string =>
  file.endsWith('.md') ? textOf(file) : (textOf(file).match(/^ *(?:\/?\*|\/\/).*$/gm) ?? []).join('\n')

/** The cells of the rows of the first table below a heading, without its head. */
function tableBelow(page: string, heading: string): readonly (readonly string[])[] {
  const [, section = ''] = textOf(page).split(`\n## ${heading}\n`)
  const [table = ''] = /^\|(?:.*\|\n)+/m.exec(section) ?? []
  const [, , ...rows] = table.trim().split('\n')
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

/** What shows that a page is about something, by page: a sentence that says that Taskboard lacks it names it. */
const features: Readonly<Record<string, RegExp>> = {
  'ai.md': /language model/i,
  'budgets.md': /budget|usage/i,
  'cli.md': /command line/i,
  'dashboard.md': /dashboard|user interface/i,
  'graphql.md': /graphql/i,
  'mcp.md': /\bMCP\b/,
  'notifications.md': /slack|discord|notification/i,
  'people-in-the-loop.md': /approval|question|waits for a person/i,
  'realtime-protocol.md': /realtime|websocket/i,
  'schedules.md': /recurring|cron|schedule/i,
  'telemetry.md': /telemetry|traces|metrics/i,
  'testing.md': /virtual clock/i,
  'transactions.md': /transaction/i,
  'webhooks.md': /webhook/i,
}

describe('the comparison', () => {
  const page = 'docs/comparison.md'
  const docs = readdirSync(join(root, 'docs'))
  const isDescribed = (subject: string): boolean =>
    Object.values(features).some((pattern) => pattern.test(subject)) ||
    docs.some((name) => name.endsWith('.md') && stemOf(name).test(subject))
  /** The rows of the tables that have a column for Taskboard: the subject and its cell. */
  const rows = [...textOf(page).matchAll(/^\| \| Taskboard \|.*\n\| ---.*\n((?:\|.*\|\n)+)/gm)].flatMap(
    ([, body = '']) =>
      body
        .trim()
        .split('\n')
        .map((row) =>
          row
            .split('|')
            .slice(1, 3)
            .map((cell) => cell.trim()),
        ),
  )

  it('denies nothing that has a page', () => {
    expect(Object.keys(features).filter((name) => !docs.includes(name))).toEqual([])
    expect(rows.length).toBeGreaterThan(25)
    const denied = rows.filter(([, ours = '']) => /^(?:no\b|none\b|yours? to\b|third|–|-)/i.test(ours))
    expect(denied.length).toBeGreaterThan(3)
    expect(denied.filter(([subject = '']) => isDescribed(subject))).toEqual([])
    const [, lacks = ''] = textOf(page).split('\n## What Taskboard does not have\n')
    const bullets = lacks.replaceAll(/\]\([^)]*\)/g, ']').match(/^- .*(?:\n {2}.*)*/gm) ?? []
    expect(bullets.length).toBeGreaterThan(0)
    const claims = bullets.map((bullet) => bullet.split('. ')[0] ?? '')
    expect(claims.filter((claim) => Object.values(features).some((pattern) => pattern.test(claim)))).toEqual(
      [],
    )
    expect(isDescribed('Recurring schedules')).toBe(true)
    expect(isDescribed('Replay of steps')).toBe(false)
  })

  it('names the user interface, schedules and approvals with their pages', () => {
    const cells = rows.map(([, ours = '']) => ours).join('\n')
    for (const name of ['dashboard.md', 'schedules.md', 'people-in-the-loop.md', 'budgets.md', 'accounts.md'])
      expect(cells).toContain(`](${name}`)
  })

  it('has the versions that the benchmarks measure, and a date', () => {
    const { devDependencies } = JSON.parse(textOf('packages/postgres/package.json')) as {
      readonly devDependencies: Readonly<Record<string, string>>
    }
    const measured = [...textOf(page).matchAll(/^\| \[([\w-]+)\]\([^)]*\) \| [^|]*measured ([\d.]+) \|/gm)]
    expect(measured.map(([, name]) => name)).toEqual(['pg-boss', 'graphile-worker'])
    for (const [, name = '', version] of measured) expect(devDependencies[name]).toBe(version)
    expect(textOf(page)).toMatch(/read on \d+ \w+ 20\d\d\b/)
  })
})

/** Whether a text names the subject of a page: `schedules.md` by "schedule". */
function stemOf(page: string): RegExp {
  const words = page
    .replace(/\.md$/, '')
    .split('-')
    .map((word) => word.replace(/s$/, ''))
  return new RegExp(words.map((word) => `(?=.*\\b${word})`).join(''), 'i')
}

describe('the pickup', () => {
  it('has the factors of the score with their weights', () => {
    const listed = tableBelow('docs/pickup.md', 'The score').map(([factor = '', weight]) => [
      /`(\w+)`/.exec(factor)?.[1],
      Number(weight),
    ])
    expect(Object.fromEntries(listed)).toEqual(defaultScoring.weights)
  })

  it('has as many queues for an agent as the docs say', () => {
    const source = textOf('packages/memory/src/board/claim/round-robin.ts')
    const [, members = ''] = /interface AgentPools \{([^}]*)\}/.exec(source) ?? []
    const pools = [...members.matchAll(/readonly \w+: Pool/g)].length
    const count = `${lanes.length * pools}`
    expect(count).toBe('18')
    expect(textOf('docs/pickup.md')).toContain(`That is ${count} queues`)
    expect(LEAST_DEPTH).toBe(4)
    expect(textOf('docs/pickup.md')).toContain('at least four tasks of each lane and pool')
  })
})

describe('a wait that `Retry-After` gives', () => {
  it('is never promised without its condition', () => {
    const promises = pages.flatMap((page) =>
      (textOf(page).match(/[^.|]*\b(?:request|call) (?:passes|that waits)[^.|]*/g) ?? []).map((text) => [
        page,
        text.trim(),
      ]),
    )
    expect(promises.length).toBeGreaterThan(3)
    expect(promises.filter(([, text = '']) => !/\bif no other\b/.test(text))).toEqual([])
  })
})

const DAY_MS = 86_400_000
const TEN_YEARS_MS = 10 * 365 * DAY_MS

describe('durations', () => {
  const accepts = (options: object): boolean => {
    try {
      createTaskboard({ storage: memoryStorage(), ...options })
      return true
    } catch {
      return false
    }
  }

  it('accept up to the length that docs/options.md gives', () => {
    expect(textOf('docs/options.md')).toContain(
      'Durations without a range accept up to ten years. Durations of `realtime` accept up to 2³⁰ ms (about twelve days), and durations of `healthRoutes` up to a day.',
    )
    for (const name of ['eventsMs', 'deliveriesMs'])
      for (const more of [0, 1])
        expect(accepts({ retention: { [name]: TEN_YEARS_MS + more } })).toBe(more === 0)
    for (const more of [0, 1])
      expect(accepts({ realtime: { heartbeatIntervalMs: 2 ** 30 + more } })).toBe(more === 0)
    const taskboard = createTaskboard({ storage: memoryStorage() })
    expect(healthRoutes(taskboard, { stuckAfterMs: DAY_MS })).toBeDefined()
    expect(() => healthRoutes(taskboard, { stuckAfterMs: DAY_MS + 1 })).toThrow('stuckAfterMs')
  })
})

describe('a value or a name that no option can have', () => {
  const taskboard = createTaskboard({ storage: memoryStorage() })
  const wrong = (options: object): never => options as never

  it.each([
    ['createTaskboard', () => createTaskboard(wrong({ storage: memoryStorage(), agent: [] }))],
    ['defineAgent', () => defineAgent(wrong({ type: 'a', run: () => '', retries: 1 }))],
    ['taskboardRouter', () => taskboardRouter(taskboard, wrong({ route: [] }))],
    ['taskboardGraphql', () => taskboardGraphql(taskboard, wrong({ maxDepth: -1 }))],
    ['taskboardMcp', () => taskboardMcp(taskboard, wrong({ paths: '/mcp' }))],
    ['taskboardDashboard', () => taskboardDashboard(taskboard, wrong({ pat: '/' }))],
    ['postgresStorage', () => postgresStorage(wrong({ pool: { connect: () => null }, pol: 1 }))],
    ['attachRealtime', () => attachRealtime(createServer(), taskboard, wrong({ base: '/' }))],
  ])('is refused by %s with INVALID_CONFIG', (_, make) => {
    expect(make).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }) as Error)
  })

  it('is a TypeError of the client, which looks at values only', () => {
    expect(() => createClient({ baseUrl: 'board.example' })).toThrow(TypeError)
    expect(createClient(wrong({ baseUrl: 'http://127.0.0.1', retries: 1 }))).toBeDefined()
    expect(textOf('docs/options.md')).toContain(
      'on the core, throws a `TypeError` for such a value instead, and leaves unknown names to the type checker',
    )
  })
})

describe('the first page', () => {
  it('has at most 600 words', () => {
    expect(textOf('README.md').split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(600)
  })

  it('says before its first command that the packages are not on the registry, while that is so', () => {
    const { version } = JSON.parse(textOf('packages/core/package.json')) as { readonly version: string }
    const [before = ''] = textOf('README.md').split('```')
    expect(before.includes('not on the npm registry')).toBe(version === '0.0.0')
    if (version === '0.0.0') expect(before).toContain(`This is version ${version}`)
  })
})

describe('a page that runs packages with npx', () => {
  it('says before that they are not on the registry, while that is so', () => {
    const { version } = JSON.parse(textOf('packages/core/package.json')) as { readonly version: string }
    const running = pages.flatMap((page) => {
      const text = textOf(page).replaceAll(/\s+/g, ' ')
      const at = text.search(/\bnpx (?:-\w+ )*@taskboard|"command": "npx"/)
      return at < 0 ? [] : [{ page, isSaid: text.slice(0, at).includes('not on the npm registry') }]
    })
    expect(running.map(({ page }) => page)).toEqual(expect.arrayContaining(['docs/cli.md', 'docs/mcp.md']))
    expect(running.filter(({ isSaid }) => isSaid !== (version === '0.0.0'))).toEqual([])
  })
})

describe('numbers in prose', () => {
  it('have the most that a result may have', () => {
    const isTaken = (length: number): boolean =>
      completionInput.safeParse({ fencingToken: 1, result: 'x'.repeat(length) }).success
    expect([isTaken(1_000_000), isTaken(1_000_001)]).toEqual([true, false])
    expect(textOf('docs/agents.md')).toContain('more than 1,000,000 characters')
    expect(textOf('docs/cli.md')).toContain('At most 1,000,000 characters')
  })

  it('have the length of a secret of a webhook', async () => {
    const taskboard = createTaskboard({ storage: memoryStorage() })
    const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
    const isTaken = (length: number): Promise<boolean> =>
      taskboard.webhooks
        .register(workspace.id, {
          url: `https://a.example/${length}`,
          secret: 'x'.repeat(length),
          events: ['task.created'],
        })
        .then(
          () => true,
          () => false,
        )
    expect(await Promise.all([0, 1, 256, 257].map(isTaken))).toEqual([false, true, true, false])
    expect(textOf('docs/webhooks.md')).toContain('A secret has 1 to 256 characters')
  })

  it('count the lines of the first program', () => {
    const [, heading = '', program = ''] =
      /^## A board in (\w+) lines\n[^`]*`board\.mjs`[^]*?```ts\n([^]*?)```/m.exec(textOf('README.md')) ?? []
    expect(program.split('\n').filter((line) => line !== '')).toHaveLength(17)
    expect(heading).toBe('seventeen')
  })

  it('have the hours of all retries', () => {
    let minutes = 0
    const rows = [0, ...defaultRetrySchedule.delaysMs].map((delayMs, index) => {
      minutes += delayMs / 60_000
      return [`${index + 1}`, `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`]
    })
    const listed = tableBelow('docs/webhooks.md', 'When it fails')
    expect(listed.map(([send, , since]) => [send, since])).toEqual(rows)
    expect(Math.round(minutes / 60)).toBe(15)
    expect(textOf('docs/guarantees.md')).toContain('six sends over about 15 hours')
    expect(textOf('README.md')).toContain('15 hours of retries')
  })
})

describe('the concepts', () => {
  it('explain each reason of a hold', () => {
    const reasons = tableBelow('docs/concepts.md', 'Holds').map(([reason = '']) => reason.replaceAll('`', ''))
    expect(reasons.toSorted()).toEqual(holdReasons.toSorted())
  })

  it('name the due date as each API does', async () => {
    const [dueDate] = tableBelow('docs/concepts.md', 'Names across APIs')
    expect(dueDate).toEqual(['due date', '`dueDate`', '`due_date`', '`deadline`', '`deadline`', 'Due'])
    const handle = toFetchHandler(createTaskboard({ storage: memoryStorage() }))
    const response = await handle(new Request('http://board.example/v2/openapi.json'))
    const { paths, webhooks } = (await response.json()) as Readonly<
      Record<string, Readonly<Record<string, object>>>
    >
    expect(JSON.stringify(paths?.['/v2/tasks'])).toContain('"deadline"')
    expect(JSON.stringify(webhooks?.['task.created'])).toContain('"due_date"')
    expect(textOf('packages/graphql/schema.graphql')).toMatch(/^ {2}deadline: DateTime$/m)
  })
})

describe('the statuses of tasks', () => {
  const reasonsOf = (status: string): readonly string[] =>
    holdReasons.filter((reason) => taskStatus({ column: 'TODO', hold: held(reason) }) === status)
  const held = (reason: (typeof holdReasons)[number]) => ({ reason, message: null, since: 0 })

  it('are explained with every hold that leads to them', () => {
    const page = textOf('docs/api-v2.md')
    expect(reasonsOf('blocked').toSorted()).toEqual(['approval', 'budget', 'needs_input'])
    expect(page).toContain(
      '| `blocked` | in TODO, held until a person gives input, approves, or raises a spent budget |',
    )
    expect(reasonsOf('cancelled')).toEqual(['cancelled'])
    expect(page).toContain("put aside by a person, or by an agent with `hold('cancelled')`")
    expect(taskStatus({ column: 'TODO', hold: null })).toBe('pending')
    expect(page).toMatch(/\| `pending` \| .* dependencies \|/)
  })
})

describe('routes in docs and doc comments', () => {
  it('are actions of the board API', () => {
    const [, list = ''] = /const actions[^]*?\[([^]*?)\]\)/.exec(
      textOf('packages/core/src/http/v1/board-routes.ts'),
    ) ?? ['', '']
    const actions = [...list.matchAll(/\['(\w+)',/g)].map(([, name]) => name)
    expect(actions).toContain('todo')
    const named = [...pages, ...sources]
      .filter((file) => !file.startsWith('packages/testing/'))
      .flatMap((file) =>
        [...textOf(file).matchAll(/\baction=(\w+)/g)].map(([, name]) => `${file}: ${String(name)}`),
      )
    expect(named.length).toBeGreaterThan(10)
    expect(named.filter((each) => !actions.includes(each.split(': ')[1]))).toEqual([])
  })

  it('are operations of the API', async () => {
    const tokens = { secret: 's'.repeat(32) }
    const handle = toFetchHandler(createTaskboard({ storage: memoryStorage(), tokens }))
    const response = await handle(new Request('http://board.example/v2/openapi.json'))
    const { paths } = (await response.json()) as { readonly paths: Readonly<Record<string, object>> }
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const others = ['GET /v2/realtime', 'POST /v2/graphql', 'GET /v2/graphql']
    const patterns = [...operations, ...others].map(
      (operation) => new RegExp(`^${operation.replaceAll(/\{[^}]*\}/g, '[^/]+').replaceAll('.', '\\.')}$`),
    )
    const named = [...pages, ...sources].flatMap((file) =>
      [...proseOf(file).matchAll(/\b((?:GET|POST|PATCH|PUT|DELETE) \/v2\/[\w/{}.-]*[\w}])(?![\w/{}])/g)].map(
        ([, operation = '']) => [file, operation] as const,
      ),
    )
    expect(named.length).toBeGreaterThan(50)
    expect(named.filter(([, operation]) => !patterns.some((pattern) => pattern.test(operation)))).toEqual([])
  })

  it('docs/agents.md names each field of an agent', () => {
    const page = textOf('docs/agents.md')
    expect(
      agentFields.fields.map(({ name }) => name).filter((name) => !page.includes(`\`${name}\``)),
    ).toEqual([])
  })
})

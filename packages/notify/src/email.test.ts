import { once } from 'node:events'
import type { TaskboardOptions } from '@taskboard/core'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CHANNELS, type NotifiedBoard, withBoard } from '../test/notified-board.js'
import { email, type EmailOptions } from './index.js'

interface Mail {
  readonly from: string
  readonly to: readonly string[]
  readonly lines: readonly string[]
}

/** A server in this process that takes mail of the user `board`. */
function mailServer() {
  const mails: Mail[] = []
  const refused: Mail[] = []
  const faults: { mail: Error | null } = { mail: null }
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      username === 'board' && password === 'smtp-hunter2'
        ? done(null, { user: 'board' })
        : done(new Error('no')),
    onRcptTo: ({ address }, _session, done) =>
      address.startsWith('unknown') ? done(new Error(`no mailbox ${address}`)) : done(),
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
        const to = envelope.rcptTo.map(({ address }) => address)
        const unfolded = Buffer.concat(chunks)
          .toString('utf8')
          .replaceAll(/\r\n[ \t]+/g, ' ')
        const mail = { from, to, lines: unfolded.split('\r\n') }
        if (faults.mail === null) mails.push(mail)
        else refused.push(mail)
        done(faults.mail)
      })
    },
  })
  server.on('error', () => undefined)
  return { server, mails, refused, faults }
}

const headerOf = ({ lines }: Mail, name: string): string | undefined =>
  lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)

const bodyOf = ({ lines }: Mail): readonly string[] => lines.slice(lines.indexOf('') + 1)

describe('a channel of e-mail', () => {
  let host: ReturnType<typeof mailServer>
  let url = ''
  beforeEach(async () => {
    host = mailServer()
    host.server.listen(0, '127.0.0.1')
    await once(host.server.server, 'listening')
    const { port } = host.server.server.address() as AddressInfo
    url = `smtp://board:smtp-hunter2@127.0.0.1:${port}`
  })
  afterEach(() => new Promise<void>((resolve) => host.server.close(resolve)))

  const type = (options: Partial<EmailOptions> = {}) =>
    email({
      transport: url,
      from: 'Taskboard <board@acme.example>',
      allowRecipient: (address) => address.endsWith('@acme.example'),
      ...options,
    })
  const input = {
    type: 'email',
    name: 'On call',
    config: { to: 'ops@acme.example' },
    events: ['task.created'],
  }

  it('mails events as plain text', async () => {
    await withBoard([type()], async ({ send, add }) => {
      expect(await send('POST', CHANNELS, input)).toMatchObject({ config: { to: ['ops@acme.example'] } })
      await add('Compare the three offers')
      const [mail] = host.mails
      expect(mail).toMatchObject({ from: 'board@acme.example', to: ['ops@acme.example'] })
      if (mail === undefined) return
      expect(headerOf(mail, 'Subject')).toMatch(/^Taskboard: task created \(task_\w+\)$/)
      expect(headerOf(mail, 'From')).toBe('Taskboard <board@acme.example>')
      expect(headerOf(mail, 'Auto-Submitted')).toBe('auto-generated')
      expect(headerOf(mail, 'Content-Type')).toBe('text/plain; charset=utf-8')
      expect(bodyOf(mail)[0]).toBe('New task: Compare the three offers')
    })
  })

  it('links to the task', async () => {
    const work = async ({ send, add }: NotifiedBoard): Promise<void> => {
      await send('POST', CHANNELS, input)
      await add('one')
      const [, id = ''] = /\((task_\w+)\)/.exec(headerOf(host.mails[0] as Mail, 'Subject') ?? '') ?? []
      expect(bodyOf(host.mails[0] as Mail)[1]).toBe(`https://app.example/dashboard/#/tasks/${id}`)
    }
    await withBoard([type()], work, 'https://app.example')
  })

  it('sends a decision link to its person alone', async () => {
    let accountId = ''
    const address = 'ada@acme.example'
    const people: TaskboardOptions['people'] = {
      principal: () => ({
        id: 'ada',
        kind: 'user',
        accountId,
        tier: 'enterprise',
        scopes: ['approvals:write', 'tasks:write'],
        workspaceIds: 'all',
        defaultWorkspaceId: 'ws_1',
      }),
      find: (_, text) => (text === address || text === 'ada' ? { id: 'ada', email: address } : null),
    }
    const work = async (board: NotifiedBoard): Promise<void> => {
      accountId = board.accountId
      const config = { to: ['ops@acme.example', address, 'team@acme.example'] }
      await board.send('POST', CHANNELS, {
        ...input,
        config,
        events: ['approval.requested', 'task.commented'],
      })
      const own = board.taskboard.board(board.workspaceId)
      const agent = await board.taskboard.agents.create(board.workspaceId, { name: 'Clerk', type: 'clerk' })
      const { id: taskId } = await own.add({ title: 'Answer' })
      const claim = async () => (await own.claim({ agentId: agent.id, taskId }))?.fencingToken ?? 0
      await own.ask(taskId, { fencingToken: await claim(), question: 'Which color?' })
      await board.clock.advance({ seconds: 1 })
      const [theirs, shared] = host.mails
      expect(host.mails.map(({ to }) => to)).toEqual([[address], ['ops@acme.example', 'team@acme.example']])
      expect(bodyOf(theirs as Mail)[1]).toBe('Anyone who has this link decides as you, so do not pass it on:')
      expect(bodyOf(theirs as Mail)[2]).toMatch(/^https:\/\/app\.example\/v2\/decide\/[\w-]{22}$/)
      expect(bodyOf(shared as Mail).join('\n')).toContain(`/dashboard/#/tasks/${taskId}`)
      expect(bodyOf(shared as Mail).join('\n')).not.toContain('/decide/')
      expect(headerOf(theirs as Mail, 'Message-ID')).not.toBe(headerOf(shared as Mail, 'Message-ID'))

      await own.answer(taskId, { body: 'Green' })
      const request = { action: 'paint', summary: 'Paint it', input: { color: 'green' } }
      const { approval } = await own.requestApproval(taskId, { fencingToken: await claim(), ...request })
      // What the channel sends of the request is not what is looked at.
      await board.clock.advance({ seconds: 1 })
      host.mails.splice(0)
      const reach = { accountId, workspaceIds: 'all' } as const
      const asked = { about: { approvalId: approval.id }, userId: 'ada' }
      await board.taskboard.services.links.send(reach, asked, { kind: 'system' })
      const [sent] = host.mails
      expect(sent?.to).toEqual([address])
      expect(headerOf(sent as Mail, 'Subject')).toBe('Taskboard: a decision is asked of you')
      expect(bodyOf(sent as Mail).join('\n')).toMatch(/\/v2\/decide\/[\w-]{22}\n/)
      expect(board.seen.join('\n')).not.toContain('/decide/')
    }
    await withBoard([type()], work, 'https://app.example', undefined, people)
  })

  it('mails to several addresses, and the same Message-ID when it repeats', async () => {
    await withBoard([type()], async ({ send, add, clock }) => {
      const to = ['a@acme.example', 'b@acme.example', 'a@acme.example']
      await send('POST', CHANNELS, { ...input, config: { to } })
      host.faults.mail = Object.assign(new Error('try again'), { responseCode: 451 })
      await add('one')
      await add('two')
      host.faults.mail = null
      await clock.advance({ minutes: 1 })
      expect(host.mails.map((mail) => bodyOf(mail)[0])).toEqual(['New task: one', 'New task: two'])
      expect(host.mails[0]?.to).toEqual(['a@acme.example', 'b@acme.example'])
      const idsOf = (mails: readonly Mail[]) =>
        new Set(mails.map((mail) => headerOf(mail, 'Message-ID')?.trim()))
      expect(idsOf(host.mails).size).toBe(2)
      expect([...idsOf(host.refused)]).toEqual([...idsOf(host.mails)].slice(0, 1))
    })
  })

  it('cannot be made without a rule for recipients', () => {
    for (const allowRecipient of [undefined, true, []]) {
      expect(() => type({ allowRecipient: allowRecipient as never })).toThrow(
        expect.objectContaining({ code: 'INVALID_CONFIG', field: 'allowRecipient' }),
      )
    }
  })

  it.each([
    ['transport', { transport: undefined }],
    ['transport', { transport: '' }],
    ['from', { from: undefined }],
    ['from', { from: 7 }],
    ['transprot', { transprot: 'smtp://127.0.0.1' }],
  ])('cannot be made with a wrong %s (%#)', (field, options) => {
    const refused = expect.objectContaining({ code: 'INVALID_CONFIG', field }) as Error
    expect(() => type(options as never)).toThrow(refused)
  })

  it('takes no promise for a yes', async () => {
    const allowRecipient = (() => Promise.resolve(true)) as unknown as () => boolean
    await withBoard([type({ allowRecipient })], async ({ send }) => {
      expect(await send('POST', CHANNELS, { ...input, config: { to: 'a@acme.example' } })).toMatchObject({
        error: { message: 'config.to has an address that is not allowed here' },
      })
    })
  })

  it('mails nobody who is not allowed any more', async () => {
    const allowed = new Set(['ops@acme.example', 'a@acme.example'])
    const allowRecipient = (address: string): boolean => allowed.has(address)
    await withBoard([type({ allowRecipient })], async ({ send, add }) => {
      const to = ['a@acme.example', 'OPS@acme.example']
      const { id } = await send('POST', CHANNELS, { ...input, config: { to } })
      await add('one')
      allowed.delete('ops@acme.example')
      await add('two')
      expect(host.mails).toHaveLength(1)
      expect(await send('POST', `${CHANNELS}/${String(id)}/test`)).toMatchObject({
        delivered: false,
        error: 'config.to has an address that is not allowed here',
      })
      expect(host.mails).toHaveLength(1)
    })
  })

  it('has no word of a user in its subject', async () => {
    await withBoard([type()], async ({ send, add }) => {
      const name = 'Your account is locked: https://evil.example/unlock'
      const { id } = await send('POST', CHANNELS, { ...input, name })
      await add('Pay at https://evil.example')
      await send('POST', `${CHANNELS}/${String(id)}/test`)
      const subjects = host.mails.map((mail) => headerOf(mail, 'Subject'))
      expect(subjects).toHaveLength(2)
      expect(subjects.join()).not.toMatch(/evil|locked|Pay/)
      expect(subjects[1]).toBe('Taskboard: test of a notification channel')
    })
  })

  it('lets no title into the headers', async () => {
    await withBoard([type()], async ({ send, add }) => {
      await send('POST', CHANNELS, { ...input, name: 'x\r\nBcc: evil@evil.example' })
      await add('Hello\r\nBcc: evil@evil.example\r\n\r\n<script>\u2028Bcc: e@evil.example')
      const [mail] = host.mails
      expect(mail?.to).toEqual(['ops@acme.example'])
      expect(mail?.lines.filter((line) => /^bcc:/i.test(line))).toEqual([])
      expect(mail?.lines.filter((line) => /^subject:/i.test(line))).toHaveLength(1)
    })
  })

  it('refuses recipients that are no plain addresses, or that the host does not allow', async () => {
    await withBoard([type()], async ({ send }) => {
      const issue = async (to: unknown) => {
        const answer = await send('POST', CHANNELS, { ...input, config: { to } })
        return (answer as { error?: { details: { issue: string } } }).error?.details.issue
      }
      const rule = 'config.to must be an email address, or a list of them'
      const odd = [
        7,
        'nobody',
        'a@b@c',
        'a@acme.example, b@acme.example',
        'a@acme.example\r\nBcc: x@y.example',
      ]
      for (const to of [...odd, 'Ops <ops@acme.example>', '"a b"@acme.example', ['a@acme.example', '']]) {
        expect(await issue(to)).toBe(rule)
      }
      expect(await issue([])).toBe('config.to must have 1 to 20 addresses')
      expect(await issue(undefined)).toBe('config.to is required')
      expect(await issue('a@other.example')).toBe('config.to has an address that is not allowed here')
      expect(await issue('A@ACME.example')).toBe(undefined)
    })
  })

  it('reports what the server says of the mail, and nothing of how the host reaches the server', async () => {
    await withBoard([type()], async ({ send, seen }) => {
      const { id } = await send('POST', CHANNELS, { ...input, config: { to: 'unknown@acme.example' } })
      const refused = await send('POST', `${CHANNELS}/${String(id)}/test`)
      expect(refused['error']).toMatch(
        /^the mail server rejected the mail: 550 no mailbox unknown@acme.example/,
      )
      await new Promise<void>((resolve) => host.server.close(resolve))
      const down = await send('POST', `${CHANNELS}/${String(id)}/test`)
      expect(down).toMatchObject({ delivered: false, error: 'the mail server could not be used (ESOCKET)' })
      expect(seen.filter((text) => text.includes('smtp-hunter2'))).toEqual([])
    })
  })

  it('says that the login failed without the password', async () => {
    const wrong = email({
      transport: url.replace('smtp-hunter2', 'wrong-hunter2'),
      from: 'board@acme.example',
      allowRecipient: () => true,
    })
    await withBoard([wrong], async ({ send, add, seen }) => {
      const { id } = await send('POST', CHANNELS, input)
      const test = await send('POST', `${CHANNELS}/${String(id)}/test`)
      expect(test['error']).toBe('the mail server could not be used with 535 (EAUTH)')
      await add('a task')
      expect(await send('GET', `${CHANNELS}/${String(id)}`)).toMatchObject({ last_error: test['error'] })
      expect(seen.filter((text) => text.includes('hunter2'))).toEqual([])
    })
  })
})

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { start } from '../../test/cli-process.js'
import { openWorkingBoard, type WorkingBoard } from '../../test/working-board.js'

let board: WorkingBoard
let host: WorkingBoard['host']
let client: WorkingBoard['client']
let folder = ''
let work: WorkingBoard['work']

beforeEach(async () => {
  board = await openWorkingBoard()
  ;({ host, client, folder, work } = board)
})
afterEach(() => board.close())

function ended(id: string, type: 'task.completed' | 'task.failed'): Promise<void> {
  return new Promise((resolve) => {
    const { events } = host.taskboard
    const listen = ({ data }: { data: { taskId: string } }): void => {
      if (data.taskId === id) resolve()
    }
    if (type === 'task.completed') events.on('task.completed', listen)
    else events.on('task.failed', listen)
  })
}

const exists = async (path: string): Promise<void> => {
  await expect.poll(() => existsSync(path), { timeout: 30_000 }).toBe(true)
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

describe('work --exec', { timeout: 60_000 }, () => {
  it('passes the task on, reports progress, log lines and outputs, and completes it with the result', async () => {
    const { id } = await host.board.add({ title: 'Translate', description: 'Guten Tag' })
    const reported: unknown[] = []
    host.taskboard.events.on('task.progress', ({ data }) => reported.push(data.progress))
    const { code, stdout, stderr } = await work(
      `cat > "$FOLDER/input.json"
       echo 40 >&3
       echo "reading page 3" >&3
       echo '{"log":"slow","level":"warn"}' >&3
       echo '{"output":{"type":"file","name":"page","url":"https://x.example/page"}}' >&3
       echo '80 %' >&3
       echo "to standard error" >&2
       echo "Good day"`,
      ['--once'],
    ).ended
    expect({ code, stdout }).toEqual({ code: 0, stdout: `{"task_id":"${id}","outcome":"done"}\n` })
    expect(stderr).not.toContain('stops')
    const input = JSON.parse(readFileSync(join(folder, 'input.json'), 'utf8')) as Readonly<
      Record<string, unknown>
    >
    expect(input).toMatchObject({
      id,
      title: 'Translate',
      description: 'Guten Tag',
      attempt: 1,
      comments: [],
    })
    const task = await host.board.get(id)
    expect(task).toMatchObject({ column: 'DONE', result: 'Good day' })
    const { logs, outputs } = await client.tasks.get(id)
    expect(logs.map(({ level, message }) => [level, message])).toEqual([
      ['info', 'reading page 3'],
      ['warn', 'slow'],
    ])
    expect(outputs).toMatchObject([{ type: 'file', name: 'page', url: 'https://x.example/page' }])
  })

  it('retries a failed attempt, and says why; 65 fails for good', async () => {
    const { id } = await host.board.add({ title: 'Twice' })
    const done = ended(id, 'task.completed')
    const worker = work(
      `[ -e "$FOLDER/$TASKBOARD_TASK_ID" ] && { echo done; exit 0; }
       touch "$FOLDER/$TASKBOARD_TASK_ID"
       echo "the network is away" >&2
       exit 1`,
    )
    await done
    await worker.printed(/"outcome":"retry","reason":"the network is away"/)
    const { attempts } = await client.tasks.attempts(id)
    expect(attempts.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['retried', 'the network is away'],
      ['completed', null],
    ])
    worker.signal('SIGTERM')
    expect(await worker.ended).toMatchObject({ code: 0 })

    const bad = await host.board.add({ title: 'Bad' })
    const failed = ended(bad.id, 'task.failed')
    const other = work(`echo "there is no text" >&2; exit 65`, ['--once'])
    await failed
    expect(await host.board.get(bad.id)).toMatchObject({
      column: 'TODO',
      hold: { reason: 'failed', message: 'there is no text' },
    })
    const { stdout, code } = await other.ended
    expect([stdout.includes('"outcome":"failed"'), code]).toEqual([true, 1])
  })

  it('says what the board has stored, and ends with 1 when that is a failure', async () => {
    const { id } = await host.board.add({ title: 'NUL' })
    const { code, stdout } = await work(String.raw`printf 'a\0b'`, ['--once']).ended
    const [line = ''] = stdout.split('\n')
    expect(JSON.parse(line)).toEqual({
      task_id: id,
      outcome: 'failed',
      reason: expect.stringContaining('result must not contain NUL') as string,
    })
    expect(code).toBe(1)
    expect((await host.board.get(id)).hold?.reason).toBe('failed')
  })

  it('ends a cancelled program with SIGTERM, then its whole group with SIGKILL', async () => {
    const { id } = await host.board.add({ title: 'Endless' })
    const worker = work(
      `trap 'touch "$FOLDER/terminated"' TERM
       sh -c 'trap "" TERM; echo $$ > "$FOLDER/child"; while :; do sleep 1; done' &
       echo started >&3
       while :; do sleep 0.1; done`,
      ['--once', '--grace', '1'],
    )
    await exists(join(folder, 'child'))
    await client.tasks.cancel(id)
    const { code } = await worker.ended
    expect(code).toBe(0)
    expect(existsSync(join(folder, 'terminated'))).toBe(true)
    const child = Number(readFileSync(join(folder, 'child'), 'utf8'))
    await expect.poll(() => isAlive(child), { timeout: 10_000 }).toBe(false)
    expect(await host.board.get(id)).toMatchObject({ column: 'TODO', hold: { reason: 'cancelled' } })
  })

  it('ends the program when the lease is lost', async () => {
    const { id } = await host.board.add({ title: 'Taken away' })
    const worker = work(
      `touch "$FOLDER/started"; trap 'touch "$FOLDER/ended"; exit 0' TERM; while :; do sleep 0.1; done`,
      ['--once', '--lease', '3'],
    )
    await exists(join(folder, 'started'))
    await host.board.move(id, 'DONE')
    await worker.ended
    expect(existsSync(join(folder, 'ended'))).toBe(true)
    expect(worker.stdout()).toBe('')
    expect(await host.board.get(id)).toMatchObject({ column: 'DONE' })
  })

  it('asks people, and gets their answer in the next attempt', async () => {
    const { id } = await host.board.add({ title: 'Which language?' })
    const done = ended(id, 'task.completed')
    work(
      `if grep -q '"answer":null'; then echo '{"ask":"Into which language?"}' >&3; sleep 60; fi
       echo translated`,
    )
    await expect
      .poll(async () => (await host.board.get(id)).hold?.reason, { timeout: 30_000 })
      .toBe('needs_input')
    await host.board.answer(id, { body: 'French' })
    await done
    expect(await host.board.get(id)).toMatchObject({ result: 'translated' })
  })

  it('gives the task back at SIGTERM, after the drain', async () => {
    const { id } = await host.board.add({ title: 'Long' })
    const worker = work(`touch "$FOLDER/started"; sleep 600`, ['--drain', '0'])
    await exists(join(folder, 'started'))
    worker.signal('SIGTERM')
    expect(await worker.ended).toMatchObject({ code: 0 })
    expect(await host.board.get(id)).toMatchObject({ column: 'TODO', hold: null })
  })

  it('hides its key from the program, the process list and its output', async () => {
    await host.board.add({ title: 'Secret' })
    const worker = work(`env; echo "$(env)" >&3; tr '\\0' ' ' < "/proc/$PPID/cmdline"; sleep 1`, ['--once'])
    await worker.printed(/attempt 1/)
    expect(worker.commandLine()).not.toContain(host.key)
    const { stdout, stderr } = await worker.ended
    expect(stdout + stderr).not.toContain(host.key)
    const [task] = (await client.tasks.list({ column: 'done' })).tasks
    expect(task?.result).toContain('TASKBOARD_TASK_ID=')
    expect(task?.result).not.toContain(host.key)
  })

  it('refuses an agent that does not exist', async () => {
    const one = start(['work', '--agent', 'Nobody', '--exec', 'true'], {
      env: { TASKBOARD_URL: host.url, TASKBOARD_KEY: host.key },
    })
    expect(await one.ended).toMatchObject({ code: 4 })
  })
})

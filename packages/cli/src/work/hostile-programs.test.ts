import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openWorkingBoard, type WorkingBoard } from '../../test/working-board.js'

let board: WorkingBoard

beforeEach(async () => {
  board = await openWorkingBoard()
})
afterEach(() => board.close())

/** Null without a process; `Z` when it has ended, and nobody has asked how. */
function stateOf(pid: string): string | null {
  const path = `/proc/${pid}/stat`
  return existsSync(path) ? (readFileSync(path, 'utf8').split(') ')[1]?.charAt(0) ?? null) : null
}

/** Counts the requests that the server gets for a path. */
function countRequests(path: RegExp): () => number {
  let count = 0
  board.host.server.on('request', ({ url = '' }: { readonly url?: string }) => {
    if (path.test(url)) count += 1
  })
  return () => count
}

describe('work --exec with a program', { timeout: 60_000 }, () => {
  it('that floods descriptor 3 with its progress sends some of it, and the last', async () => {
    const { id } = await board.host.board.add({ title: 'Flood' })
    const reported: number[] = []
    board.host.taskboard.events.on('task.progress', ({ data }) => void reported.push(data.progress))
    const requests = countRequests(/\/progress$/)
    const worker = board.work(
      `i=0; while [ $i -lt 20000 ]; do echo $((i / 201)); i=$((i + 1)); done >&3; echo done`,
      ['--once'],
    )
    expect(await worker.ended).toMatchObject({ code: 0 })
    expect(await board.host.board.get(id)).toMatchObject({ column: 'DONE', result: 'done' })
    expect(requests()).toBeLessThan(10_000)
    expect(reported.at(-1)).toBe(99)
    expect(reported).toEqual(reported.toSorted((a, b) => a - b))
  })

  it('that writes more lines than are sent at once loses none of them, and keeps their order', async () => {
    const { id } = await board.host.board.add({ title: 'Talkative' })
    const requests = countRequests(/\/logs?$/)
    const worker = board.work(
      `i=1; while [ $i -le 400 ]; do echo "line $i"; i=$((i + 1)); done >&3; echo 100 >&3; echo done`,
      ['--once'],
    )
    expect(await worker.ended).toMatchObject({ code: 0 })
    expect(await board.host.board.get(id)).toMatchObject({ column: 'DONE' })
    expect(requests()).toBe(400)
    const lines = (await board.client.tasks.get(id)).logs.map(({ message }) => message)
    const newest = Array.from({ length: lines.length }, (_, index) => `line ${401 - lines.length + index}`)
    expect(lines).toEqual(newest)
  })

  it('whose report never ends a line is read no further than a mebibyte', async () => {
    const { id } = await board.host.board.add({ title: 'Endless line' })
    const worker = board.work(`head -c 60000000 /dev/zero | tr '\\0' x >&3; echo done`, ['--once'])
    expect(await worker.ended).toMatchObject({ code: 0 })
    const { logs } = await board.client.tasks.get(id)
    expect(logs.map(({ message }) => message)).toEqual(['x'.repeat(2_000)])
  })

  it('whose result is too long fails for good', async () => {
    const { id } = await board.host.board.add({ title: 'Long result' })
    const worker = board.work(`head -c 50000000 /dev/zero`, ['--once'])
    expect((await worker.ended).stdout).toContain(
      '"outcome":"failed","reason":"the result is longer than 1 MiB"',
    )
    expect(await board.host.board.get(id)).toMatchObject({ hold: { reason: 'failed' } })
  })

  it.each([
    ['closes its input at once', 'exec <&-; sleep 0.1; echo done'],
    ['ends before it has read its input', 'echo done'],
    ['closes descriptor 3', 'exec 3>&-; echo done'],
  ])('that %s completes the task', async (_, script) => {
    const { id } = await board.host.board.add({ title: 'Large', description: 'x'.repeat(9_000) })
    expect(await board.work(script, ['--once']).ended).toMatchObject({ code: 0 })
    expect(await board.host.board.get(id)).toMatchObject({ column: 'DONE', result: 'done' })
  })

  it('that leaves a talking process in the background ends it, and completes the task', async () => {
    const { id } = await board.host.board.add({ title: 'Background' })
    const worker = board.work(
      `(echo $$ > "$FOLDER/started"; sleep 600 & echo $! > "$FOLDER/child"; wait) & while [ ! -s "$FOLDER/child" ]; do sleep 0.05; done; echo done`,
      ['--once'],
    )
    expect(await worker.ended).toMatchObject({ code: 0 })
    expect(await board.host.board.get(id)).toMatchObject({ column: 'DONE', result: 'done' })
    const child = readFileSync(join(board.folder, 'child'), 'utf8').trim()
    await expect.poll(() => stateOf(child)).not.toBe('S')
  })

  it('that ignores SIGTERM ends when work gets a second signal', async () => {
    const { id } = await board.host.board.add({ title: 'Stubborn' })
    const worker = board.work(`trap '' TERM; echo $$ > "$FOLDER/pid"; while :; do sleep 0.1; done`, [
      '--grace',
      '600',
    ])
    await worker.printed(/attempt 1/)
    const pid = (): string => readFileSync(join(board.folder, 'pid'), 'utf8').trim()
    await expect.poll(() => existsSync(join(board.folder, 'pid'))).toBe(true)
    await expect.poll(pid).toMatch(/^\d+$/)
    worker.signal('SIGTERM')
    await worker.printed(/a second signal stops them immediately/)
    worker.signal('SIGTERM')
    expect(await worker.ended).toMatchObject({ code: 130 })
    await expect.poll(() => 'RS'.includes(stateOf(pid()) ?? '-')).toBe(false)
    expect(await board.host.board.get(id)).toMatchObject({ column: 'DOING' })
  })
})

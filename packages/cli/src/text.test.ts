import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { newFolder } from '../test/cli-process.js'
import { withoutSecrets } from './cli-error.js'
import { configPath, readConfig, storeServer } from './config-file.js'
import { splitLines } from './lines.js'
import { taskTable } from './commands/task-text.js'
import { plain, plainJson, textTable } from './output/text.js'
import { isOpenToOthers, serverAddress } from './cli.js'
import { parseReport } from './work/progress-line.js'

async function linesOf(chunks: readonly Buffer[]): Promise<readonly string[]> {
  const lines: string[] = []
  async function* stream() {
    yield* chunks
  }
  for await (const line of splitLines(stream())) lines.push(line)
  return lines
}

describe('splitLines', () => {
  it('reads the same lines however the bytes are cut', async () => {
    const lines = fc.array(
      fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[\r\n]/g, '\u2028')),
    )
    await fc.assert(
      fc.asyncProperty(lines, fc.integer({ min: 1, max: 7 }), async (wanted, size) => {
        const bytes = Buffer.from(wanted.map((line) => `${line}\n`).join(''))
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        )
        expect(await linesOf(chunks)).toEqual(wanted)
      }),
    )
  })

  it('ends lines at a line feed, with or without a return, and reads a last line without one', async () => {
    expect(await linesOf([Buffer.from('a\r\nb\n\nlast')])).toEqual(['a', 'b', '', 'last'])
  })
})

describe('a line on descriptor 3', () => {
  it.each([
    ['40', { kind: 'progress', percent: 40 }],
    ['40.5%', { kind: 'progress', percent: 40.5 }],
    ['400', { kind: 'progress', percent: 100 }],
    ['{"progress":7}', { kind: 'progress', percent: 7 }],
    ['reading', { kind: 'log', message: 'reading', level: 'info' }],
    ['{"log":"slow","level":"warn"}', { kind: 'log', message: 'slow', level: 'warn' }],
    ['{"log":"x","level":"loud"}', { kind: 'log', message: 'x', level: 'info' }],
    ['{"ask":"Which?"}', { kind: 'ask', question: 'Which?' }],
    ['{not json', { kind: 'log', message: '{not json', level: 'info' }],
    ['  ', null],
  ])('%s', (line, report) => {
    expect(parseReport(line)).toEqual(report)
  })
})

describe('text of others', () => {
  it('moves no cursor, and turns no text around', () => {
    expect(plain('a\u001B[2Jb\u009B1mc\u202Ed\ne')).toBe('a\uFFFD[2Jb\uFFFD1mc\uFFFDd\ne')
  })

  it('is the same in JSON, without such characters', () => {
    const value = { title: 'a\u001B[2Jb\u009B1mc\u202Ed\ne\u007F "\u061C"' }
    const json = plainJson(value)
    expect(json).toMatch(/^[\u0020-\u007E]+$/)
    expect(JSON.parse(json)).toEqual(value)
  })

  it('is cut at the width of the terminal', () => {
    const paint = (_: unknown, text: string): string => text
    const table = textTable(
      ['ID', 'TITLE'],
      [
        ['1', 'a long title\nof two lines'],
        ['22', null],
      ],
      { paint, width: 12 },
    )
    expect(table).toBe('ID  TITLE\n1   a long …\n22  -')
    const narrow = textTable(['A'], [['ab\u{1F600}cd']], { paint, width: 4 })
    expect(narrow).toBe('A\nab…')
  })
})

describe('the URL of a server', () => {
  it.each([
    ['https://App.Example/', 'https://app.example'],
    ['HTTPS://app.example:443/kanban//', 'https://app.example/kanban'],
    ['http://[::1]:3000', 'http://[::1]:3000'],
  ])('%s is %s', (given, url) => {
    expect(serverAddress(given)).toBe(url)
  })

  it.each([
    'app.example',
    'ftp://a',
    'https://',
    'https://a/?b',
    'https://a/#b',
    'https://ada:pass@a',
    'file:///etc',
  ])('%s is refused without being quoted', (given) => {
    expect(() => serverAddress(given)).toThrow(/^the server URL must (look|not)[^@]*$/)
  })

  it('is open to others by http, but on this machine', () => {
    const open = [
      'http://board.example',
      'http://10.0.0.1:3000',
      'http://localhost.example',
      'http://127.example',
    ]
    const closed = [
      'https://board.example',
      'http://localhost:1',
      'http://127.0.0.9',
      'http://[::1]',
      'http://a.localhost',
    ]
    expect([...open, ...closed].filter((url) => isOpenToOthers(url))).toEqual(open)
  })
})

describe('secrets', () => {
  it('are in no message', () => {
    const message =
      'error: unknown option --key=tb_0123456789abcdef at postgres://board:swordfish@db/x with eyJhbGciOi.eyJzdWI.x'
    expect(withoutSecrets(message)).toBe(
      'error: unknown option --key=tb_… at postgres://board:…@db/x with eyJ…',
    )
  })

  it('are kept in a file for its owner, per server', async () => {
    const env = { XDG_CONFIG_HOME: newFolder() }
    expect(await readConfig(env)).toEqual({ current: null, servers: {} })
    await storeServer(env, 'https://a.example', { key: 'tb_a', keyId: 'ak_1' })
    await storeServer(env, 'https://b.example', { key: 'tb_b', keyId: null })
    const path = configPath(env)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
    expect((await readConfig(env)).servers['https://a.example']).toEqual({ key: 'tb_a', keyId: 'ak_1' })
    await storeServer(env, 'https://b.example', null)
    expect(await readConfig(env)).toEqual({
      current: 'https://a.example',
      servers: { 'https://a.example': { key: 'tb_a', keyId: 'ak_1' } },
    })
    expect(readFileSync(path, 'utf8')).not.toContain('tb_b')
  })

  it.each(['{', 'null', '[]', '"text"', '{"servers":null}', '{"servers":{"https://a.example":{"key":5}}}'])(
    'are not read from %s, which is not overwritten either',
    async (text) => {
      const env = { XDG_CONFIG_HOME: newFolder() }
      mkdirSync(dirname(configPath(env)), { recursive: true })
      writeFileSync(configPath(env), text, { mode: 0o600 })
      await expect(readConfig(env)).rejects.toThrow('cannot be read')
      const stored = storeServer(env, 'https://a.example', { key: 'tb_a', keyId: null })
      await expect(stored).rejects.toThrow('cannot be read')
      expect(readFileSync(configPath(env), 'utf8')).toBe(text)
      expect(readdirSync(dirname(configPath(env)))).toEqual(['config.json'])
    },
  )

  it('are all kept when many are stored at once, also behind a link', async () => {
    const env = { XDG_CONFIG_HOME: newFolder() }
    const path = configPath(env)
    const target = join(newFolder(), 'settings.json')
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(target, '{}', { mode: 0o600 })
    symlinkSync(target, path)
    const urls = Array.from({ length: 20 }, (_, index) => `https://${index}.example`)
    await Promise.all(urls.map((url) => storeServer(env, url, { key: `tb_${url}`, keyId: null })))
    expect(Object.keys((await readConfig(env)).servers).toSorted()).toEqual(urls.toSorted())
    expect(lstatSync(path).isSymbolicLink()).toBe(true)
    expect(statSync(target).mode & 0o777).toBe(0o600)
    expect(readdirSync(dirname(target))).toEqual(['settings.json'])
  })

  it('are stored although somebody died while storing', async () => {
    const env = { XDG_CONFIG_HOME: newFolder() }
    const lock = `${configPath(env)}.lock`
    mkdirSync(dirname(lock), { recursive: true })
    writeFileSync(lock, '')
    utimesSync(lock, 0, 0)
    await storeServer(env, 'https://a.example', { key: 'tb_a', keyId: null })
    expect(readdirSync(dirname(lock))).toEqual(['config.json'])
  })

  it.each([0o644, 0o640, 0o604])('are not read from a file that others can read: %i', async (mode) => {
    const env = { XDG_CONFIG_HOME: newFolder() }
    mkdirSync(dirname(configPath(env)), { recursive: true })
    writeFileSync(configPath(env), '{}')
    chmodSync(configPath(env), mode)
    await expect(readConfig(env)).rejects.toThrow('other users can read it')
  })
})

describe('a list of tasks', () => {
  const shown = (width: number | null) => {
    const task = {
      id: 'task_01m84xn8ay0002m3n7p3mr1x5x',
      status: 'in_progress',
      column: 'doing',
      progress: 40,
      priority: 'medium',
      title: 'A rather long title of a task that somebody wrote for the agents of the board',
    } as Parameters<typeof taskTable>[0][number]
    const output = { paint: (_: string, text: string) => text, width } as Parameters<typeof taskTable>[1]
    return taskTable([task], output).split('\n')
  }

  it('leaves room for titles on 80 columns, and has all on more', () => {
    expect(shown(80)).toEqual([
      'ID        STATUS            TITLE',
      'p3mr1x5x  in_progress 40 %  A rather long title of a task that somebody wrote f…',
    ])
    expect(shown(200)[1]).toMatch(/^task_01m84xn8ay0002m3n7p3mr1x5x /)
    expect(shown(200)[0]).toMatch(/^ID +STATUS +PRIORITY +TITLE$/)
    expect(shown(null)[1]).toMatch(/medium +A rather .* of the board$/)
  })
})

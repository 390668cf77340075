import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { newFolder } from '../test/cli-process.js'
import { withoutSecrets } from './cli-error.js'
import { configPath, readConfig, storeServer } from './config-file.js'
import { splitLines } from './lines.js'
import { plain, textTable } from './output/text.js'
import { readReport } from './work/progress-line.js'

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
    expect(readReport(line)).toEqual(report)
  })
})

describe('text of others', () => {
  it('moves no cursor, and turns no text around', () => {
    expect(plain('a\u001B[2Jb\u009B1mc\u202Ed\ne')).toBe('a\uFFFD[2Jb\uFFFD1mc\uFFFDd\ne')
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
    expect((await readConfig(env)).servers['https://a.example']?.key).toBe('tb_a')
    await storeServer(env, 'https://b.example', null)
    expect(await readConfig(env)).toEqual({
      current: null,
      servers: { 'https://a.example': { key: 'tb_a', keyId: 'ak_1' } },
    })
    expect(readFileSync(path, 'utf8')).not.toContain('tb_b')
  })

  it('are not read from a file that others can read', async () => {
    const env = { XDG_CONFIG_HOME: newFolder() }
    mkdirSync(dirname(configPath(env)), { recursive: true })
    writeFileSync(configPath(env), '{}', { mode: 0o644 })
    await expect(readConfig(env)).rejects.toThrow('others can read it')
  })
})

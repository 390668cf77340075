import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'

/** A program of the tutorial in a process of its own, and what it has printed so far. */
interface Program {
  readonly child: ChildProcess
  /** The first match in what it prints. Rejects when it ends before that. */
  printed(pattern: RegExp): Promise<RegExpExecArray>
}

const fromSources = new URL('../scripts/sources.mjs', import.meta.url).href
const cache = fileURLToPath(new URL('../node_modules/.cache', import.meta.url))
const programs: Program[] = []
let folder: string
let page: string

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

function run(file: string): Program {
  // To optimize PGlite takes longer than the programs run.
  const args = ['--liftoff-only', '--conditions=@taskboard/source', '--import', fromSources, file]
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
  const program: Program = {
    child,
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = pattern.exec(text)
          if (found !== null) resolve(found)
        }
        for (const stream of [child.stdout, child.stderr]) stream.on('data', look)
        child.once('close', () => reject(new Error(`${file} ended, having printed: ${text}`)))
        look()
      }),
  }
  programs.push(program)
  return program
}

/** The commands under a heading, as a reader runs them once the placeholders are replaced. */
async function shell(heading: string, values: Readonly<Record<string, string>>): Promise<string> {
  const [, section = ''] = page.split(`\n## ${heading}\n`)
  const [body = ''] = section.split('\n## ')
  const commands = [...body.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block).join('')
  const filled = Object.entries(values).reduce(
    (text, [name, value]) => text.replaceAll(name, value),
    commands,
  )
  const { stdout } = await promisify(execFile)('bash', ['-euc', filled], { cwd: folder })
  return stdout
}

beforeAll(async () => {
  const [server, receiver] = [await freePort(), await freePort()]
  const text = await readFile(new URL('tutorial.md', import.meta.url), 'utf8')
  page = text.replaceAll(/\b3000\b/g, String(server)).replaceAll(/\b9000\b/g, String(receiver))
  await mkdir(cache, { recursive: true })
  folder = await mkdtemp(join(cache, 'tutorial-'))
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  const files = page.matchAll(/Save this as `([\w.]+)`[^]*?```js\n([^]*?)```/g)
  await Promise.all([...files].map(([, name = '', code = '']) => writeFile(join(folder, name), code)))
})
afterAll(async () => {
  for (const { child } of programs) child.kill('SIGKILL')
  await rm(folder, { recursive: true })
})

it('the tutorial does what it says', { timeout: 120_000 }, async () => {
  const server = run('server.js')
  const receiver = run('receiver.js')
  const [, key = ''] = await server.printed(/KEY=(tb_\w+)/)

  const created = await shell('3. A board', { 'tb_…': key, 'tasks/task_…': 'tasks' })
  expect(created).toContain('"title":"Greet"')
  const id = /"id":"(task_\w+)"/.exec(created)?.[1] ?? ''
  await shell('4. A webhook', { $KEY: key })
  const asked = await shell('5. A question to a person', { $KEY: key, 'ID=task_…': 'exit' })
  const [, message] = await receiver.printed(/^task\.failed · Greet the guests · (.*)$/m)
  expect(message).toBe('Into which language?')
  const question = /"id":"(task_\w+)"/.exec(asked)?.[1] ?? ''
  const answer = { $KEY: key, 'task_…': question, '"title":"Greet the guests"': '"title":"Greet again"' }
  const conversation = await shell('5. A question to a person', answer)
  expect(conversation.match(/"kind":"\w+","body":"[^"]+"/g)).toEqual([
    '"kind":"answer","body":"fr"',
    '"kind":"question","body":"Into which language?"',
    '"kind":"answer","body":"fr"',
  ])
  const [, result] = await receiver.printed(/^task\.completed · Greet the guests · (.*)$/m)
  expect(result).toBe('bonjour')

  const read = await fetch(/http:\/\/127\.0\.0\.1:\d+\/v2\/tasks/.exec(page)?.[0] + `/${id}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  expect(await read.json()).toMatchObject({ status: 'completed', result: 'guten Morgen' })

  server.child.kill('SIGINT')
  expect(await once(server.child, 'exit')).toEqual([0, null])
})

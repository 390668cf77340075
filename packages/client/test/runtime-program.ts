import { createClient, TaskboardApiError, type Worker } from '../src/index.js'

/** Calls, follows and works, as on any runtime. It prints what happened as JSON, and ends by itself. */
const [baseUrl = '', key = '', workspaceId = '', agentId = ''] = process.argv.slice(2)
const client = createClient({ baseUrl, key })
const missing = await client.tasks.get('task_0').catch((error: unknown) => error)
const aborted: unknown = await client.tasks
  .list({}, { signal: AbortSignal.abort('left') })
  .catch((error: unknown) => error)
const unsendable = await createClient({ baseUrl, key: 'tb_…' })
  .tasks.list()
  .catch((error: unknown) => error)

let worker: Worker | undefined
let result = ''
for await (const message of client.realtime.subscribe(`workspace.${workspaceId}`)) {
  if (message.type === 'subscribed') {
    await client.tasks.create({ title: 'Compare the offers', assigned_to: agentId })
    worker = client.worker({ agentId, run: ({ title }) => title.toUpperCase() })
  }
  if (message.type !== 'task.completed') continue
  ;({ result } = message.data)
  break
}
await worker?.stop()
const titles: string[] = []
for await (const { title } of client.tasks.listAll({ limit: 1 })) titles.push(title)
const codes = [missing, unsendable].map((error) => error instanceof TaskboardApiError && error.code)
process.stdout.write(JSON.stringify({ codes, aborted, result, titles }))

import { expect } from 'vitest'
import { inspect } from '../../../packages/mcp/test/audit.js'
import type { ServerProcess } from './server-process.js'

export { hasAudits } from '../../../packages/mcp/test/audit.js'

/** The Inspector's command line lists the tools and adds a task, which the agent of the server works. */
export async function assertInspected(server: ServerProcess): Promise<void> {
  const { url, key } = server
  const namesAt = async (path: string) => {
    const listed = await inspect({ url: url + path, key }, '--method', 'tools/list')
    return (listed as { readonly tools: readonly { readonly name: string }[] }).tools.map(({ name }) => name)
  }
  const worker = await namesAt('/mcp')
  expect(worker).toContain('claim_task')
  expect(worker).not.toContain('create_task')
  const all = { url: `${url}/mcp?tools=worker,planner`, key }
  const callTool = (name: string, argument: string) =>
    inspect(all, '--method', 'tools/call', '--tool-name', name, '--tool-arg', argument)
  const created = (await callTool('create_task', 'title=Inspected')) as {
    readonly structuredContent: { readonly id: string }
  }
  await server.printed(/task\.completed +Completed: Inspected/)
  expect(await callTool('get_task', `task_id=${created.structuredContent.id}`)).toMatchObject({
    structuredContent: { title: 'Inspected', status: 'completed' },
  })
}

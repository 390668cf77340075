import { expect } from 'vitest'
import { call, connect } from '@taskboard/kit/mcp/mcp-client'
import { inspect } from '@taskboard/kit/mcp/audit'
import type { ServerProcess } from './server-process.js'

export { hasAudits } from '@taskboard/kit/mcp/audit'

/**
 * A client with the printed key of the worker claims a task by a URL without an agent. Then one claims that is set up as docs/mcp.md
 * says, for an agent of its own.
 */
export async function assertClaimedByTools(server: ServerProcess): Promise<void> {
  const { url } = server
  const worker = /^ {2}WORKER=(\S+)$/m.exec(server.output())?.[1] ?? ''
  await server.call('add', { title: 'For the worker' })
  const first = await connect(url, worker, { path: '/mcp' })
  expect(await call(first, 'claim_task')).toMatchObject({ task: { title: 'For the worker' } })
  await first.close()
  const created = await fetch(`${url}/v2/agents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Claude', type: 'remote' }),
  })
  const { id } = (await created.json()) as { readonly id: string }
  await server.call('add', { title: 'For Claude' })
  const second = await connect(url, worker, { path: '/mcp?tools=worker,planner&agent=Claude' })
  const { task } = await call(second, 'claim_task')
  expect(task).toMatchObject({ title: 'For Claude' })
  const { id: taskId } = task as { readonly id: string }
  expect(await call(second, 'get_task', { task_id: taskId })).toMatchObject({ agent: { id, name: 'Claude' } })
  await second.close()
}

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

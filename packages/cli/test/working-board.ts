import { createClient, type TaskboardClient } from '@taskboard/client'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BoardHost, serveBoard } from '@taskboard/kit/hosts/board-host'
import { newFolder, start, type Running } from './cli-process.js'

/** A board with an agent whose tasks programs work. */
export interface WorkingBoard {
  readonly host: BoardHost
  readonly client: TaskboardClient
  readonly agentId: string
  /** `FOLDER` of the programs. */
  readonly folder: string
  /** Works with a program whose text is a script for the shell. */
  work(script: string, options?: readonly string[]): Running
  close(): Promise<void>
}

export async function openWorkingBoard(): Promise<WorkingBoard> {
  const running: Running[] = []
  const host = await serveBoard({
    createDefaultAgent: false,
    attempts: { backoff: { baseMs: 1, factor: 1, maxMs: 1 } },
  })
  const { id: agentId } = await host.taskboard.agents.create(host.workspaceId, {
    name: 'Shell',
    type: 'shell',
  })
  const folder = newFolder()
  return {
    host,
    agentId,
    folder,
    client: createClient({ baseUrl: host.url, key: host.key }),
    work(script, options = []) {
      const path = join(folder, 'agent.sh')
      writeFileSync(path, script)
      const one = start(['work', '--agent', agentId, '--exec', `sh ${path}`, '--json', ...options], {
        env: { TASKBOARD_URL: host.url, TASKBOARD_KEY: host.key, FOLDER: folder },
      })
      running.push(one)
      return one
    },
    async close() {
      for (const one of running.splice(0)) {
        one.signal('SIGKILL')
        await one.ended
      }
      await host.close()
    },
  }
}

import { randomBytes } from 'node:crypto'
import { toFetchHandler } from '../../packages/core/src/entries/transport.js'
import { createTaskboard } from '../../packages/core/src/index.js'
import { memoryStorage } from '../../packages/memory/src/index.js'
import type { Document } from './document.js'

/** The OpenAPI document of a board with the library's own login, and without other packages' routes. */
export async function readDocument(): Promise<Document> {
  const taskboard = createTaskboard({ storage: memoryStorage(), tokens: { secret: randomBytes(32) } })
  const answer = await toFetchHandler(taskboard)(new Request('http://board.example/v2/openapi.json'))
  await taskboard.close()
  return (await answer.json()) as Document
}

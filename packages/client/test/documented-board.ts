import { randomBytes } from 'node:crypto'
import { createTaskboard } from '@taskboard/core'
import { toFetchHandler } from '@taskboard/core/transport'
import { memoryStorage } from '@taskboard/memory'
import type { Document } from '../scripts/wire-source.js'

/** The OpenAPI document of a board with the library's own login, and without other packages' routes. */
export async function readDocument(): Promise<Document> {
  const taskboard = createTaskboard({ storage: memoryStorage(), tokens: { secret: randomBytes(32) } })
  const answer = await toFetchHandler(taskboard)(new Request('http://board.example/v2/openapi.json'))
  await taskboard.close()
  return (await answer.json()) as Document
}

import { TaskboardError } from '../../errors/index.js'
import type { Surface } from '../../surface.js'
import type { Route } from '../http.js'
import type { Query } from '../query.js'
import { addTask } from './add-task.js'
import { createWebhook } from './create-webhook.js'
import { handleBoardRequest } from './handle.js'
import { listColumn } from './list-column.js'
import { moveTask } from './move-task.js'
import type { BoardOperation } from './operation.js'
import { sendChat } from './send-chat.js'

const actions: ReadonlyMap<string, BoardOperation> = new Map([
  ['todo', listColumn('TODO')],
  ['doing', listColumn('DOING')],
  ['done', listColumn('DONE')],
  ['add', addTask],
  ['move', moveTask],
  ['chat', sendChat],
])

function findAction({ values, repeated }: Query): BoardOperation {
  const operation = repeated.has('action') ? undefined : actions.get(values['action'] ?? '')
  if (operation !== undefined) return operation
  if (repeated.has('action')) throw new TaskboardError('INVALID_ACTION', 'action must be given once')
  throw new TaskboardError('INVALID_ACTION', `action must be one of ${[...actions.keys()].join(', ')}`)
}

/**
 * The board API (v1) as routes: the script endpoint and webhook registration, at the configured paths. An adapter registers each
 * for every method.
 * @example
 * ```ts
 * import { createTaskboard } from '@taskboard/core'
 * import { boardRoutes } from '@taskboard/core/transport'
 * import { memoryStorage } from '@taskboard/memory'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage() })
 * console.log(boardRoutes(taskboard).map(({ path }) => path)) // [ '/api/board', '/api/webhooks/create' ]
 * ```
 */
export function boardRoutes({ surface }: { readonly surface: Surface }): readonly Route[] {
  return [
    {
      path: surface.paths.board,
      handle: (request) => handleBoardRequest(surface, request, findAction),
    },
    {
      path: surface.paths.webhooks,
      handle: (request) => handleBoardRequest(surface, request, () => createWebhook),
    },
  ]
}

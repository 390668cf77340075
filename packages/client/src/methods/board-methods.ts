import type { CallOptions } from '../client-options.js'
import type { Method, Operating } from '../operation.js'
import type {
  BoardAdd,
  BoardChat,
  BoardChatReply,
  BoardMove,
  BoardTaskWritten,
  ListBoardTasksAnswer,
  ListBoardTasksQuery,
} from '../wire.js'

type Column = ListBoardTasksQuery['action']

/** The board API (v1), for the default workspace of the caller. */
export interface BoardMethods {
  /** The tasks that wait, are on hold, or depend on others; up to 1,000 a page. */
  readonly todo: ListColumn
  /** The tasks that agents work on; up to 1,000 a page. */
  readonly doing: ListColumn
  /** The completed tasks; up to 1,000 a page. */
  readonly done: ListColumn
  /** Adds a task, once also when an answer is lost. */
  add(body: BoardAdd, options?: CallOptions): Promise<BoardTaskWritten>
  /** Moves a task to any column. */
  move(body: BoardMove, options?: CallOptions): Promise<BoardTaskWritten>
  /** Sends a message to the agent of the workspace, and waits for its reply. Not repeated after a lost answer. */
  chat(body: BoardChat, options?: CallOptions): Promise<BoardChatReply>
  /** Registers an endpoint for events. */
  registerWebhook: Method<'registerWebhook'>
}

type ListColumn = (
  query?: Omit<ListBoardTasksQuery, 'action'>,
  options?: CallOptions,
) => Promise<ListBoardTasksAnswer>

export function boardMethods({ method, call }: Operating): BoardMethods {
  const list =
    (action: Column): ListColumn =>
    (query, options) =>
      call('listBoardTasks', { query: { action, ...query } }, options) as Promise<ListBoardTasksAnswer>
  const write =
    <Answer>(action: string, repeats: 'key' | 'repeatable' | 'never') =>
    (body: unknown, options?: CallOptions): Promise<Answer> =>
      call('writeToBoard', { query: { action }, body, repeats }, options) as Promise<Answer>
  return {
    todo: list('todo'),
    doing: list('doing'),
    done: list('done'),
    add: write('add', 'key'),
    move: write('move', 'repeatable'),
    chat: write('chat', 'never'),
    registerWebhook: method('registerWebhook'),
  }
}

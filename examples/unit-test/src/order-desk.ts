import { defineAgent, type AgentDefinition, type Taskboard } from '@taskboard/core'

/** An order of the host's shop. */
export interface Order {
  readonly id: string
  readonly item: string
  /** Epoch milliseconds. */
  readonly shipBy: number
}

/** The host's own table; a real host keeps it in its database, in the transaction that it passes to the board. */
export interface OrderTable {
  insert(order: Order): void
  setPacked(orderId: string, packingList: string): void
  packingListOf(orderId: string): string | null
}

export function orderTable(): OrderTable {
  const rows = new Map<string, string | null>()
  return {
    insert({ id }) {
      if (rows.has(id)) throw new Error(`order ${id} exists`)
      rows.set(id, null)
    },
    setPacked: (orderId, packingList) => void rows.set(orderId, packingList),
    packingListOf: (orderId) => rows.get(orderId) ?? null,
  }
}

/**
 * The part of a shop in which agents pack orders. Each order becomes a task, and a completed task marks its order as packed.
 */
export function createOrderDesk<Tx>(taskboard: Taskboard<Tx>, workspaceId: string, orders: OrderTable) {
  const board = taskboard.board(workspaceId)

  taskboard.events.on('task.completed', async ({ data }) => {
    const { metadata } = await board.get(data.taskId)
    const orderId = metadata['order_id']
    if (typeof orderId === 'string') orders.setPacked(orderId, data.result)
  })

  return {
    /** Accepts an order: the shop's event, the task and the order itself, all or nothing. */
    async place(order: Order): Promise<string> {
      return taskboard.transaction(async (tx) => {
        await taskboard.publish(workspaceId, 'order.new', { order_id: order.id, item: order.item }, { tx })
        const task = await board.add(
          {
            title: `Pack ${order.item}`,
            dueDate: order.shipBy,
            tags: ['order'],
            metadata: { order_id: order.id },
          },
          { tx },
        )
        orders.insert(order)
        return task.id
      })
    },
  }
}

/** Packs orders with the given packer, which may fail. */
export function packingAgent(pack: (title: string) => Promise<string>): AgentDefinition {
  return defineAgent({ type: 'packer', run: (task) => pack(task.title) })
}

/** The messages of the server that this client reads. It ignores others. */
export interface RealtimeMessage {
  readonly type: string
  readonly channel?: string
  /** Of an event: its number. Of `subscribed`: what follows has a higher one. */
  readonly seq?: number
  /** Of a gap: the first and the last missing number. */
  readonly from?: number
  readonly to?: number
  /** ISO 8601 UTC. */
  readonly timestamp?: string
  readonly task_id?: string
  readonly progress?: number
  /** Of a line of a log. */
  readonly level?: string
  readonly message?: string
  readonly agent_id?: string
  readonly status?: string
  readonly data?: { readonly title?: string; readonly from?: string; readonly to?: string }
}

/** A message in one line of a terminal. Titles are other people's text, so control characters go. */
export function messageLine(message: RealtimeMessage): string {
  const { type, seq, timestamp = '' } = message
  const place = seq === undefined ? '' : `#${seq}`
  const parts = [timestamp, place, type, describe(message)].filter((part) => part !== '')
  return parts.join(' ').replaceAll(/\p{C}/gu, '')
}

function describe({ type, channel, from, to, data, ...rest }: RealtimeMessage): string {
  switch (type) {
    case 'subscribed':
      return channel ?? ''
    case 'gap':
      return `events #${from} to #${to} are no longer available: look at the board`
    case 'task.progress':
      return `${rest.task_id} ${rest.progress} %`
    case 'task.log':
      return `${rest.task_id} ${rest.level}: ${rest.message}`
    case 'agent.status':
      return `${rest.agent_id} ${rest.status}`
    case 'task.moved':
      return `${data?.title} (${data?.from} to ${data?.to})`
    default:
      return data?.title ?? ''
  }
}

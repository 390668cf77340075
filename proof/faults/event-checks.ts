import { grouped, unless, type Check } from './check.js'
import { BOARD_PER_MINUTE } from './messages.js'

const MINUTE_MS = 60_000

function isSent(type: string): boolean {
  return type.startsWith('task.') || type.startsWith('approval.') || type === 'agent.status'
}

/** The log, its readers, webhooks and what the clock makes. */
export const eventChecks: readonly Check[] = [
  {
    promise: 'each event is once in the log, which has no gap',
    *look({ rows, events }) {
      yield unless(
        events.size === rows.events.length,
        () => `${events.size} ids of ${rows.events.length} events`,
      )
      const logs = grouped(rows.events, ({ workspaceId }) => workspaceId)
      for (const { workspaceId, seq: last } of rows.lastSeqs) {
        const log = logs.get(workspaceId) ?? []
        for (const [index, { seq }] of log.entries())
          yield unless(seq === index + 1, () => `${seq} is in the place of ${index + 1} of ${workspaceId}`)
        yield unless(log.length === last, () => `${workspaceId} ends at ${log.length}, not ${last}`)
      }
    },
  },
  {
    promise: 'each task has the event of its creation, once',
    *look({ rows, eventsOf }) {
      for (const { id } of rows.tasks) {
        const created = (eventsOf.get(id) ?? []).filter(({ type }) => type === 'task.created').length
        yield unless(created === 1, () => `${id} has ${created}`)
      }
    },
  },
  {
    promise: 'each event has one delivery to each webhook that wants it',
    *look({ rows }) {
      const known = grouped(rows.deliveries, ({ webhookId, eventId }) => `${webhookId} ${eventId}`)
      for (const webhook of rows.webhooks)
        for (const { id, type } of rows.events) {
          if (!webhook.events.includes(type)) continue
          const count = known.get(`${webhook.id} ${id}`)?.length ?? 0
          yield unless(count === 1, () => `${type} ${id} has ${count} deliveries to ${webhook.id}`)
        }
    },
  },
  {
    promise: 'each delivery arrives',
    *look({ journal, rows }) {
      const received = grouped(journal.of('received'), ({ deliveryId }) => deliveryId)
      for (const { id, status } of rows.deliveries) {
        const requests = received.get(id) ?? []
        const isAccepted = requests.some((request) => request.isAccepted)
        yield unless(
          status === 'succeeded' && isAccepted,
          () => `${id} is listed as ${status}, after ${requests.length} requests, accepted: ${isAccepted}`,
        )
      }
    },
  },
  {
    promise: 'each request is signed, of one event with one body',
    *look({ journal, deliveries, events }) {
      const bodies = new Map<string, string>()
      for (const { deliveryId, digest, isSigned, type } of journal.of('received')) {
        const first = bodies.get(deliveryId) ?? digest
        bodies.set(deliveryId, first)
        const event = events.get(deliveries.get(deliveryId)?.eventId ?? '')
        yield unless(
          isSigned && first === digest && event?.type === type,
          () =>
            `${deliveryId}, signed: ${isSigned}, same body: ${first === digest}, ${type} for ${event?.type}`,
        )
      }
    },
  },
  {
    promise: 'no request is sent before its commit',
    *look({ journal, deliveries, events }) {
      for (const { deliveryId, atMs } of journal.of('received')) {
        const { committedAt = null } = events.get(deliveries.get(deliveryId)?.eventId ?? '') ?? {}
        if (committedAt !== null)
          yield unless(
            committedAt <= atMs,
            () => `${deliveryId} arrived ${committedAt - atMs} ms before the commit`,
          )
      }
    },
  },
  {
    promise: 'each reader of the feed and of the realtime channel sees each event once, in order',
    *look({ journal, rows }) {
      for (const { reader, what } of journal.of('missed')) yield `${reader}: ${what}`
      const seen = journal.of('saw').filter(({ by }) => by !== 'listener')
      const places = grouped(seen, ({ reader, workspaceId }) => `${reader} ${workspaceId}`)
      for (const { reader, seq: from } of journal.of('began'))
        for (const { workspaceId } of rows.lastSeqs) {
          const own = (places.get(`${reader} ${workspaceId}`) ?? []).map(({ seq }) => seq)
          const isWhole = reader === 'feed'
          const due = rows.events.filter(
            (event) =>
              event.workspaceId === workspaceId && event.seq > from && (isWhole || isSent(event.type)),
          )
          for (const [index, { seq }] of due.entries())
            yield unless(own[index] === seq, () => `${reader} saw ${own[index]} in the place of ${seq}`)
          yield unless(own.length <= due.length, () => `${reader} saw ${own.length} of ${due.length} events`)
        }
    },
  },
  {
    promise: 'a listener gets each event once and in order while it runs',
    *look({ journal }) {
      const heard = journal.of('saw').filter(({ by }) => by === 'listener')
      for (const [place, own] of grouped(heard, ({ reader, workspaceId }) => `${reader} ${workspaceId}`))
        for (const [index, { seq }] of own.entries()) {
          const before = own[index - 1]?.seq ?? seq - 1
          yield unless(seq === before + 1, () => `${place} heard ${seq} after ${before}`)
        }
    },
  },
  {
    promise: 'an occurrence of a schedule is made once',
    *look({ journal, rows }) {
      const made = grouped(rows.tasks, ({ title }) => title)
      const due = journal.of('made due')
      for (const { id, title } of rows.schedules) {
        const own = due.filter(({ scheduleIds }) => scheduleIds.includes(id))
        const least = own.filter(({ isCertain }) => isCertain).length
        const count = made.get(title)?.length ?? 0
        for (let n = 0; n < least; n += 1)
          yield unless(
            count >= least && count <= own.length,
            () => `${title} has ${count} tasks for ${least} to ${own.length} occurrences`,
          )
      }
    },
  },
  {
    promise: 'no window of a minute has more requests of a key than its limit',
    *look({ journal }) {
      for (const [key, own] of grouped(journal.of('admitted'), (each) => each.key)) {
        const sorted = own.toSorted((a, b) => a.sentMs - b.sentMs)
        for (const { sentMs } of sorted) {
          const within = sorted.filter(
            (each) => each.sentMs >= sentMs && each.answeredMs < sentMs + MINUTE_MS,
          )
          yield unless(within.length <= BOARD_PER_MINUTE, () => `${key} had ${within.length} within a minute`)
        }
      }
    },
  },
]

/** Counters against a recount, and how everything ended. */
export const restChecks: readonly Check[] = [
  {
    promise: 'counters equal a recount',
    *look({ rows, tasks }) {
      for (const { id, column, isQueued, dependsOn, openDependencies } of rows.tasks) {
        yield unless(isQueued === (column === 'TODO'), () => `${id} is in ${column}, queued: ${isQueued}`)
        const open = dependsOn.filter((before) => tasks.get(before)?.column !== 'DONE').length
        yield unless(open === openDependencies, () => `${id} waits for ${open}, not ${openDependencies}`)
      }
      for (const { id, attempts, attemptCount } of rows.deliveries)
        yield unless(attempts === attemptCount, () => `${id} lists ${attempts} of ${attemptCount} attempts`)
      const reports = rows.usage.reduce((sum, each) => sum + each.reports, 0)
      const tokens = rows.usage.reduce((sum, each) => sum + each.tokens, 0)
      const { usageByDay: day, usageByMonth: month } = rows
      yield unless(
        day.reports === reports && day.tokens === tokens && month.tokens === tokens,
        () => `usage of ${tokens} tokens, by day ${day.tokens}, by month ${month.tokens}`,
      )
      for (const { workspaceId, counted, events } of rows.figures)
        yield unless(
          counted === events,
          () => `the figures of ${workspaceId} count ${counted} of ${events} tasks`,
        )
    },
  },
  {
    promise: 'a caller gets a correct response, or the documented error',
    *look({ journal }) {
      for (const { count } of journal.of('right answer')) for (let n = 0; n < count; n += 1) yield null
      for (const { what } of journal.of('wrong answer')) yield what
    },
  },
  {
    promise: 'no process exits on its own, and each exits when asked to',
    *look({ journal }) {
      for (const { process, how, isExpected } of journal.of('ended'))
        yield unless(isExpected, () => `${process} ended ${how}`)
    },
  },
  {
    promise: 'when the faults are over, all work and all deliveries come to an end',
    *look({ journal }) {
      for (const { left } of journal.of('came to rest'))
        yield unless(left.length === 0, () => `left: ${left.join(', ')}`)
    },
  },
]

import { grouped, unless, type Check } from './check.js'
import { TOKENS_PER_REPORT } from './messages.js'
import { resultOf } from './perform-task.js'

/** What became of what clients added, changed and said. */
export const clientChecks: readonly Check[] = [
  {
    promise: 'an acknowledged task is there',
    *look({ journal, tasks }) {
      for (const { key, taskIds } of journal.of('created'))
        for (const id of taskIds) yield unless(tasks.has(id), () => `${id} of ${key} is lost`)
    },
  },
  {
    promise: 'an idempotency key creates once, all or nothing',
    *look({ journal, rows }) {
      const stored = grouped(rows.tasks, ({ title }) => title.split(' #')[0] ?? '')
      const acknowledged = grouped(journal.of('created'), ({ key }) => key)
      for (const { key, count } of journal.of('creating')) {
        const answers = new Set((acknowledged.get(key) ?? []).map(({ taskIds }) => taskIds.join()))
        const made = stored.get(key)?.length ?? 0
        const isWhole = made === count || (made === 0 && answers.size === 0)
        yield unless(
          isWhole && answers.size <= 1,
          () => `${key} made ${made} tasks of ${count}, and answered ${[...answers].join(' and ')}`,
        )
      }
      const schedules = grouped(rows.schedules, ({ title }) => title)
      const scheduled = new Set(journal.of('scheduled').map(({ title }) => title))
      for (const { title } of journal.of('scheduling')) {
        const made = schedules.get(title)?.length ?? 0
        const isRight = made === 1 || (made === 0 && !scheduled.has(title))
        yield unless(isRight, () => `${title} made ${made} schedules`)
      }
    },
  },
  {
    promise: 'an acknowledged update stays',
    *look({ journal, tasks }) {
      for (const [id, updates] of grouped(journal.of('updated'), ({ taskId }) => taskId)) {
        let allowed = new Set<string | null>([null])
        // What had no answer may arrive at any time, before or after the next one.
        const late = new Set<string>()
        for (const { value, isAcknowledged, isCertain } of updates) {
          const text = `value ${value}`
          if (!isCertain) late.add(text)
          if (isAcknowledged) allowed = new Set([text, ...late])
          else if (!isCertain) allowed.add(text)
        }
        const seen = tasks.get(id)?.description ?? null
        yield unless(allowed.has(seen), () => `${id} has "${seen}", not ${[...allowed].join(' or ')}`)
      }
    },
  },
  {
    promise: 'an acknowledged cancellation stays',
    *look({ journal, tasks }) {
      for (const { taskId } of journal.of('cancelled')) {
        const task = tasks.get(taskId)
        yield unless(
          task?.hold === 'cancelled',
          () => `${taskId} is in ${task?.column}, on hold: ${task?.hold}`,
        )
      }
    },
  },
  {
    promise: 'an acknowledged comment or answer is there once',
    *look({ journal, rows }) {
      const said = grouped(rows.comments, ({ body }) => body)
      const acknowledged = new Set(
        [...journal.of('commented'), ...journal.of('answered')].map(({ body }) => body),
      )
      for (const { taskId, body } of [...journal.of('commenting'), ...journal.of('answering')]) {
        const found = (said.get(body) ?? []).filter((comment) => comment.taskId === taskId)
        const isRight = found.length === 1 || (found.length === 0 && !acknowledged.has(body))
        yield unless(isRight, () => `"${body}" is there ${found.length} times`)
      }
    },
  },
]

/** What became of what agents did. */
export const agentChecks: readonly Check[] = [
  {
    promise: 'no lease is granted twice',
    *look({ journal, attempts }) {
      const runs = grouped(journal.of('claimed'), ({ taskId, token }) => `${taskId} #${token}`)
      for (const [claim, by] of runs)
        yield unless(by.length === 1, () => `${claim} was worked by ${by.map((run) => run.by).join(' and ')}`)
      for (const ofTask of attempts.values())
        for (const [index, { taskId, token, startedAt }] of ofTask.entries()) {
          const before = ofTask[index - 1]
          yield unless(
            before === undefined || before.endedAt <= startedAt,
            () => `${taskId} #${token} began before ${before?.token} had ended`,
          )
        }
    },
  },
  {
    promise: 'every claim is an attempt, and every attempt ends',
    *look({ journal, rows, attempts, eventsOf }) {
      const numbered = new Set(rows.attempts.map(({ taskId, token }) => `${taskId} #${token}`))
      for (const { taskId, token } of journal.of('claimed'))
        yield unless(
          numbered.has(`${taskId} #${token}`),
          () => `${taskId} #${token} is not among the attempts`,
        )
      for (const { id, token } of rows.tasks) {
        const started = (eventsOf.get(id) ?? []).filter(({ type }) => type === 'task.started').length
        const kept = attempts.get(id)?.length ?? 0
        yield unless(
          kept === token && started === token,
          () => `${id} was claimed ${token} times, with ${kept} attempts and ${started} events`,
        )
      }
    },
  },
  {
    promise: 'no agent has more tasks at a time than it may',
    *look({ rows }) {
      const limits = new Map(rows.limits.map(({ agentId, most }) => [agentId, most]))
      const limited = rows.attempts.filter(({ agentId }) => limits.has(agentId))
      for (const [agentId, own] of grouped(limited, (attempt) => attempt.agentId)) {
        const changes = own
          .flatMap(({ startedAt, endedAt }) => [
            { at: startedAt, by: 1 },
            { at: endedAt, by: -1 },
          ])
          .sort((a, b) => a.at - b.at || a.by - b.by)
        let now = 0
        for (const { at, by } of changes) {
          now += by
          if (by > 0)
            yield unless(now <= (limits.get(agentId) ?? 0), () => `${agentId} worked ${now} at ${at}`)
        }
      }
    },
  },
  {
    promise: 'a completed task is completed once, with the result of its attempt',
    *look({ journal, rows, attempts, eventsOf }) {
      const outcomes = new Map(rows.attempts.map((each) => [`${each.taskId} #${each.token}`, each.outcome]))
      for (const { taskId, token } of journal.of('completed'))
        yield unless(
          outcomes.get(`${taskId} #${token}`) === 'completed',
          () => `${taskId} #${token} was acknowledged, and ended as ${outcomes.get(`${taskId} #${token}`)}`,
        )
      for (const { id, column, result, token } of rows.tasks) {
        const events = (eventsOf.get(id) ?? []).filter(({ type }) => type === 'task.completed').length
        const completed = (attempts.get(id) ?? []).filter(({ outcome }) => outcome === 'completed').length
        const isDone = column === 'DONE' ? 1 : 0
        yield unless(
          events === isDone && completed === isDone && (isDone === 0 || result === resultOf(token)),
          () =>
            `${id} is in ${column} with "${result}", completed by ${completed} attempts and ${events} events`,
        )
      }
    },
  },
  {
    promise: "an agent's writes are kept, and happen only under its lease",
    *look({ journal, rows, attempts }) {
      const lines = grouped(rows.lines, ({ taskId, message }) => `${taskId}: ${message}`)
      for (const { taskId, message } of journal.of('logged'))
        yield unless(lines.has(`${taskId}: ${message}`), () => `"${message}" of ${taskId} is lost`)
      for (const { taskId, message, at } of rows.lines) {
        const token = Number(/^begun under (\d+)$/.exec(message)?.[1])
        if (Number.isNaN(token)) continue
        const attempt = attempts.get(taskId)?.find((each) => each.token === token)
        const isUnder = attempt !== undefined && attempt.startedAt <= at && at <= attempt.endedAt
        yield unless(isUnder, () => `"${message}" of ${taskId} was written at ${at}, without that lease`)
      }
    },
  },
  {
    promise: 'a report of usage counts once',
    *look({ journal, rows }) {
      const claim = (of: { taskId: string; token: number }): string => `${of.taskId} #${of.token}`
      const sent = grouped(journal.of('using'), claim)
      const acknowledged = grouped(journal.of('used'), claim)
      const stored = new Map(rows.usage.map((each) => [claim(each), each]))
      for (const each of new Set([...sent.keys(), ...stored.keys()])) {
        const { reports = 0, tokens = 0 } = stored.get(each) ?? {}
        const [least, most] = [acknowledged.get(each)?.length ?? 0, sent.get(each)?.length ?? 0]
        const isRight = least <= reports && reports <= most && tokens === reports * TOKENS_PER_REPORT
        yield unless(isRight, () => `${each}: ${reports} stored, ${least} acknowledged, ${most} sent`)
      }
    },
  },
  {
    promise: 'an approval is given by a person, and used once',
    *look({ journal, rows }) {
      const decisions = grouped(journal.of('deciding'), ({ approvalId }) => approvalId)
      const approvals = new Map(rows.approvals.map((approval) => [approval.id, approval]))
      const uses = journal.of('permitted').filter(({ decision }) => decision === 'approved')
      for (const [id, by] of grouped(uses, ({ approvalId }) => approvalId)) {
        const isGiven = decisions.get(id)?.some(({ decision }) => decision === 'approved') === true
        const isUsed = approvals.get(id)?.usedAt != null
        yield unless(
          by.length === 1 && isGiven && isUsed,
          () => `${id} was used ${by.length} times, given: ${isGiven}, kept as used: ${isUsed}`,
        )
      }
      for (const { approvalId, decision } of journal.of('decided')) {
        const state = approvals.get(approvalId)?.state
        const isKept =
          decision === 'rejected' ? state === 'rejected' : state === 'approved' || state === 'used'
        yield unless(isKept, () => `${approvalId} was ${decision}, and is ${state}`)
      }
    },
  },
  {
    promise: 'an agent hears what a person answered',
    *look({ journal }) {
      const given = grouped(journal.of('answering'), ({ taskId }) => taskId)
      for (const { taskId, body } of journal.of('heard answer'))
        yield unless(
          given.get(taskId)?.some((answer) => answer.body === body) === true,
          () => `${taskId} heard "${body}"`,
        )
    },
  },
  {
    promise: 'no task begins before those that it waits for',
    *look({ rows, attempts }) {
      for (const { id, dependsOn } of rows.tasks) {
        const [first] = attempts.get(id) ?? []
        if (first === undefined) continue
        for (const before of dependsOn) {
          const done = attempts.get(before)?.find(({ outcome }) => outcome === 'completed')
          yield unless(
            done !== undefined && done.endedAt <= first.startedAt,
            () => `${id} began before ${before}`,
          )
        }
      }
    },
  },
]

import { useEffect } from 'preact/hooks'
import { can, client } from '../state/api.js'
import { taskIdOf } from '../state/live.js'
import { useReload } from '../state/use-messages.js'
import type { HoldReason, TaskDetail } from '../state/wire.js'
import { text } from '../texts/index.js'
import { Icon } from '../ui/icon.js'
import { Markdown } from '../ui/markdown.js'
import { Show, useLoaded } from '../ui/states.js'
import { Time } from '../ui/time.js'
import { ApprovalCard } from './approval-card.js'
import { WriteBox } from './thread.js'

/** The approvals of a task that no one has decided. */
export function PendingApprovals({ task }: { readonly task: TaskDetail }) {
  const { id, hold } = task
  const loaded = useLoaded(
    (signal) => client.approvals.list({ task_id: id, status: 'pending', limit: 20 }, { signal }),
    [id, hold?.since],
  )
  useReload(
    loaded.reload,
    (message) =>
      (message.type === 'approval.requested' || message.type === 'approval.decided') &&
      taskIdOf(message) === id,
  )
  return (
    <Show loaded={loaded}>
      {({ approvals }) => (
        <>
          {approvals.map((approval) => (
            <ApprovalCard key={approval.id} approval={approval} onDecided={() => loaded.reload()} />
          ))}
          {approvals.length === 0 && hold?.reason === 'approval' && <p>{text.task.hold.noApproval}</p>}
        </>
      )}
    </Show>
  )
}

/** A question is Markdown. The message of a failure is what a program wrote: each of its characters and lines counts. */
function Message({ reason, children: message }: { readonly reason: HoldReason; readonly children: string }) {
  if (reason === 'approval') return null
  if (reason === 'needs_input') return <Markdown source={message} />
  if (reason === 'failed') return <pre class="failure-message">{message}</pre>
  return <p class="written">{message}</p>
}

/** The focused element goes with the hold that it answered: the reader continues at the title. */
function useFocusAfter(since: string | undefined): void {
  useEffect(
    () => () => {
      requestAnimationFrame(() => {
        if (document.activeElement === document.body)
          document.querySelector<HTMLElement>('dialog[open] h2')?.focus()
      })
    },
    [since],
  )
}

/** Why agents can't take a task, and how a person can help. */
export function HoldBanner({ task }: { readonly task: TaskDetail }) {
  const { id, hold } = task
  useFocusAfter(hold?.since)
  if (hold === null) return null
  const { reason, message, since } = hold
  return (
    <section class={`hold hold-${reason}`} aria-label={text.task.hold[reason]}>
      <h3>
        <Icon name="hand" />
        {text.task.hold[reason]}
        <small>
          <Time at={since} />
        </small>
      </h3>
      {message !== null && message !== '' && <Message reason={reason}>{message}</Message>}
      {reason === 'budget' && <p class="small">{text.task.hold.budgetHint}</p>}
      {reason === 'needs_input' && can('tasks:write') && <WriteBox id={id} isAnswer />}
      {reason === 'approval' && <PendingApprovals task={task} />}
    </section>
  )
}

import { useRef, useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import { can, client, workspace } from '../state/api.js'
import { href } from '../state/router.js'
import type { Approval, MonthlyBudget, Task } from '../state/wire.js'
import { ApprovalCard } from '../task/approval-card.js'
import { BudgetInputs, fromBudgetDraft, toBudgetDraft } from '../task/fields.js'
import { WriteBox } from '../task/thread.js'
import { text } from '../texts/index.js'
import { FormError, useSubmit } from '../ui/form.js'
import { Icon } from '../ui/icon.js'
import { Markdown } from '../ui/markdown.js'
import { Time } from '../ui/time.js'
import { formatCost, formatCount } from '../texts/format.js'
import { Act, Acts } from './acts.js'
import type { Reason, ShownEntry } from './shown-entries.js'

interface EntryProps {
  readonly entry: ShownEntry
  readonly title: ComponentChildren
  readonly since: string | null
  readonly agent?: string | undefined
  /** How it was handled; shown once it no longer waits. */
  readonly ending: string
  readonly children: ComponentChildren
}

/** The frame of one thing that waits. It takes the focus as a whole, so that its keys work. Once it was handled, it keeps its size. */
export function Entry({ entry: { key, handledAt }, title, since, agent, ending, children }: EntryProps) {
  const ref = useRef<HTMLLIElement>(null)
  const height = useRef<number | null>(null)
  const isHandled = handledAt !== null
  // What is on the page is still as it was before.
  if (isHandled) height.current ??= ref.current?.getBoundingClientRect().height ?? 0
  return (
    <li
      ref={ref}
      class={`waiting ${isHandled ? 'waiting-handled' : ''}`}
      data-entry={key}
      data-handled={isHandled ? '' : undefined}
      tabIndex={0}
      aria-labelledby={`${key}-title`}
      style={isHandled ? { minBlockSize: `${height.current ?? 0}px` } : {}}
    >
      <div class="waiting-head">
        <h3 id={`${key}-title`}>{title}</h3>
        {since !== null && (
          <small class="quiet">
            {agent !== undefined && <span class="waiting-agent">{agent}</span>}
            <Time at={since} />
          </small>
        )}
      </div>
      {isHandled ? (
        <p class="waiting-ending">
          <Icon name="check" />
          {ending}
        </p>
      ) : (
        children
      )}
    </li>
  )
}

interface HeldProps {
  readonly task: Task
  /** Called once it was handled here, with how. */
  readonly onHandled: (ending: string) => void
}

const endings = text.inbox.endings

function useRelease({ task, onHandled }: HeldProps) {
  const form = useSubmit()
  const release = async (before: () => Promise<unknown> = () => Promise.resolve()): Promise<void> => {
    const work = async (): Promise<void> => {
      await before()
      await client.tasks.release(task.id, {})
    }
    if (await form.submit(work)) onHandled(endings.released)
  }
  return { ...form, release }
}

function OpenTask({ task }: { readonly task: Task }) {
  return (
    <a class="button button-small" href={href('tasks', task.id)} data-open>
      {text.inbox.open}
    </a>
  )
}

function Question({ task, onHandled }: HeldProps) {
  const message = task.hold?.message ?? ''
  return (
    <>
      {message !== '' && <Markdown source={message} />}
      {can('tasks:write') && (
        <WriteBox id={task.id} isAnswer isAnswerOnly onSent={() => onHandled(endings.own.answered)} />
      )}
    </>
  )
}

function Failure({ task, onHandled }: HeldProps) {
  const { failure, isBusy, release } = useRelease({ task, onHandled })
  const message = task.hold?.message ?? ''
  return (
    <>
      {message !== '' && (
        <pre class="failure-message waiting-reason" tabIndex={0}>
          {message}
        </pre>
      )}
      {task.attempts > 0 && <p class="quiet small">{text.inbox.attempts(task.attempts)}</p>}
      <FormError failure={failure} />
      <Acts>
        <OpenTask task={task} />
        {can('tasks:write') && (
          <Act isPrimary isBusy={isBusy} onAct={() => void release()}>
            <Icon name="again" />
            {text.task.actions.retry}
          </Act>
        )}
      </Acts>
    </>
  )
}

function SpentTask({ task, onHandled }: HeldProps) {
  const [draft, setDraft] = useState(() => toBudgetDraft(task.budget))
  const { failure, isBusy, release, errorOf } = useRelease({ task, onHandled })
  const raise = () => client.tasks.update(task.id, { budget: fromBudgetDraft(draft) })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void release(raise)
      }}
    >
      <p class="written">{task.hold?.message}</p>
      {can('tasks:write') && (
        <>
          {task.budget !== null && (
            <BudgetInputs
              draft={draft}
              onDraft={setDraft}
              error={errorOf('budget')}
              labels={{ tokens: text.inbox.newTokens, cost: text.inbox.newCost }}
            />
          )}
          <FormError failure={failure} fields={['budget']} />
        </>
      )}
      <Acts>
        <OpenTask task={task} />
        {can('tasks:write') && (
          <>
            <Act isBusy={isBusy} onAct={() => void release()}>
              {text.inbox.releaseOnly}
            </Act>
            {task.budget !== null && (
              <Act isPrimary isBusy={isBusy}>
                {text.inbox.raise}
              </Act>
            )}
          </>
        )}
      </Acts>
    </form>
  )
}

interface ApprovalEntryProps extends HeldProps {
  /** Null until they were read. */
  readonly approvals: readonly Approval[] | null
  /** Called when the server hasn't taken a decision: the approvals are no longer as they were read. */
  readonly onRefused: () => void
}

function ApprovalEntry({ task, approvals, onHandled, onRefused }: ApprovalEntryProps) {
  const { failure, isBusy, release } = useRelease({ task, onHandled })
  if (approvals === null) return <p class="quiet">{text.loading}</p>
  if (approvals.length > 0) {
    return (
      <>
        {approvals.map((approval) => (
          <ApprovalCard
            key={approval.id}
            approval={approval}
            onDecided={(verdict) => {
              if (verdict === null) onRefused()
              else if (approvals.length === 1) onHandled(endings.own[verdict])
            }}
          />
        ))}
      </>
    )
  }
  return (
    <>
      <p>{text.task.hold.noApproval}</p>
      <FormError failure={failure} />
      <Acts>
        <OpenTask task={task} />
        {can('tasks:write') && (
          <Act isPrimary isBusy={isBusy} onAct={() => void release()}>
            {text.task.actions.release}
          </Act>
        )}
      </Acts>
    </>
  )
}

interface HeldEntryProps extends ApprovalEntryProps {
  readonly entry: ShownEntry
  readonly reason: Reason
  readonly ending: string
}

/** A task that waits for a person, with the actions of the person. */
export function HeldEntry({ entry, reason, ending, ...props }: HeldEntryProps) {
  const { task } = props
  return (
    <Entry
      entry={entry}
      since={task.hold?.since ?? null}
      agent={task.agent?.name}
      title={<a href={href('tasks', task.id)}>{task.title}</a>}
      ending={ending}
    >
      {reason === 'needs_input' && <Question {...props} />}
      {reason === 'approval' && <ApprovalEntry {...props} />}
      {reason === 'failed' && <Failure {...props} />}
      {reason === 'budget' && <SpentTask {...props} />}
    </Entry>
  )
}

interface SpentBudgetProps {
  readonly entry: ShownEntry
  readonly budget: MonthlyBudget
  readonly agentName: string | null
  readonly ending: string
  readonly onHandled: (ending: string) => void
}

/** A monthly budget that is spent. */
export function SpentBudget({ entry, budget, agentName, ending, onHandled }: SpentBudgetProps) {
  const [draft, setDraft] = useState(() => toBudgetDraft(budget.budget))
  const { failure, isBusy, submit, errorOf } = useSubmit()
  const { agent_id: agentId, workspace_id: workspaceId, used } = budget
  const canRaise = agentId === null ? can('account:write') : can('agents:write')
  const raise = async (): Promise<void> => {
    const body = { budget: fromBudgetDraft(draft) }
    const write = () =>
      agentId === null
        ? client.workspaces.setBudget(workspaceId, body)
        : client.agents.setBudget(agentId, body)
    if (await submit(write)) onHandled(endings.raised)
  }
  return (
    <Entry
      entry={entry}
      ending={ending}
      since={null}
      title={
        agentId === null
          ? `${text.inbox.ofWorkspace} ${workspace.value?.name ?? ''}`
          : text.inbox.ofAgent(agentName ?? agentId)
      }
    >
      <p class="small">
        {text.inbox.spent(
          `${formatCount(used.tokens)} ${text.task.tokens.toLowerCase()}, ${formatCost(used.cost_usd)}`,
        )}
      </p>
      <p class="quiet small">{text.inbox.monthlyHint}</p>
      {canRaise && (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            void raise()
          }}
        >
          <BudgetInputs
            draft={draft}
            onDraft={setDraft}
            error={errorOf('budget')}
            labels={{ tokens: text.inbox.newTokens, cost: text.inbox.newCost }}
          />
          <FormError failure={failure} fields={['budget']} />
          <Acts>
            <Act isPrimary isBusy={isBusy}>
              {text.inbox.raiseMonthly}
            </Act>
          </Acts>
        </form>
      )}
    </Entry>
  )
}

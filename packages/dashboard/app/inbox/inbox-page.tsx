import { useEffect, useRef } from 'preact/hooks'
import { can, client, workspaceId } from '../state/api.js'
import { announce } from '../state/notices.js'
import { useReload } from '../state/use-messages.js'
import type { Agent, Approval } from '../state/wire.js'
import { text } from '../texts/index.js'
import { Empty, Failed, Loading, useLoaded, type Loaded } from '../ui/states.js'
import { noteEnding } from './endings.js'
import { HeldEntry, SpentBudget } from './entries.js'
import { useInboxKeys, useKeptFocus } from './keys.js'
import { reasons, type ShownEntry, type Waiting } from './shown-entries.js'
import { subjectOf, useEntries } from './use-entries.js'
import {
  forget,
  hasMore,
  held,
  isInboxOpen,
  isKnown,
  reloadWaiting,
  spent,
  waitingFailure,
  waitingLabel,
} from './waiting.js'

const PAGE_SIZE = 1_000

type Approvals = ReadonlyMap<string, readonly Approval[]>

/** The pending approvals of the workspace, by the task. */
async function readApprovals(abort: AbortSignal): Promise<Approvals> {
  const byTask = new Map<string, Approval[]>()
  const all = client.approvals.listAll({ status: 'pending', limit: PAGE_SIZE }, { signal: abort })
  for await (const approval of all) {
    if (approval.workspace_id !== workspaceId()) continue
    byTask.set(approval.task_id, [...(byTask.get(approval.task_id) ?? []), approval])
  }
  return byTask
}

async function readAgents(abort: AbortSignal): Promise<readonly Agent[]> {
  if (!can('agents:read')) return []
  return (await client.agents.list({ workspace_id: workspaceId(), limit: PAGE_SIZE }, { signal: abort }))
    .agents
}

function handled(what: Waiting, how: string): void {
  noteEnding(subjectOf(what), how)
  if (what.kind === 'task') forget(what.task.id)
  else reloadWaiting()
  const title = what.kind === 'task' ? what.task.title : text.inbox.groups.budget
  announce(text.inbox.handled(title, how, waitingLabel.value))
}

/** What waits now, in all groups. */
const allWaiting = (): readonly Waiting[] => [
  ...reasons.flatMap((reason) => held.value[reason].map((task): Waiting => ({ kind: 'task', reason, task }))),
  ...spent.value.map((budget): Waiting => ({ kind: 'budget', reason: 'budget', budget })),
]

/** The approvals of a task; null while they aren't known. */
function approvalsOf({ value, isLoading, failure }: Loaded<Approvals>, taskId: string) {
  return value?.get(taskId) ?? (isLoading || failure !== null ? null : [])
}

interface ShownProps {
  readonly entry: ShownEntry
  readonly ending: string
  readonly approvals: Loaded<Approvals>
  readonly agents: readonly Agent[]
}

function Shown({ entry, ending, approvals, agents }: ShownProps) {
  const { what } = entry
  const common = { entry, ending, onHandled: (how: string) => handled(what, how) }
  if (what.kind === 'budget') {
    const { agent_id: agentId } = what.budget
    const agentName = agents.find(({ id }) => id === agentId)?.name ?? null
    return <SpentBudget {...common} budget={what.budget} agentName={agentName} />
  }
  return (
    <HeldEntry
      {...common}
      reason={what.reason}
      task={what.task}
      approvals={approvalsOf(approvals, what.task.id)}
      onRefused={approvals.reload}
    />
  )
}

/** Everything that waits for a person, oldest first. */
export function InboxPage() {
  const root = useRef<HTMLDivElement>(null)
  useEffect(() => {
    isInboxOpen.value = true
    return () => {
      isInboxOpen.value = false
    }
  }, [])
  const onFocusIn = useKeptFocus(root)
  useInboxKeys(root)
  const approvals = useLoaded(readApprovals, [])
  const agents = useLoaded(readAgents, [])
  useReload(approvals.reload, ({ type }) => type === 'approval.requested' || type === 'approval.decided')
  const lackingIds = held.value.approval
    .filter(({ id }) => approvals.value?.has(id) !== true)
    .map(({ id }) => id)
    .join()
  // A task may be known before its approval is.
  useEffect(() => {
    if (lackingIds !== '' && approvals.value !== null) approvals.reload()
  }, [lackingIds])
  const { entries, labelOf } = useEntries(allWaiting(), root)
  if (!isKnown.value) {
    const failure = waitingFailure.value
    return failure === null ? <Loading /> : <Failed failure={failure} onRetry={reloadWaiting} />
  }
  return (
    <div class="page-inner inbox" ref={root} tabIndex={-1} onFocusIn={onFocusIn}>
      {approvals.failure !== null && <Failed failure={approvals.failure} onRetry={approvals.reload} />}
      {entries.length === 0 ? (
        <Empty title={text.inbox.empty}>
          <p>{text.inbox.emptyHint}</p>
        </Empty>
      ) : (
        <p class="quiet small keys-hint">{text.inbox.keys}</p>
      )}
      {reasons.map((reason) => {
        const group = entries.filter(({ what }) => what.reason === reason)
        if (group.length === 0) return null
        return (
          <section key={reason} class={`waiting-group waiting-${reason}`} aria-labelledby={`group-${reason}`}>
            <h2 id={`group-${reason}`}>
              {text.inbox.groups[reason]}{' '}
              <span class="count">{group.filter(({ handledAt }) => handledAt === null).length}</span>
            </h2>
            <ul class="waiting-list">
              {group.map((entry) => (
                <Shown
                  key={entry.key}
                  entry={entry}
                  ending={labelOf(entry.key)}
                  approvals={approvals}
                  agents={agents.value ?? []}
                />
              ))}
            </ul>
          </section>
        )
      })}
      {hasMore.value && <p class="quiet">{text.inbox.more}</p>}
    </div>
  )
}

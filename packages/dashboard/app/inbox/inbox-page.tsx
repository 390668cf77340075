import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { can, client, workspaceId } from '../state/api.js'
import { useReload } from '../state/use-messages.js'
import type { Agent, Approval } from '../state/wire.js'
import { text } from '../text.js'
import { announce } from '../ui/announce.js'
import { Empty, Failed, Loading, useLoaded } from '../ui/states.js'
import { HeldEntry, SpentBudget } from './entries.js'
import {
  forget,
  hasMore,
  held,
  isInboxOpen,
  isKnown,
  reasons,
  reloadWaiting,
  spent,
  waiting,
  waitingFailure,
  waitingLabel,
  type Reason,
} from './waiting.js'

const PAGE_SIZE = 1_000

/** The pending approvals of the workspace, by the task. */
async function readApprovals(abort: AbortSignal): Promise<ReadonlyMap<string, readonly Approval[]>> {
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

/** What has the focus when the entry that had it is gone: the one that took its place. */
function useFocus() {
  const root = useRef<HTMLDivElement>(null)
  const last = useRef<{ readonly id: string; readonly index: number } | null>(null)
  const entries = (): readonly HTMLElement[] => [
    ...(root.current?.querySelectorAll<HTMLElement>('[data-entry]') ?? []),
  ]
  useLayoutEffect(() => {
    const { current } = last
    if (current === null) return
    const now = entries()
    if (now.some(({ dataset }) => dataset['entry'] === current.id)) return
    last.current = null
    if (document.activeElement !== document.body) return
    const next = now[Math.min(current.index, now.length - 1)]
    if (next === undefined) root.current?.focus()
    else next.focus()
  })
  const onFocusIn = (event: FocusEvent): void => {
    const entry = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-entry]') : null
    last.current =
      entry === null ? null : { id: entry.dataset['entry'] ?? '', index: entries().indexOf(entry) }
  }
  return { root, entries, onFocusIn }
}

const steps: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }

/** The keys of an entry that has the focus itself. What is typed into its inputs stays there. */
function onEntryKey(event: KeyboardEvent, entries: readonly HTMLElement[]): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  const { target, key, shiftKey } = event
  if (!(target instanceof HTMLElement) || target.dataset['entry'] === undefined) return
  const step = steps[key]
  const press = (selector: string): boolean => {
    const button = target.querySelector<HTMLElement>(selector)
    button?.click()
    return button !== null
  }
  if (step !== undefined) entries[entries.indexOf(target) + step]?.focus()
  else if (key === 'Enter') press('h3 a')
  else if (shiftKey && key === 'A') press('[data-decision=approved]')
  else if (shiftKey && key === 'R') press('[data-decision=rejected]')
  else return
  event.preventDefault()
}

function handled(taskId: string, title: string): void {
  forget(taskId)
  announce(text.inbox.handled(title, text.inbox.left(waitingLabel.value)))
}

/** Everything that waits for a person, oldest first. */
export function InboxPage() {
  const { root, entries, onFocusIn } = useFocus()
  useEffect(() => {
    isInboxOpen.value = true
    return () => {
      isInboxOpen.value = false
    }
  }, [])
  const approvals = useLoaded(readApprovals, [])
  const agents = useLoaded(readAgents, [])
  useReload(approvals.reload, ({ type }) => type === 'approval.requested' || type === 'approval.decided')
  const tasks = held.value
  const lacking = tasks.approval.filter(({ id }) => approvals.value?.has(id) !== true)
  const lackingIds = lacking.map(({ id }) => id).join()
  // A task may be known before its approval is.
  useEffect(() => {
    if (lackingIds !== '' && approvals.value !== null) approvals.reload()
  }, [lackingIds])
  const budgets = spent.value
  if (!isKnown.value) {
    const failure = waitingFailure.value
    return failure === null ? <Loading /> : <Failed failure={failure} onRetry={reloadWaiting} />
  }
  const countOf = (reason: Reason): number =>
    tasks[reason].length + (reason === 'budget' ? budgets.length : 0)
  return (
    <div
      class="page-inner inbox"
      ref={root}
      tabIndex={-1}
      onFocusIn={onFocusIn}
      onKeyDown={(event) => onEntryKey(event, entries())}
    >
      {approvals.failure !== null && <Failed failure={approvals.failure} onRetry={approvals.reload} />}
      {waiting.value === 0 && (
        <Empty title={text.inbox.empty}>
          <p>{text.inbox.emptyHint}</p>
        </Empty>
      )}
      {waiting.value > 0 && <p class="quiet small keys-hint">{text.inbox.keys}</p>}
      {reasons
        .filter((reason) => countOf(reason) > 0)
        .map((reason) => (
          <section key={reason} class={`waiting-group waiting-${reason}`} aria-labelledby={`group-${reason}`}>
            <h2 id={`group-${reason}`}>
              {text.inbox.groups[reason]} <span class="count">{countOf(reason)}</span>
            </h2>
            <ul class="waiting-list">
              {tasks[reason].map((task) => (
                <HeldEntry
                  key={task.id}
                  reason={reason}
                  task={task}
                  approvals={
                    approvals.value?.get(task.id) ??
                    (approvals.isLoading || approvals.failure !== null ? null : [])
                  }
                  onHandled={() => handled(task.id, task.title)}
                />
              ))}
              {reason === 'budget' &&
                budgets.map((budget) => (
                  <SpentBudget
                    key={budget.agent_id ?? budget.workspace_id}
                    budget={budget}
                    agentName={agents.value?.find(({ id }) => id === budget.agent_id)?.name ?? null}
                  />
                ))}
            </ul>
          </section>
        ))}
      {hasMore.value && <p class="quiet">{text.inbox.more}</p>}
    </div>
  )
}

import { useEffect, useState } from 'preact/hooks'
import { can, client, workspaceId } from '../state/api.js'
import { coalesce } from '../state/coalesce.js'
import { onMessage } from '../state/live.js'
import { go, route } from '../state/router.js'
import type { Agent } from '../state/wire.js'
import { agentsText as text } from '../texts/agents.js'
import { Icon } from '../ui/icon.js'
import { ShowPages, usePages } from '../ui/pages.js'
import { Empty, useLoaded } from '../ui/states.js'
import { AgentForm } from './agent-form.js'
import { AgentPanel } from './agent-panel.js'
import { AgentRow } from './agent-row.js'
import { hearStatus, liveStatus, readDoing, readFigures, type AgentFigures } from './agents-data.js'

const PAGE_SIZE = 50
// A busy board changes all the time, and callers have so many requests an hour.
const SETTLE_MS = 3_000
const FIGURES_MS = 6_000
const noFigures: AgentFigures = { doing: new Map(), costs: new Map(), budgets: new Map() }

function useAgents() {
  const pages = usePages<Agent>(async (cursor, signal) => {
    const answer = await client.agents.list(
      { workspace_id: workspaceId(), limit: PAGE_SIZE, cursor },
      { signal },
    )
    liveStatus.value = new Map()
    return { items: answer.agents, next: answer.next_cursor }
  }, [])
  const doing = useLoaded(readDoing, [])
  const figures = useLoaded(readFigures, [])
  useEffect(() => {
    const settle = coalesce(() => {
      pages.reload()
      doing.reload()
    }, SETTLE_MS)
    const settleFigures = coalesce(figures.reload, FIGURES_MS)
    const stop = onMessage((message) => {
      if (message.type === 'agent.status') hearStatus(message.agent_id, message.status)
      if (message.type === 'task.log' || message.type === 'task.progress') return
      settle()
      settleFigures()
    })
    return () => {
      stop()
      settle.cancel()
      settleFigures.cancel()
    }
  }, [])
  const reload = (): void => {
    pages.reload()
    doing.reload()
    figures.reload()
  }
  return { pages, figures: { ...noFigures, ...figures.value, doing: doing.value ?? noFigures.doing }, reload }
}

/** The agents of the workspace: what they do, cost and may spend. */
export function AgentsPage() {
  const { pages, figures, reload } = useAgents()
  const [isCreating, setCreating] = useState(false)
  const [openId] = route.value.rest
  const newAgent = can('agents:write') && (
    <button type="button" class="button button-primary" onClick={() => setCreating(true)}>
      <Icon name="plus" />
      {text.create}
    </button>
  )
  return (
    <div class="page-inner page-wide">
      <header class="section-head">
        <h2>{text.heading}</h2>
        {newAgent}
      </header>
      <ShowPages
        pages={pages}
        empty={
          <Empty title={text.empty.title}>
            <p>{text.empty.next}</p>
          </Empty>
        }
      >
        {(agents) => (
          <ul class="agents" aria-label={text.heading}>
            {agents.map((agent) => (
              <AgentRow key={agent.id} agent={agent} figures={figures} />
            ))}
          </ul>
        )}
      </ShowPages>
      {isCreating && (
        <AgentForm
          agent={null}
          onClose={() => setCreating(false)}
          onSaved={(agent) => {
            reload()
            go('agents', agent.id)
          }}
        />
      )}
      {openId !== undefined && (
        <AgentPanel
          key={openId}
          id={openId}
          known={pages.items?.find(({ id }) => id === openId) ?? null}
          figures={figures}
          onChanged={reload}
        />
      )}
    </div>
  )
}

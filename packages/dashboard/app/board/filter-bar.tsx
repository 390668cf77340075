import { useEffect, useState } from 'preact/hooks'
import { client, can, workspaceId } from '../state/api.js'
import { priorities, type Agent, type Priority } from '../state/wire.js'
import { text } from '../text.js'
import { Icon } from '../ui/icon.js'
import { filterBy, filters } from './filters.js'

const TYPING_MS = 300

/** The search and the filters of the board. */
export function FilterBar() {
  const [typed, setTyped] = useState(filters.value.q ?? '')
  const [agents, setAgents] = useState<readonly Agent[]>([])
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    if (typed === (filters.peek().q ?? '')) return undefined
    const timer = setTimeout(() => filterBy('q', typed.trim()), TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed])
  useEffect(() => {
    if (!isOpen || !can('agents:read')) return
    client.agents.list({ workspace_id: workspaceId(), limit: 100 }).then(
      (page) => setAgents(page.agents),
      () => undefined,
    )
  }, [isOpen])
  const { priority, type, tag, agent_id: agentId } = filters.value
  const active = [priority, type, tag, agentId].filter((value) => value !== undefined).length
  return (
    <div class="filters" role="search">
      <label class="search">
        <span class="visually-hidden">{text.board.search}</span>
        <Icon name="search" />
        <input
          id="board-search"
          type="search"
          placeholder={text.board.searchHint}
          maxLength={200}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </label>
      <button
        type="button"
        class="button"
        aria-expanded={isOpen}
        aria-label={text.board.filter}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="filter" />
        <span class="button-text">{text.board.filter}</span>
        {active > 0 && <span class="badge">{active}</span>}
      </button>
      {isOpen && (
        <div class="filter-fields">
          <label>
            {text.board.priority}
            <select
              value={priority ?? ''}
              onChange={(event) => filterBy('priority', event.currentTarget.value as Priority | '')}
            >
              <option value="">{text.board.any}</option>
              {priorities.map((one) => (
                <option key={one} value={one}>
                  {text.priorities[one]}
                </option>
              ))}
            </select>
          </label>
          {can('agents:read') && (
            <label>
              {text.board.agent}
              <select
                value={agentId ?? ''}
                onChange={(event) => filterBy('agent_id', event.currentTarget.value)}
              >
                <option value="">{text.board.any}</option>
                {agents.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </select>
            </label>
          )}
          <label>
            {text.board.type}
            <input
              value={type ?? ''}
              maxLength={64}
              onChange={(event) => filterBy('type', event.currentTarget.value.trim())}
            />
          </label>
          <label>
            {text.board.tag}
            <input
              value={tag ?? ''}
              maxLength={100}
              onChange={(event) => filterBy('tag', event.currentTarget.value.trim())}
            />
          </label>
          <button
            type="button"
            class="button"
            onClick={() => {
              setTyped('')
              filters.value = {}
            }}
          >
            {text.board.clear}
          </button>
        </div>
      )}
    </div>
  )
}

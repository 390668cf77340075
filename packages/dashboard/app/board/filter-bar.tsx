import { useEffect, useState } from 'preact/hooks'
import { can } from '../state/api.js'
import { priorities, type Priority } from '../state/wire.js'
import { text } from '../texts/index.js'
import { Icon } from '../ui/icon.js'
import { filterBy, filters } from './filters.js'
import { useWorkspaceAgents } from './workspace-agents.js'

const TYPING_MS = 300

/** A search that begins when the typing pauses. */
function Search() {
  const current = filters.value.q ?? ''
  const [typed, setTyped] = useState(current)
  useEffect(() => setTyped(current), [current])
  useEffect(() => {
    if (typed.trim() === (filters.peek().q ?? '')) return undefined
    const timer = setTimeout(() => filterBy('q', typed.trim()), TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return (
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
  )
}

function Choice({
  label,
  value,
  options,
  onValue,
}: {
  readonly label: string
  readonly value: string | undefined
  readonly options: readonly (readonly [string, string])[]
  readonly onValue: (value: string) => void
}) {
  return (
    <label>
      {label}
      <select value={value ?? ''} onChange={(event) => onValue(event.currentTarget.value)}>
        <option value="">{text.board.any}</option>
        {options.map(([one, shown]) => (
          <option key={one} value={one}>
            {shown}
          </option>
        ))}
      </select>
    </label>
  )
}

function TextFilter({ name, label }: { readonly name: 'type' | 'tag'; readonly label: string }) {
  return (
    <label>
      {label}
      <input
        value={filters.value[name] ?? ''}
        maxLength={100}
        onChange={(event) => filterBy(name, event.currentTarget.value.trim())}
      />
    </label>
  )
}

function FilterFields() {
  const agents = useWorkspaceAgents(true)
  const { priority, agent_id: agentId } = filters.value
  return (
    <div class="filter-fields">
      <Choice
        label={text.board.priority}
        value={priority}
        options={priorities.map((one) => [one, text.priorities[one]] as const)}
        onValue={(value) => filterBy('priority', value as Priority | '')}
      />
      {can('agents:read') && (
        <Choice
          label={text.board.agent}
          value={agentId}
          options={agents.map(({ id, name }) => [id, name] as const)}
          onValue={(value) => filterBy('agent_id', value)}
        />
      )}
      <TextFilter name="type" label={text.board.type} />
      <TextFilter name="tag" label={text.board.tag} />
      <button type="button" class="button" onClick={() => (filters.value = {})}>
        {text.board.clear}
      </button>
    </div>
  )
}

/** The search and the filters of the board. */
export function FilterBar() {
  const [isOpen, setOpen] = useState(false)
  const { q: _, ...others } = filters.value
  const active = Object.keys(others).length
  return (
    <div class="filters" role="search">
      <Search />
      <button type="button" class="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name="filter" />
        <span class="button-text">{text.board.filter}</span>
        {active > 0 && <span class="badge">{active}</span>}
      </button>
      {isOpen && <FilterFields />}
    </div>
  )
}

import type { TaskDetail } from '../state/wire.js'
import { formatCost, formatCount } from '../texts/format.js'
import { text } from '../texts/index.js'
import { Meter } from '../ui/meter.js'

interface ShareProps {
  readonly label: string
  readonly used: number
  readonly all: number | null
  readonly format: (value: number) => string
}

/** What was used, and how much of the budget that is. */
function Share({ label, used, all, format }: ShareProps) {
  const words = all === null ? format(used) : text.task.usage.of(format(used), format(all))
  return (
    <div class="prop">
      <span class="prop-label">{label}</span>
      <span class="prop-value">
        {words}
        {all !== null && <Meter used={used} limit={all} label={`${label}: ${words}`} />}
      </span>
    </div>
  )
}

/** What agents reported on a task, next to its budget. */
export function Usage({ task: { usage, budget } }: { readonly task: TaskDetail }) {
  const tokens = usage.input_tokens + usage.output_tokens
  if (tokens === 0 && usage.cost_usd === 0 && budget === null) return null
  const { usage: words } = text.task
  return (
    <section class="task-part">
      <h3>{words.title}</h3>
      <Share label={text.task.tokens} used={tokens} all={budget?.tokens ?? null} format={formatCount} />
      <Share label={words.cost} used={usage.cost_usd} all={budget?.cost_usd ?? null} format={formatCost} />
      {tokens > 0 && (
        <ul class="quiet small">
          <li>
            {words.input}: {formatCount(usage.input_tokens)}
            {usage.cached_input_tokens > 0 && ` (${formatCount(usage.cached_input_tokens)} ${words.cached})`}
          </li>
          <li>
            {words.output}: {formatCount(usage.output_tokens)}
          </li>
        </ul>
      )}
    </section>
  )
}

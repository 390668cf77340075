import { announce } from '../state/notices.js'
import type { Budget } from '../state/wire.js'
import { agentsText as text } from '../texts/agents.js'
import { text as common } from '../texts/index.js'
import { FormError, TextInput, useForm } from '../ui/form.js'

/** Changes a monthly budget. */
export function BudgetForm({
  budget,
  save,
  onSaved,
}: {
  readonly budget: Budget | null
  readonly save: (budget: Budget | null) => Promise<unknown>
  readonly onSaved: () => void
}) {
  const form = useForm({
    cost: budget?.cost_usd?.toString() ?? '',
    tokens: budget?.tokens?.toString() ?? '',
  })
  const onSubmit = async (event: Event): Promise<void> => {
    event.preventDefault()
    const { cost, tokens } = form.draft
    const limits = {
      tokens: tokens === '' ? null : Number(tokens),
      cost_usd: cost === '' ? null : Number(cost),
    }
    const next = limits.tokens === null && limits.cost_usd === null ? null : limits
    if (!(await form.submit(() => save(next)))) return
    announce(text.budgetForm.saved)
    onSaved()
  }
  return (
    <form onSubmit={(event) => void onSubmit(event)}>
      <p class="hint">{text.budgetForm.hint}</p>
      <div class="columns-2">
        <TextInput
          label={text.budgetForm.cost}
          type="number"
          min={0}
          step="any"
          {...form.field('cost', 'budget.cost_usd')}
        />
        <TextInput
          label={text.budgetForm.tokens}
          type="number"
          min={0}
          {...form.field('tokens', 'budget.tokens')}
        />
      </div>
      <FormError failure={form.failure} fields={form.fields} />
      <div>
        <button class="button button-primary" disabled={form.isBusy}>
          {common.actions.save}
        </button>
      </div>
    </form>
  )
}

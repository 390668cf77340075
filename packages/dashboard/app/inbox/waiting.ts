import { effect, signal } from '@preact/signals'
import { text } from '../text.js'

/** How many things wait for a person: questions, approvals, failures and spent budgets of the workspace that is shown. */
export const waiting = signal(0)

effect(() => {
  document.title = waiting.value > 0 ? `(${waiting.value}) ${text.product}` : text.product
})

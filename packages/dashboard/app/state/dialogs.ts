import { signal } from '@preact/signals'

/** Whether the list of the keys is open. */
export const isHelpOpen = signal(false)
/** Whether the form for a new task is open. */
export const isCreateOpen = signal(false)

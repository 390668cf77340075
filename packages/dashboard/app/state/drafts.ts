/** Typed text that is not sent yet, by the form: a closed form keeps it. It lasts as long as the page. */
const kept = new Map<string, unknown>()

/** Null without one. It is what `keepDraft` was given for the form. */
export const keptDraft = (form: string): unknown => kept.get(form) ?? null

/** Null forgets it. */
export function keepDraft(form: string, draft: unknown): void {
  if (draft === null) kept.delete(form)
  else kept.set(form, draft)
}

/** So that the user who logs in next doesn't see them. */
export const forgetDrafts = (): void => kept.clear()

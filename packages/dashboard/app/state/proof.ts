import { signal } from '@preact/signals'

/** The answer that a person owes, who is asked to show again who they are; null when no one is asked. */
export const owedProof = signal<((isProven: boolean) => void) | null>(null)
let asking: Promise<boolean> | null = null

/** Asks a person to show again who they are. Resolves to whether they did; requests at the same time share the question. */
export function askForProof(): Promise<boolean> {
  asking ??= new Promise<boolean>((resolve) => {
    owedProof.value = resolve
  }).finally(() => {
    owedProof.value = null
    asking = null
  })
  return asking
}

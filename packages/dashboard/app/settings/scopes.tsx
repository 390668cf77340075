import { account } from '../state/api.js'
import type { Scope } from '../state/wire.js'
import { sectionsText as text } from '../texts/sections.js'
import { CheckList } from '../ui/checks.js'

/** What the caller may do, and so may allow others. */
export const ownScopes = (): readonly Scope[] => account.value?.caller.scopes ?? []

/** What a key or a person may do. */
export function Scopes({ of: scopes }: { readonly of: readonly Scope[] }) {
  return (
    <details>
      <summary>{text.members.scopes(scopes.length)}</summary>
      <p class="chips">
        {scopes.map((scope) => (
          <span key={scope} class="chip">
            {text.scopes[scope]}
          </span>
        ))}
      </p>
    </details>
  )
}

/** A choice among what the caller may do. */
export function ScopePicker(props: {
  readonly label: string
  readonly value: readonly Scope[]
  readonly error: string | null
  readonly onValue: (value: readonly Scope[]) => void
}) {
  return <CheckList {...props} options={ownScopes().map((scope) => [scope, text.scopes[scope]] as const)} />
}

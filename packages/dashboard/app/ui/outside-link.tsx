import type { ComponentChildren } from 'preact'
import { safeHref } from './safe-href.js'

interface OutsideLinkProps {
  /** As it was written: what isn't an address of the web is shown without a link. */
  readonly address: string
  readonly children: ComponentChildren
  readonly isMailAllowed?: boolean
}

/** A link that an agent or a user wrote. */
export function OutsideLink({ address, children, isMailAllowed = false }: OutsideLinkProps) {
  const href = safeHref(address, isMailAllowed)
  if (href === null) return <span>{children}</span>
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  )
}

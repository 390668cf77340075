import type { Pressed } from '@taskboard/core/transport'

/** What somebody who pressed a button reads. */
export function pressText(pressed: Exclude<Pressed, { readonly kind: 'replaced' }>): string {
  switch (pressed.kind) {
    case 'decided':
      return pressed.decision === 'approved' ? 'You approved it.' : 'You rejected it.'
    case 'undone':
      return 'The task is taken back.'
    case 'linked':
      return `Linked to ${pressed.user}. What you write here, that user writes.`
    case 'declined':
      return 'Nothing was linked, and the code is used up.'
  }
}

export const REPEATED = 'That was done already.'
export const REPLACED = 'This message was replaced by a newer one.'

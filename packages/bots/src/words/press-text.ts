import type { Pressed } from '@taskboard/core/transport'

/** The text that a person who pressed a button reads. */
export function pressText(pressed: Exclude<Pressed, { readonly kind: 'replaced' }>): string {
  switch (pressed.kind) {
    case 'decided':
      return pressed.decision === 'approved' ? 'You approved it.' : 'You rejected it.'
    case 'undone':
      return 'The task is taken back.'
    case 'linked':
      return `Linked to ${pressed.user}. You now write here as that user.`
    case 'declined':
      return 'Your account was not linked, and the code is used up.'
  }
}

export const REPEATED = 'That was done already.'
export const REPLACED = 'This message was replaced by a newer one.'

import { describeEvent, type EventDraft } from '@taskboard/core/storage'

/** An event of the board in one line of a terminal. Titles are other people's text, so control characters go. */
export function eventLine(event: EventDraft & { readonly at: number }): string {
  const time = new Date(event.at).toISOString()
  return `${time} ${event.type.padEnd(14)} ${describeEvent(event)}`.replaceAll(/\p{C}/gu, '')
}

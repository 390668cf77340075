import type { Card } from '@taskboard/core/transport'
import { isolated, shortened, type BotMessage, type Button, type RichText, type Span } from './rich-text.js'
import { shownTime } from './shown-time.js'

const HEADINGS: { readonly [State in Card['state']]: string } = {
  waiting: '🕓 To do',
  working: '⚙️ In progress',
  asks: '❓ Needs your answer',
  approval: '🔏 Needs your approval',
  held: '⏸️ On hold',
  cancelled: '🚫 Cancelled',
  failed: '❌ Failed',
  done: '✅ Done',
  deleted: '🗑️ Deleted',
  moved: '↪️ No longer updated here',
}

/** A card as a message, whose texts have at most `budget` characters each. `newerAddress`: where the newer card is, if that has an address. */
export function cardMessage(
  card: Card,
  { budget, newerAddress }: { readonly budget: number; readonly newerAddress: string | null },
): BotMessage {
  const { state } = card
  const heading: Span[] = [{ bold: HEADINGS[state] }]
  if (state === 'working' && card.progress > 0) heading.push(` ${card.progress}%`)
  if (state === 'deleted') return { text: [heading], buttons: [] }
  const title: Span[] = [{ bold: isolated(shortened(card.title, budget)) }, ` ${card.handle}`]
  if (state === 'moved') return { text: [heading, title, movedLine(card, newerAddress)], buttons: [] }
  return {
    text: [
      heading,
      title,
      detailsLine(card),
      ...textLines(card, budget),
      ...approvalLines(card, budget),
      ...(card.url === null ? [] : [[{ link: card.url, text: 'Open the task' }]]),
    ].filter((line) => line.length > 0),
    buttons: buttonsOf(card),
  }
}

function movedLine({ newer, url }: Card, newerAddress: string | null): readonly Span[] {
  if (newerAddress !== null) return [{ link: newerAddress, text: 'The newer card' }]
  if (newer !== null) return ['There is a newer card of this task in this conversation.']
  return url === null ? [] : [{ link: url, text: 'Open the task' }]
}

/** What was understood of a task. */
function detailsLine({ priority, dueDate, timeZone, tags, type, agent, state }: Card): readonly Span[] {
  const details = [
    priority === 'medium' ? null : priority,
    dueDate === null ? null : `due ${shownTime(dueDate, timeZone)}`,
    agent === null ? null : `${state === 'waiting' ? 'for' : 'by'} ${isolated(shortened(agent, 60))}`,
    type === null ? null : `type ${isolated(type)}`,
    ...tags.slice(0, 10).map((tag) => `#${isolated(shortened(tag, 40))}`),
  ].filter((detail) => detail !== null)
  return details.length === 0 ? [] : [details.join(' · ')]
}

function textLines({ text, state }: Card, budget: number): RichText {
  if (text === null) return []
  const shown = isolated(shortened(text, budget))
  const rest = text.length > budget ? [[`${text.length} characters in all.`]] : []
  const hint = state === 'asks' ? [['Reply to this message to answer.']] : []
  return [[shown], ...rest, ...hint]
}

function approvalLines({ approval, state }: Card, budget: number): RichText {
  if (approval === null) return []
  const { action, summary, inputText, digest, status, decidedBy, comment } = approval
  if (state !== 'approval') return [[decisionText(approval.action, status, decidedBy)]]
  const length =
    inputText.length > budget ? `, ${inputText.length} characters, of which these are the first` : ''
  return [
    [isolated(shortened(summary, budget))],
    ['Action: ', { bold: isolated(shortened(action, 100)) }],
    [`Input (digest ${digest}${length}):`],
    [{ block: shortened(inputText, budget) }],
    ...(decidedBy === null ? [] : [[decisionText(action, status, decidedBy)]]),
    ...(comment === null ? [] : [[isolated(shortened(comment, budget))]]),
  ]
}

function decisionText(action: string, status: string, decidedBy: string | null): string {
  const what = `${isolated(shortened(action, 100))} was ${status === 'rejected' ? 'rejected' : 'approved'}`
  return decidedBy === null ? what : `${what} by ${isolated(shortened(decidedBy, 100))}`
}

function buttonsOf({ buttons }: Card): readonly Button[] {
  if (buttons === null) return []
  if ('undo' in buttons) return [{ label: 'Undo', token: buttons.undo, kind: 'plain' }]
  return [
    { label: 'Approve', token: buttons.approve, kind: 'good' },
    { label: 'Reject', token: buttons.reject, kind: 'bad' },
  ]
}

const FIRST_BUDGET = 1_500

/** Renders with smaller texts until the result fits. */
export function fitting<T>(render: (budget: number) => T, fits: (rendered: T) => boolean): T {
  for (let budget = FIRST_BUDGET; ; budget = Math.floor(budget / 2)) {
    const rendered = render(budget)
    if (fits(rendered) || budget < 20) return rendered
  }
}

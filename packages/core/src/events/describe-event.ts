import type { EventDraft, EventFacts } from './catalogue.js'

const LONGEST_TEXT = 300

/** An event in one line of English for people, at most 300 characters. */
export function describeEvent(event: EventDraft): string {
  const line = lineOf(event).replace(/\s+/gu, ' ').trim()
  const characters = Array.from(line)
  return characters.length <= LONGEST_TEXT ? line : `${characters.slice(0, LONGEST_TEXT - 1).join('')}…`
}

function lineOf(event: EventDraft): string {
  switch (event.type) {
    case 'task.created':
      return `New task: ${event.facts.title}`
    case 'task.started':
      return `Started: ${event.facts.title}`
    case 'task.completed':
      return `Completed: ${event.facts.title}`
    case 'task.failed':
      return `${failureLabels[event.facts.reason]}: ${event.facts.title}${withMessage(event.facts.message)}`
    case 'task.moved':
      return `Moved from ${event.facts.from} to ${event.facts.to}: ${event.facts.title}`
    case 'task.progress':
      return `Task ${event.facts.taskId} is at ${event.facts.progress} %`
    case 'agent.status':
      return `Agent ${event.facts.agentId} is ${event.facts.status}`
    case 'agent.alert':
      return `Alert: ${event.facts.message}`
    case 'email.received':
      return 'An email was received'
    case 'order.new':
      return 'An order was received'
  }
}

const failureLabels: Record<EventFacts['task.failed']['reason'], string> = {
  failed: 'Failed',
  needs_input: 'Needs input',
  approval: 'Waits for approval',
}

function withMessage(message: string | null): string {
  return message === null ? '' : ` (${message})`
}

import type { Client } from '@modelcontextprotocol/client'

type Json = Readonly<Record<string, unknown>>

/** What a model is shown of a result. */
export type Shown = Json & { readonly next?: string }

/**
 * A client as some are that show a model the structured content of a result and none of its texts. A refusal has no structured content, so its
 * text is shown.
 */
export function structuredOnly(client: Client) {
  return async (name: string, args: Json = {}): Promise<Shown> => {
    const { content, structuredContent, isError } = await client.callTool({ name, arguments: args })
    return (isError === true ? { refusal: content } : structuredContent) as Shown
  }
}

/** What a model has learned in one session, from results alone. */
interface Memory {
  agent?: string
  claim?: Json
  approval?: Json
}

export interface Session {
  /** The tools that were called, in their order. */
  readonly called: readonly string[]
  readonly last: Shown
}

const MOST_CALLS = 12

/**
 * One session of a model that begins without any memory. After each call, it does what `next` says: it calls the tool that is named first
 * there. Its arguments come from what it was shown. It stops when a result says so, when nothing is left to do, or when its run has ended.
 * Where `next` leaves it to go on, it does what the task needs (`metadata.ask`, then `metadata.ask_approval`), which a task says to every
 * agent, and then completes the task.
 * @param invent What only this session knows: the model adds it to the input of an approval that it thinks of itself.
 */
export async function playSession(client: Client, invent: Json): Promise<Session> {
  const tools = (await client.listTools()).tools.map(({ name }) => name)
  const show = structuredOnly(client)
  const called: string[] = []
  const memory: Memory = {}
  let last: Shown = {}
  let wanted: string | null = 'list_agents'
  while (wanted !== null && called.length < MOST_CALLS) {
    called.push(wanted)
    last = await show(wanted, argumentsOf(wanted, memory, invent))
    learn(memory, last)
    wanted = toDo(tools, memory, last)
  }
  return { called, last }
}

/** The tool to call after a result; null when the session is over. */
function toDo(tools: readonly string[], memory: Memory, shown: Shown): string | null {
  const { next = '' } = shown
  if (/\b(stop|over)\b/.test(next)) return null
  const [first = null] = mentioned(tools, next)
  if (first !== 'report_progress' || 'run' in shown) return first
  // It may go on. What is not asked yet, it asks.
  const { claim } = memory
  const task = claim?.['task'] as Json
  const { ask, ask_approval: permission } = task['metadata'] as Json
  if (ask !== undefined && claim?.['question'] === null) return 'ask_person'
  const approvals = claim?.['approvals'] as readonly Json[]
  return permission !== undefined && approvals.length === 0 ? 'request_approval' : 'complete_task'
}

/** The names of tools in a text, in the order of the text. */
function mentioned(tools: readonly string[], text: string): readonly string[] {
  return (text.match(/[a-z_]+/g) ?? []).filter((word) => tools.includes(word))
}

function learn(memory: Memory, shown: Shown): void {
  const agents = (shown['agents'] ?? []) as readonly Json[]
  // As list_agents says.
  const agent = agents.find(({ is_remote: isRemote }) => isRemote === true)
  if (agent !== undefined) memory.agent = String(agent['name'])
  if (typeof shown['run'] === 'string') {
    memory.claim = shown
    const open = (shown['approvals'] as readonly Json[]).find(({ status }) => status === 'approved')
    if (open !== undefined) memory.approval = open
  }
  if ('input' in shown) memory.approval = shown
}

function argumentsOf(name: string, { agent, claim, approval }: Memory, invent: Json): Json {
  const run = claim?.['run']
  const { ask, ask_approval: action } = ((claim?.['task'] as Json | undefined)?.['metadata'] ?? {}) as Json
  const all: Readonly<Record<string, Json>> = {
    claim_task: { agent },
    report_progress: { run, progress: 10 },
    ask_person: { run, question: ask },
    get_approval: { approval_id: approval?.['id'] },
    request_approval: {
      run,
      summary: 'As the task says',
      action: approval?.['action'] ?? action,
      input: approval === undefined ? { answer: claim?.['answer'], ...invent } : approval['input'],
    },
    complete_task: { run, result: `answer: ${String(claim?.['answer'])}` },
  }
  return all[name] ?? {}
}

import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { can, client, workspaceId } from '../state/api.js'
import { keepDraft, keptDraft } from '../state/drafts.js'
import { keptInTab } from '../state/kept.js'
import { newKey } from '../state/new-key.js'
import { explain, type Failure } from '../state/failure.js'
import { text } from '../texts/index.js'
import { Empty } from '../ui/states.js'
import { Markdown } from '../ui/markdown.js'
import { Time } from '../ui/time.js'

interface Said {
  readonly id: string
  readonly by: 'you' | 'agent'
  readonly body: string
  readonly at: string
}

/** The server exits a call of an agent that doesn't reply, by default after half a minute. */
const PATIENCE_MS = 300_000
const patience = { attemptTimeoutMs: PATIENCE_MS, deadlineMs: PATIENCE_MS }

/** How many messages a tab keeps. */
const MOST_KEPT = 200
const keyOf = (workspace: string): string => `taskboard.chat.${workspace}`

/** The conversation of this tab with the agent of a workspace. */
function restore(workspace: string): readonly Said[] {
  try {
    return JSON.parse(keptInTab.get(keyOf(workspace)) ?? '[]') as readonly Said[]
  } catch {
    return []
  }
}

function keep(workspace: string, said: readonly Said[]): void {
  keptInTab.set(keyOf(workspace), JSON.stringify(said.slice(-MOST_KEPT)))
}

/** The messages that wait for an answer, by the workspace: leaving the page doesn't end that. */
const pending = signal<ReadonlyMap<string, string>>(new Map())
const conversations = signal<ReadonlyMap<string, readonly Said[]>>(new Map())
const formOf = (workspace: string): string => `chat ${workspace}`

function conversation(workspace: string): readonly Said[] {
  return conversations.value.get(workspace) ?? restore(workspace)
}

function write(workspace: string, said: readonly Said[]): void {
  conversations.value = new Map([...conversations.peek(), [workspace, said]])
  keep(workspace, said)
}

const toSaid = (by: Said['by'], body: string, at: string): Said => ({ id: newKey(), by, body, at })

/** Asks the agent. @throws what the client throws; the message isn't part of the conversation then. */
async function ask(workspace: string, message: string): Promise<void> {
  pending.value = new Map([...pending.peek(), [workspace, message]])
  const at = new Date().toISOString()
  try {
    const answer = await client.chat.send({ message, workspace_id: workspace }, { retry: patience })
    write(workspace, [
      ...conversation(workspace),
      toSaid('you', message, at),
      toSaid('agent', answer.reply, answer.timestamp),
    ])
  } finally {
    const others = [...pending.peek()].filter(([id]) => id !== workspace)
    pending.value = new Map(others)
  }
}

function Message({ said }: { readonly said: Said }) {
  return (
    <div class={`said said-${said.by}`}>
      <p class="said-head">
        <strong>{text.chat[said.by]}</strong> <Time at={said.at} />
      </p>
      {said.by === 'you' ? <p class="written">{said.body}</p> : <Markdown source={said.body} />}
    </div>
  )
}

function Refusal({ failure }: { readonly failure: Failure }) {
  const isAbsent = failure.status === 503
  return (
    <div class="form-error" role="alert">
      <p>{isAbsent ? text.chat.noAgent : failure.message}</p>
      {isAbsent && <p>{text.chat.noAgentHow}</p>}
      {failure.requestId !== null && <small>{text.errors.request(failure.requestId)}</small>}
    </div>
  )
}

interface LogProps {
  readonly said: readonly Said[]
  /** What waits for an answer. */
  readonly asked: string | undefined
}

/** What was said, from its end. */
function Log({ said, asked }: LogProps) {
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (ref.current !== null) ref.current.scrollTop = ref.current.scrollHeight
  }, [said.length, asked])
  return (
    <div ref={ref} class="chat-log" role="log" aria-live="polite" aria-label={text.chat.log} tabIndex={0}>
      {said.length === 0 && asked === undefined && <Empty title={text.chat.empty} />}
      {said.map((one) => (
        <Message key={one.id} said={one} />
      ))}
      {asked !== undefined && (
        <>
          <div class="said said-you">
            <p class="written">{asked}</p>
          </div>
          <p class="quiet">{text.chat.sending}</p>
        </>
      )}
    </div>
  )
}

interface LineProps {
  readonly value: string
  readonly isBusy: boolean
  readonly onValue: (value: string) => void
  readonly onSend: () => void
}

/** Where a message is written. */
function Line({ value, isBusy, onValue, onSend }: LineProps) {
  return (
    <>
      <label for="chat-message" class="visually-hidden">
        {text.chat.label}
      </label>
      <div class="chat-line">
        <textarea
          id="chat-message"
          rows={2}
          maxLength={20_000}
          placeholder={text.chat.placeholder}
          aria-describedby="chat-hint"
          autofocus
          value={value}
          onInput={(event) => onValue(event.currentTarget.value)}
          onKeyDown={(event) => {
            // Enter also ends the input of a composed character.
            if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
            event.preventDefault()
            onSend()
          }}
        />
        <button class="button button-primary" aria-disabled={value.trim() === '' || isBusy}>
          {text.chat.send}
        </button>
      </div>
      <small id="chat-hint" class="hint">
        {text.chat.hint}
      </small>
    </>
  )
}

/** The conversation with the agent of the workspace. */
export function ChatPage() {
  const workspace = workspaceId()
  const [typed, setTyped] = useState((keptDraft(formOf(workspace)) as string | null) ?? '')
  const [failure, setFailure] = useState<Failure | null>(null)
  const said = conversation(workspace)
  const asked = pending.value.get(workspace)
  if (!can('chat:write')) return <Empty title={text.chat.notAllowed} />
  const type = (value: string): void => {
    setTyped(value)
    keepDraft(formOf(workspace), value === '' ? null : value)
  }
  const send = async (): Promise<void> => {
    const message = typed.trim()
    if (message === '' || asked !== undefined) return
    setFailure(null)
    type('')
    try {
      await ask(workspace, message)
    } catch (error) {
      setFailure(explain(error))
      // It is not lost, unless something else was typed meanwhile.
      if (keptDraft(formOf(workspace)) === null) type(message)
    }
  }
  return (
    <section class="chat" aria-label={text.chat.title}>
      <div class="chat-head">
        <p class="quiet small">{text.chat.about}</p>
        {said.length > 0 && (
          <button type="button" class="button button-small" onClick={() => write(workspace, [])}>
            {text.chat.clear}
          </button>
        )}
      </div>
      <Log said={said} asked={asked} />
      <form
        class="chat-form"
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
      >
        {failure !== null && <Refusal failure={failure} />}
        <Line value={typed} isBusy={asked !== undefined} onValue={type} onSend={() => void send()} />
      </form>
    </section>
  )
}

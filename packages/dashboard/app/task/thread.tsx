import { useRef, useState } from 'preact/hooks'
import { can, client } from '../state/api.js'
import { keepDraft, keptDraft } from '../state/drafts.js'
import { newKey } from '../state/new-key.js'
import { taskIdOf } from '../state/live.js'
import { nameOf } from '../state/people.js'
import { useReload } from '../state/use-messages.js'
import type { Comment, TaskDetail } from '../state/wire.js'
import { text } from '../texts/index.js'
import { announce } from '../state/notices.js'
import { FormError, TextArea, useSubmit } from '../ui/form.js'
import { Markdown } from '../ui/markdown.js'
import { Show, useLoaded } from '../ui/states.js'
import { Time } from '../ui/time.js'

const PAGE_SIZE = 1_000
/** How many comments are shown at first, from the end. */
const SHOWN = 30
/** As many are added at a time. */
const MORE = 200

/** The read part of the comments: new ones are added at the end, so that only the last page is read again. */
interface Read {
  /** Those before the last page. */
  readonly earlier: readonly Comment[]
  /** Where the last page begins. */
  readonly cursor: string | undefined
}

const nothingRead: Read = { earlier: [], cursor: undefined }

/** All comments of a task, oldest first. Returns what the next call need not read again. */
async function readComments(
  id: string,
  { earlier, cursor }: Read,
  signal: AbortSignal,
): Promise<{ readonly comments: readonly Comment[]; readonly read: Read }> {
  const query = { limit: PAGE_SIZE, ...(cursor === undefined ? {} : { cursor }) }
  const { comments, next_cursor: next } = await client.tasks.comments(id, query, { signal })
  const all = [...earlier, ...comments]
  if (next === null) return { comments: all, read: { earlier, cursor } }
  return readComments(id, { earlier: all, cursor: next }, signal)
}

function Entry({ comment: { author, kind, body, created_at: at } }: { readonly comment: Comment }) {
  return (
    <li class={`entry entry-${kind}`}>
      <p class="entry-head">
        <strong class="clip">{nameOf(author)}</strong>
        {kind !== 'comment' && (
          <span class={`chip ${kind === 'question' ? 'chip-warn' : 'chip-good'}`}>
            {text.task.thread.kinds[kind]}
          </span>
        )}
        <span class="quiet">
          <Time at={at} />
        </span>
      </p>
      <Markdown source={body} />
    </li>
  )
}

interface WriteBoxProps {
  readonly id: string
  readonly isAnswer: boolean
  /** The inbox only answers. */
  readonly isAnswerOnly?: boolean
  readonly onSent?: () => void
}

/** Writes a comment or, when the task waits for one, an answer. */
export function WriteBox({ id, isAnswer, isAnswerOnly = false, onSent }: WriteBoxProps) {
  const form = `comment ${id}`
  const [body, setBody] = useState((keptDraft(form) as string | null) ?? '')
  // A repeat of the same text, after an answer that was lost, adds no second comment.
  const key = useRef(newKey())
  const { failure, isBusy, submit, errorOf } = useSubmit()
  const type = (value: string): void => {
    setBody(value)
    keepDraft(form, value === '' ? null : value)
    key.current = newKey()
  }
  const send = async (as: 'answer' | 'comment'): Promise<void> => {
    if (body.trim() === '') return
    const options = { idempotencyKey: `${as}-${key.current}` }
    if (!(await submit(() => client.tasks[as](id, { body }, options)))) return
    announce(as === 'answer' ? text.task.thread.answered : text.task.thread.sent)
    type('')
    onSent?.()
  }
  const first = isAnswer ? 'answer' : 'comment'
  const { thread } = text.task
  return (
    <form
      class="write-box"
      onSubmit={(event) => {
        event.preventDefault()
        void send(first)
      }}
    >
      <TextArea
        label={isAnswer ? thread.answerLabel : thread.commentLabel}
        rows={3}
        maxLength={20_000}
        value={body}
        onValue={type}
        error={errorOf('body')}
        onKeyDown={(event: KeyboardEvent) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
          event.preventDefault()
          void send(first)
        }}
      />
      <FormError failure={failure} fields={['body']} />
      <div class="edit-actions">
        <small class="hint">{thread.hint}</small>
        <span class="spacer" />
        {isAnswer && !isAnswerOnly && (
          <button
            type="button"
            class="button button-small"
            aria-disabled={isBusy || body.trim() === ''}
            onClick={() => void send('comment')}
          >
            {thread.commentOnly}
          </button>
        )}
        <button class="button button-small button-primary" aria-disabled={isBusy || body.trim() === ''}>
          {thread[first]}
        </button>
      </div>
    </form>
  )
}

/** What people and agents said to each other. */
export function Thread({ task }: { readonly task: TaskDetail }) {
  const { id, hold } = task
  const known = useRef(nothingRead)
  const loaded = useLoaded(
    async (signal) => {
      const { comments, read } = await readComments(id, known.current, signal)
      known.current = read
      return comments
    },
    [id],
  )
  const [most, setMost] = useState(SHOWN)
  useReload(loaded.reload, (message) => message.type === 'task.commented' && taskIdOf(message) === id)
  return (
    <section class="task-part">
      <h3>{text.task.thread.title}</h3>
      <Show loaded={loaded}>
        {(comments) => {
          const shown = comments.slice(-most)
          return (
            <>
              {comments.length === 0 && <p class="quiet">{text.task.thread.empty}</p>}
              {shown.length < comments.length && (
                <button type="button" class="button button-small" onClick={() => setMost(most + MORE)}>
                  {text.task.thread.earlier(Math.min(MORE, comments.length - shown.length))}
                </button>
              )}
              <ol class="thread">
                {shown.map((comment) => (
                  <Entry key={comment.id} comment={comment} />
                ))}
              </ol>
            </>
          )
        }}
      </Show>
      {/* An answer is written beside its question, at the top of the panel. */}
      {can('tasks:write') && hold?.reason !== 'needs_input' && (
        <WriteBox id={id} isAnswer={false} onSent={loaded.reload} />
      )}
    </section>
  )
}

import { useState } from 'preact/hooks'
import { can, client } from '../state/api.js'
import type { Approval } from '../state/wire.js'
import { text } from '../text.js'
import { announce } from '../ui/announce.js'
import { FormError, TextInput, useSubmit } from '../ui/form.js'
import { Time } from '../ui/time.js'

const escaped = (character: string): string =>
  [...Array(character.length).keys()]
    .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
    .join('')

/** Characters that are invisible, look like a plain space, or change the direction. */
const unseen = /(?![ \n])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu

/** JSON as a person reads it. What cannot be seen is escaped: what is approved is what is seen. */
export function prettyJson(value: unknown): string {
  const json = JSON.stringify(value, null, 2) as string | undefined
  return (json ?? '').replaceAll(unseen, escaped)
}

interface ApprovalCardProps {
  readonly approval: Approval
  /** Called once it was decided, here or by somebody else. */
  readonly onDecided: () => void
}

/** What an agent wants to do, with the exact input, and the two answers. */
export function ApprovalCard({ approval, onDecided }: ApprovalCardProps) {
  const [comment, setComment] = useState('')
  const { failure, isBusy, submit, errorOf } = useSubmit()
  const decide = async (decision: 'approved' | 'rejected'): Promise<void> => {
    const body = { decision, ...(comment.trim() === '' ? {} : { comment: comment.trim() }) }
    if (!(await submit(() => client.approvals.decide(approval.id, body)))) return
    announce(text.task.approval[decision](approval.action))
    onDecided()
  }
  return (
    <div class="approval" data-approval={approval.id}>
      <p class="approval-summary">{approval.summary}</p>
      <dl class="pairs">
        <div>
          <dt>{text.task.approval.action}</dt>
          <dd>
            <code>{approval.action.replaceAll(unseen, escaped)}</code>
          </dd>
        </div>
        <div>
          <dt>{text.task.approval.expires}</dt>
          <dd>
            <Time at={approval.expires_at} />
          </dd>
        </div>
      </dl>
      <p class="prop-label">{text.task.approval.input}</p>
      <pre class="exact" tabIndex={0} aria-label={text.task.approval.input}>
        {prettyJson(approval.input)}
      </pre>
      {can('approvals:write') ? (
        <form
          class="decide"
          onSubmit={(event) => {
            event.preventDefault()
          }}
        >
          <TextInput
            label={text.task.approval.comment}
            value={comment}
            maxLength={19_800}
            onValue={setComment}
            error={errorOf('comment')}
          />
          <FormError failure={failure} fields={['comment']} />
          <div class="edit-actions">
            <button
              type="button"
              class="button button-danger"
              data-decision="rejected"
              aria-disabled={isBusy}
              onClick={() => void decide('rejected')}
            >
              {text.task.approval.reject}
            </button>
            <button
              type="button"
              class="button button-primary"
              data-decision="approved"
              aria-disabled={isBusy}
              onClick={() => void decide('approved')}
            >
              {text.task.approval.approve}
            </button>
          </div>
        </form>
      ) : (
        <p class="quiet">{text.task.approval.notAllowed}</p>
      )}
    </div>
  )
}

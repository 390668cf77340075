import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { can } from '../state/api.js'
import { UNDO_MS, type Decision, type Verdict } from '../state/decisions.js'
import { explain } from '../state/failure.js'
import { announce, complain } from '../state/notices.js'
import { ownDecisions } from '../state/own-decisions.js'
import type { Approval } from '../state/wire.js'
import { text } from '../texts/index.js'
import { TextInput } from '../ui/form.js'
import { Icon } from '../ui/icon.js'
import { useSettled } from '../ui/settled.js'
import { Time } from '../ui/time.js'
import { ApprovalInput, seen } from './approval-input.js'

const words = text.task.approval
/** In what an approval keeps its place. */
const frames = '.inbox, .task-main'

interface ApprovalCardProps {
  readonly approval: Approval
  /** Called once the server has taken the decision, or has rejected it: the approval is no longer as it was read. */
  readonly onDecided: (verdict: Verdict | null) => void
}

/** What stands where an approval was that was decided here. */
function Decided({ approval, decision }: { readonly approval: Approval; readonly decision: Decision }) {
  const ref = useRef<HTMLDivElement>(null)
  const { isSettled, isStill } = useSettled(ref, frames)
  const { verdict, state } = decision
  useLayoutEffect(() => {
    // The button that had the focus is gone. Another key of the same press finds nothing here.
    if (document.activeElement === document.body) ref.current?.focus({ preventScroll: true })
  }, [])
  return (
    <div ref={ref} class={`decided decided-${verdict}`} tabIndex={-1}>
      <p>
        <Icon name={verdict === 'approved' ? 'check' : 'close'} />
        <strong>{words[verdict](seen(approval.action))}</strong>{' '}
        <span class="quiet">{words.states[state](UNDO_MS / 1_000)}</span>
      </p>
      {state === 'waiting' && (
        <button
          type="button"
          class="button button-small"
          data-undo
          aria-disabled={!isSettled}
          onClick={() => {
            if (isStill() && ownDecisions.undo(approval.id)) announce(words.undone(approval.action))
          }}
        >
          {words.undo}
        </button>
      )}
    </div>
  )
}

interface DecideProps {
  readonly comment: string
  readonly onComment: (comment: string) => void
  readonly canDecide: boolean
  readonly onDecide: (verdict: Verdict) => void
}

const verdicts = [
  ['rejected', 'reject', 'button-danger'],
  ['approved', 'approve', 'button-primary'],
] as const

function Decide({ comment, onComment, canDecide, onDecide }: DecideProps) {
  const ref = useRef<HTMLDivElement>(null)
  const { isSettled, isStill } = useSettled(ref, frames)
  return (
    <form class="decide" onSubmit={(event) => event.preventDefault()}>
      <TextInput label={words.comment} value={comment} maxLength={19_800} onValue={onComment} />
      <div class="edit-actions" ref={ref}>
        {verdicts.map(([verdict, name, look]) => (
          <button
            key={verdict}
            type="button"
            class={`button ${look}`}
            data-decision={verdict}
            aria-disabled={!isSettled || !canDecide}
            onKeyDown={(event) => {
              // A key that is held down decides once.
              if (event.repeat) event.preventDefault()
            }}
            onClick={() => canDecide && isStill() && onDecide(verdict)}
          >
            {words[name]}
          </button>
        ))}
      </div>
    </form>
  )
}

/** An approval request, with the exact input, and the two decisions. */
export function ApprovalCard({ approval, onDecided }: ApprovalCardProps) {
  const { id, action } = approval
  const frame = useRef<HTMLDivElement>(null)
  const [height, setHeight] = useState(0)
  const [comment, setComment] = useState('')
  const [isWhole, setWhole] = useState(false)
  const decision = ownDecisions.all.value.get(id)
  const decide = (verdict: Verdict): void => {
    setHeight(frame.current?.getBoundingClientRect().height ?? 0)
    ownDecisions.decide(
      id,
      { verdict, comment: comment.trim(), digest: approval.input_digest },
      {
        onSent: () => onDecided(verdict),
        onFailed(error) {
          complain(new Error(words.notDecided(action, explain(error).message)))
          onDecided(null)
        },
      },
    )
    announce(`${words[verdict](action)} ${words.states.waiting(UNDO_MS / 1_000)}`)
  }
  return (
    <div
      ref={frame}
      class="approval"
      data-approval={id}
      // Nothing below it moves when it is decided.
      style={decision === undefined ? {} : { minBlockSize: `${height}px` }}
    >
      {decision === undefined ? (
        <>
          <p class="approval-summary">{approval.summary}</p>
          <dl class="pairs">
            <div>
              <dt>{words.action}</dt>
              <dd>
                <code>{seen(action)}</code>
              </dd>
            </div>
            <div>
              <dt>{words.expires}</dt>
              <dd>
                <Time at={approval.expires_at} />
              </dd>
            </div>
          </dl>
          <ApprovalInput
            input={approval.input}
            digest={approval.short_digest}
            isWhole={isWhole}
            onWhole={setWhole}
          />
          {can('approvals:write') ? (
            <Decide comment={comment} onComment={setComment} canDecide={isWhole} onDecide={decide} />
          ) : (
            <p class="quiet">{words.notAllowed}</p>
          )}
        </>
      ) : (
        <Decided approval={approval} decision={decision} />
      )}
    </div>
  )
}

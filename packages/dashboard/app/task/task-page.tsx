import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { account, chooseWorkspace, readAccount, workspaceId } from '../state/api.js'
import { inform } from '../state/notices.js'
import { leaveTask } from '../state/router.js'
import type { TaskDetail } from '../state/wire.js'
import { holderName, isWorkedOn } from '../state/work.js'
import { text } from '../texts/index.js'
import { Dialog } from '../ui/dialog.js'
import { Markdown } from '../ui/markdown.js'
import { OutsideLink } from '../ui/outside-link.js'
import { safeHref } from '../ui/safe-href.js'
import { Empty, Show } from '../ui/states.js'
import { Time } from '../ui/time.js'
import { CopyLink, TaskActions } from './actions.js'
import { Attempts } from './attempts.js'
import { dependenciesField, OtherTask } from './dependencies.js'
import { Editable, type EditableField } from './editable.js'
import {
  assignedField,
  budgetField,
  deadlineField,
  descriptionField,
  notBeforeField,
  priorityField,
  tagsField,
  titleField,
  typeField,
} from './fields.js'
import { HoldBanner } from './hold-banner.js'
import { TaskLog } from './log.js'
import { Subtasks } from './subtasks.js'
import { Thread } from './thread.js'
import { Usage } from './usage.js'
import { useTask, type LiveTask } from './use-task.js'
import { useScore, WhyNext, WhyNobody, type LoadedScore } from './why.js'

interface PartProps {
  readonly live: LiveTask
  readonly task: TaskDetail
}

/** Shows the workspace of a task that was opened by a link. */
function useWorkspaceOf(task: TaskDetail | null): void {
  const id = task?.workspace_id
  useEffect(() => {
    if (id === undefined || id === workspaceId()) return
    const show = (): boolean => {
      const found = account.value?.workspaces.find((workspace) => workspace.id === id)
      if (found === undefined) return false
      chooseWorkspace(id)
      inform(text.task.switched(found.name))
      return true
    }
    // It may have been created since the account was read.
    if (!show()) void readAccount().then(show, () => undefined)
  }, [id])
}

function Prop({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    <div class="prop">
      <span class="prop-label">{label}</span>
      <span class="prop-value">{children}</span>
    </div>
  )
}

function EditableProp<Draft>({ field, ...part }: PartProps & { readonly field: EditableField<Draft> }) {
  return (
    <Editable
      {...part}
      field={field}
      frame={(value, button) => (
        <div class="prop">
          <span class="prop-label">{text.task.fields[field.name]}</span>
          <span class="prop-value">{value}</span>
          {button}
        </div>
      )}
    />
  )
}

function Outputs({ task: { outputs } }: { readonly task: TaskDetail }) {
  if (outputs.length === 0) return null
  return (
    <section class="task-part">
      <h3>{text.task.outputs.title}</h3>
      <ul class="outputs">
        {outputs.map((output, index) => (
          <li key={index}>
            <OutsideLink address={output.url}>{output.name}</OutsideLink>
            <span class="chip">{output.type}</span>
            {output.size !== null && <small class="quiet">{formatBytes(output.size)}</small>}
            {safeHref(output.url) === null && (
              <small class="quiet written">
                {text.task.outputs.unsafe}: {output.url}
              </small>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

function formatBytes(size: number): string {
  const power = Math.min(units.length - 1, size < 1 ? 0 : Math.floor(Math.log10(size) / 3))
  return new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit: units[power] ?? 'byte',
    maximumFractionDigits: 1,
  }).format(size / 1_000 ** power)
}

function Progress({ task }: { readonly task: TaskDetail }) {
  if (task.column !== 'doing') return null
  if (!isWorkedOn(task)) {
    const { movedBy, aPerson } = text.task.byPerson
    return <p class="task-note">{movedBy(holderName(task) ?? aPerson)}</p>
  }
  return (
    <div class="task-progress">
      <div
        class="progress"
        role="progressbar"
        aria-valuenow={task.progress}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-label={text.task.progress}
      >
        <div class="progress-bar" style={{ inlineSize: `${task.progress}%` }} />
      </div>
      <span class="quiet">{text.board.progress(task.progress)}</span>
    </div>
  )
}

interface ScoredProps extends PartProps {
  readonly score: LoadedScore
}

function Main({ live, task, score }: ScoredProps) {
  return (
    <div class="task-main">
      <HoldBanner task={task} />
      {task.column === 'todo' && <WhyNobody loaded={score} />}
      <Progress task={task} />
      <Editable
        live={live}
        task={task}
        field={descriptionField}
        frame={(value, button) => (
          <section class="task-part">
            <h3>
              {text.task.fields.description}
              {button}
            </h3>
            {value}
          </section>
        )}
      />
      {task.result !== null && task.result !== '' && (
        <section class="task-part task-result">
          <h3>{text.task.result}</h3>
          <Markdown source={task.result} />
        </section>
      )}
      <Outputs task={task} />
      <TaskLog task={task} />
      <Subtasks task={task} />
      <Thread task={task} />
    </div>
  )
}

function Metadata({ task: { metadata } }: { readonly task: TaskDetail }) {
  const entries = Object.entries(metadata)
  if (entries.length === 0) return null
  return (
    <details>
      <summary>{text.task.metadata}</summary>
      <dl class="metadata">
        {entries.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{Array.isArray(value) ? value.join(', ') : String(value)}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

const times = [
  ['created', 'created_at'],
  ['started', 'started_at'],
  ['completed', 'completed_at'],
  ['updated', 'updated_at'],
] as const

function Aside({ score, ...part }: ScoredProps) {
  const { task } = part
  return (
    <aside class="task-aside" aria-label={text.task.details}>
      <section class="task-part">
        <h3>{text.task.details}</h3>
        <div class="props">
          {task.parent_id !== null && (
            <Prop label={text.task.subtasks.parent}>
              <OtherTask id={task.parent_id} />
            </Prop>
          )}
          {task.agent !== null && (task.column !== 'doing' || isWorkedOn(task)) && (
            <Prop label={text.task.facts.agent}>{task.agent.name}</Prop>
          )}
          <EditableProp {...part} field={priorityField} />
          <EditableProp {...part} field={typeField} />
          <EditableProp {...part} field={deadlineField} />
          <EditableProp {...part} field={notBeforeField} />
          <EditableProp {...part} field={tagsField} />
          <EditableProp {...part} field={assignedField} />
          <EditableProp {...part} field={dependenciesField} />
          <EditableProp {...part} field={budgetField} />
          {times.map(([label, name]) => {
            const at = task[name]
            return at === null ? null : (
              <Prop key={name} label={text.task.facts[label]}>
                <Time at={at} />
              </Prop>
            )
          })}
        </div>
        <Metadata task={task} />
      </section>
      {task.column === 'todo' && <WhyNext loaded={score} />}
      <Usage task={task} />
      <Attempts task={task} />
    </aside>
  )
}

function Body({ live, task }: PartProps) {
  const { status, hold } = task
  const score = useScore(task)
  const isPersons = task.column === 'doing' && !isWorkedOn(task)
  const name = isPersons ? text.task.byPerson.status : text.statuses[status]
  const tone = { completed: 'chip-good', failed: 'chip-bad', blocked: 'chip-warn' }[status as string] ?? ''
  return (
    <>
      <div class="task-bar">
        <span class={`chip chip-status ${tone}`}>{hold === null ? name : text.holds[hold.reason]}</span>
        <span class="spacer" />
        <TaskActions live={live} task={task} />
      </div>
      <div class="task-columns">
        <Main live={live} task={task} score={score} />
        <Aside live={live} task={task} score={score} />
      </div>
    </>
  )
}

/** A task, over the page that it was opened from. */
export function TaskPage({ id }: { readonly id: string }) {
  const live = useTask(id)
  const { value: task, isGone } = live
  useWorkspaceOf(task)
  return (
    <Dialog
      shape="wide"
      title={task?.title ?? text.task.title}
      onClose={leaveTask}
      actions={
        <>
          {task !== null && !isGone && (
            <Editable live={live} task={task} field={titleField} frame={(_, button) => button} />
          )}
          <CopyLink />
        </>
      }
    >
      {isGone ? (
        <Empty title={task === null ? text.task.gone : text.task.deletedNow}>
          <button type="button" class="button" onClick={leaveTask}>
            {text.actions.back}
          </button>
        </Empty>
      ) : (
        <Show loaded={live}>{(shown) => <Body live={live} task={shown} />}</Show>
      )}
    </Dialog>
  )
}

import type { ComponentChildren, VNode } from 'preact'
import { useState } from 'preact/hooks'
import { complain } from '../state/notices.js'
import { Confirm } from '../ui/dialog.js'
import { ShowPages, type Pages } from '../ui/pages.js'
import { Empty } from '../ui/states.js'
import { SectionHead } from './section.js'

/** A section with a list: what it is for, what can be added, and an entry for each thing. */
export function ResourceList<Item>({
  title,
  about,
  create,
  form,
  notice,
  pages,
  empty,
  children,
}: {
  readonly title: string
  readonly about: string
  /** The label of the button that adds one; false when the caller may not. */
  readonly create: string | false
  /** The dialog that adds one. */
  readonly form: (close: () => void) => VNode
  /** Between the head and the list. */
  readonly notice?: ComponentChildren
  readonly pages: Pages<Item>
  /** Stands in for a list without entries, where there can be none. */
  readonly empty?: string
  /** The entry of one, with a key. */
  readonly children: (item: Item) => VNode
}) {
  const [isCreating, setCreating] = useState(false)
  return (
    <>
      <SectionHead title={title} about={about} add={create} onAdd={() => setCreating(true)} />
      {notice}
      <section class="panel" aria-label={title}>
        <ShowPages pages={pages} empty={empty !== undefined && <Empty title={empty} />}>
          {(items) => <ul class="row-list">{items.map(children)}</ul>}
        </ShowPages>
      </section>
      {isCreating && form(() => setCreating(false))}
    </>
  )
}

/** Something that can be done with an entry, by a button: immediately, after a question, or in a dialog. */
export type RowAction = { readonly label: string; readonly isDangerous?: boolean } & (
  | {
      readonly run: () => Promise<void> | void
      /** What is asked before. */
      readonly confirm?: { readonly title: string; readonly message: string }
    }
  | { readonly dialog: (close: () => void) => VNode }
)

/** An entry of a list with its buttons; `name` tells screen readers with which. */
export function ResourceRow({
  name,
  actions,
  before,
  children,
}: {
  readonly name: string
  /** False: not offered. */
  readonly actions: readonly (RowAction | false)[]
  /** Before the buttons. */
  readonly before?: ComponentChildren
  readonly children: ComponentChildren
}) {
  const [openLabel, setOpenLabel] = useState<string | null>(null)
  const close = (): void => setOpenLabel(null)
  const offered = actions.filter((action) => action !== false)
  const open = offered.find(({ label }) => label === openLabel)
  const start = async (action: RowAction): Promise<void> => {
    if ('dialog' in action || action.confirm !== undefined) setOpenLabel(action.label)
    else await action.run()
  }
  return (
    <li>
      {children}
      {offered.length > 0 && (
        <div class="actions">
          {before}
          {actions.map(
            (action, index) =>
              action !== false && (
                <button
                  // Not by its label, which changes with what it does: the button keeps the focus.
                  key={index}
                  type="button"
                  class={`button button-small ${action.isDangerous === true ? 'button-danger' : ''}`}
                  aria-label={`${action.label}: ${name}`}
                  onClick={() => void start(action).catch(complain)}
                >
                  {action.label}
                </button>
              ),
          )}
        </div>
      )}
      {open !== undefined && <Opened action={open} onClose={close} />}
    </li>
  )
}

function Opened({ action, onClose }: { readonly action: RowAction; readonly onClose: () => void }) {
  if ('dialog' in action) return action.dialog(onClose)
  if (action.confirm === undefined) return null
  const run = async (): Promise<void> => action.run()
  return (
    <Confirm
      {...action.confirm}
      action={action.label}
      onConfirm={() => void run().catch(complain)}
      onClose={onClose}
    />
  )
}

import { Icon } from '../ui/icon.js'

/** The head of a section: its purpose, and a button to add an entry. */
export function SectionHead({
  title,
  about,
  add,
  onAdd,
}: {
  readonly title: string
  readonly about?: string
  readonly add?: string | false
  readonly onAdd?: () => void
}) {
  return (
    <header class="section-head">
      <div>
        <h2>{title}</h2>
        {about !== undefined && <p class="quiet">{about}</p>}
      </div>
      {add !== undefined && add !== false && (
        <button type="button" class="button button-primary" onClick={onAdd}>
          <Icon name="plus" />
          {add}
        </button>
      )}
    </header>
  )
}

import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
import { announce } from '../state/notices.js'
import type { Column } from '../state/wire.js'
import { text } from '../texts/index.js'

const KIND = 'taskboard-card'

/** Lets people drag a card. Returns what ends that. */
export function dragCard(
  element: HTMLElement,
  { id, title }: { readonly id: string; readonly title: () => string },
): () => void {
  return draggable({
    element,
    getInitialData: () => ({ kind: KIND, id }),
    onDragStart() {
      element.classList.add('card-dragged')
      announce(text.board.dragged(title()))
    },
    onDrop: () => element.classList.remove('card-dragged'),
  })
}

interface Target {
  readonly column: Column
  readonly onOver: (isOver: boolean) => void
  readonly onDrop: (id: string) => void
}

/** Lets people drop cards on a column. Returns what ends that. */
export function acceptCards(element: HTMLElement, { column, onOver, onDrop }: Target): () => void {
  return dropTargetForElements({
    element,
    getData: () => ({ column }),
    canDrop: ({ source }) => source.data['kind'] === KIND,
    onDragEnter: () => onOver(true),
    onDragLeave: () => onOver(false),
    onDrop({ source }) {
      onOver(false)
      onDrop(String(source.data['id']))
    },
  })
}

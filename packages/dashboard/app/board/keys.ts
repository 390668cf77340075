import { useEffect } from 'preact/hooks'

const arrows = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] } as const

const cardsIn = (column: Element): readonly HTMLElement[] => [
  ...column.querySelectorAll<HTMLElement>('[data-card]'),
]

function nearest(cards: readonly HTMLElement[], top: number): HTMLElement | undefined {
  const distance = (card: HTMLElement): number => Math.abs(card.getBoundingClientRect().top - top)
  return cards.toSorted((a, b) => distance(a) - distance(b))[0]
}

/** Moves the focus from one card to another: up and down in a column, left and right between them. */
function step(from: HTMLElement, [across, down]: readonly [number, number]): void {
  const column = from.closest('[data-column]')
  if (column === null) return
  const columns = [...document.querySelectorAll('[data-column]')]
  const cards = cardsIn(column)
  const index = cards.indexOf(from)
  if (across === 0) return cards[index + down]?.focus()
  // Past empty columns.
  const here = columns.indexOf(column)
  const beside = across < 0 ? columns.slice(0, here).toReversed() : columns.slice(here + 1)
  const others = beside.map(cardsIn).find((found) => found.length > 0) ?? []
  nearest(others, from.getBoundingClientRect().top)?.focus()
}

/** With the focus nowhere, an arrow goes to the first card. */
export function useFirstArrow(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!Object.hasOwn(arrows, event.key) || event.defaultPrevented) return
      if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
      const { activeElement, body } = document
      if (activeElement !== body && activeElement?.id !== 'content') return
      const card = document.querySelector<HTMLElement>('[data-card]')
      if (card === null || document.querySelector('dialog[open]') !== null) return
      card.focus()
      event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}

/** The keys of the board. Returns what listens to them. */
export function useBoardKeys({ openMenu }: { readonly openMenu: (id: string) => unknown }) {
  return (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const card = event.target instanceof HTMLElement && 'card' in event.target.dataset ? event.target : null
    if (card === null) return
    const arrow = arrows[event.key as keyof typeof arrows]
    if (arrow !== undefined) step(card, arrow)
    else if (event.key === 'm') openMenu(card.closest<HTMLElement>('[data-task]')?.dataset['task'] ?? '')
    else return
    event.preventDefault()
  }
}

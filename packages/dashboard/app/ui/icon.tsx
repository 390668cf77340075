const paths = {
  board: 'M4 4h4v16H4zM10 4h4v10h-4zM16 4h4v13h-4z',
  inbox: 'M4 13l2.5-8h11L20 13v6H4zM4 13h4.5a3.5 3.5 0 0 0 7 0H20',
  agents:
    'M12 3v3M6 9a3 3 0 0 1 3-3h6a3 3 0 0 1 3 3v6a3 3 0 0 1-3 3H9a3 3 0 0 1-3-3zM9.5 11v1.5M14.5 11v1.5M3 11v3M21 11v3M9 21h6',
  chat: 'M4 5h16v11H10l-4 4v-4H4z',
  analytics: 'M4 20V10M10 20V4M16 20v-8M21 20H3',
  settings: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4',
  plus: 'M12 5v14M5 12h14',
  search: 'M11 4a7 7 0 1 1 0 14a7 7 0 0 1 0-14M16 16l4 4',
  filter: 'M4 5h16l-6 7v6l-4 2v-8z',
  clock: 'M12 4a8 8 0 1 1 0 16a8 8 0 0 1 0-16M12 8v4l3 2',
  flag: 'M6 21V4h11l-2 4l2 4H6',
  hand: 'M12 4a8 8 0 1 1 0 16a8 8 0 0 1 0-16M12 8v5M12 16v.5',
  parts: 'M5 4v10a3 3 0 0 0 3 3h4M5 8h7M14 6h6v4h-6zM14 15h6v4h-6z',
  coins:
    'M12 4a8 8 0 1 1 0 16a8 8 0 0 1 0-16M14.5 9.5c-.5-1-4.5-1.5-4.5.8c0 2.5 4.7 1 4.7 3.4c0 2-4 2-5 .5M12 7v10',
  move: 'M5 12h14M14 7l5 5l-5 5',
  more: 'M6 12h.01M12 12h.01M18 12h.01',
  person: 'M12 4a4 4 0 1 1 0 8a4 4 0 0 1 0-8M5 20c0-4 3-6 7-6s7 2 7 6',
  pencil: 'M5 19l1-4L16 5l3 3L9 18zM14 7l3 3',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  bin: 'M5 7h14M10 4h4M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5',
  again: 'M19 12a7 7 0 1 1-2-5M19 4v4h-4',
  stop: 'M12 4a8 8 0 1 1 0 16a8 8 0 0 1 0-16M6.5 6.5l11 11',
  out: 'M10 5H5v14h5M15 8l4 4l-4 4M19 12H9',
  close: 'M6.5 6.5l11 11M17.5 6.5l-11 11',
  link: 'M14 5h5v5M19 5l-8 8M10 6H5v13h13v-5',
} as const

export type IconName = keyof typeof paths

/** The sign of the product. */
export function BrandMark() {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true" class="brand-mark">
      <rect x="2" y="3" width="5.5" height="18" rx="1.6" />
      <rect x="9.25" y="3" width="5.5" height="11" rx="1.6" />
      <rect x="16.5" y="3" width="5.5" height="14.5" rx="1.6" />
    </svg>
  )
}

/** A drawing beside a text. Screen readers skip it. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  )
}

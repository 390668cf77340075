import { drawings } from './drawings.js'

export type IconName = keyof typeof drawings

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

/** A drawing next to a text. Screen readers skip it. */
export function Icon({ name }: { readonly name: IconName }) {
  return <Drawing path={drawings[name]} />
}

/** A drawing that has no name, such as the one of a page. */
export function Drawing({ path }: { readonly path: string }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={path} />
    </svg>
  )
}

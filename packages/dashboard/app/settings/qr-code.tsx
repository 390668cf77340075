import { encode } from 'uqr'

/** What scanners need around the code. */
const BORDER = 4

/** The dark modules as one path: a square each. */
function pathOf(rows: readonly (readonly boolean[])[]): string {
  return rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
}

/** A QR code, drawn dark on light in both colour schemes. */
export function QrCode({ value, label }: { readonly value: string; readonly label: string }) {
  const { data, size } = encode(value, { ecc: 'M', border: BORDER })
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <rect width={size} height={size} class="qr-light" />
      <path d={pathOf(data)} class="qr-dark" />
    </svg>
  )
}

import { useEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import { analyticsText } from '../texts/analytics.js'

const HEIGHT_PX = 180
const NARROWEST_PX = 120

/** The values of one plot, with a label for each. */
export interface PlotData {
  readonly labels: readonly string[]
  readonly values: readonly (number | null)[]
}

interface PlotProps extends PlotData {
  readonly kind: 'bars' | 'line'
  readonly format: (value: number) => string
  /** Whether the values are seconds, whose axis has round minutes and hours. */
  readonly isTime: boolean
  /** What screen readers say of the drawing. */
  readonly label: string
}

const roundSeconds = [
  1, 5, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400, 604_800,
]

interface Colours {
  readonly text: string
  readonly line: string
  readonly accent: string
  readonly soft: string
}

function colours(): Colours {
  const style = getComputedStyle(document.documentElement)
  const read = (name: string): string => style.getPropertyValue(name).trim()
  return {
    text: read('--quiet'),
    line: read('--line'),
    accent: read('--accent'),
    soft: read('--accent-soft'),
  }
}

function optionsOf({ kind, labels, format, isTime }: PlotProps, width: number): Omit<uPlot.Options, 'hooks'> {
  const { text, line, accent, soft } = colours()
  const font = `12px ${getComputedStyle(document.body).fontFamily}`
  const axis = { stroke: text, font, grid: { stroke: line, width: 1 }, ticks: { show: false } }
  const isBars = kind === 'bars'
  return {
    width,
    height: HEIGHT_PX,
    padding: [8, 8, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: !isBars } },
    scales: {
      // Half a place at both ends, so that the outer bars are whole.
      x: { time: false, range: () => [-0.5, labels.length - 0.5] },
      y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.1 : 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 28,
        space: 64,
        incrs: [1, 2, 5, 7, 10, 14, 20, 30, 60, 90],
        values: (_plot, splits) => splits.map((at) => labels[at] ?? ''),
      },
      {
        ...axis,
        size: 64,
        space: 36,
        values: (_plot, splits) => splits.map(format),
        ...(isTime ? { incrs: [...roundSeconds] } : {}),
      },
    ],
    series: [
      {},
      {
        stroke: accent,
        width: isBars ? 0 : 2,
        fill: isBars ? accent : soft,
        points: { show: !isBars, size: 5 },
        ...(isBars && uPlot.paths.bars !== undefined
          ? { paths: uPlot.paths.bars({ size: [0.7, 48], radius: 0.1 }) }
          : {}),
      },
    ],
  }
}

/** A drawing of values. It is as wide as its place, and follows the color scheme. */
export function Plot(props: PlotProps) {
  const place = useRef<HTMLDivElement>(null)
  const [pointed, setPointed] = useState<number | null>(null)
  const { labels, values, label, format } = props
  useEffect(() => {
    const host = place.current
    if (host === null) return undefined
    const width = () => Math.max(NARROWEST_PX, host.clientWidth)
    const draw = (): uPlot =>
      new uPlot(
        {
          ...optionsOf(props, width()),
          hooks: { setCursor: [(plot) => setPointed(plot.cursor.idx ?? null)] },
        },
        [labels.map((_, index) => index), [...values]],
        host,
      )
    let plot = draw()
    const redraw = (): void => {
      plot.destroy()
      plot = draw()
    }
    const sizes = new ResizeObserver(() => plot.setSize({ width: width(), height: HEIGHT_PX }))
    sizes.observe(host)
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    scheme.addEventListener('change', redraw)
    return () => {
      scheme.removeEventListener('change', redraw)
      sizes.disconnect()
      plot.destroy()
    }
  }, [labels, values])
  const value = pointed === null ? undefined : values[pointed]
  return (
    <>
      <p class="plot-value quiet" aria-hidden="true">
        {value === undefined || pointed === null
          ? '\u00a0'
          : `${labels[pointed]}: ${value === null ? analyticsText.nothing : format(value)}`}
      </p>
      <div ref={place} class="plot" role="img" aria-label={label} />
    </>
  )
}

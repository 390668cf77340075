import type { RefObject } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

/** A click or a key that comes sooner was meant for what stood here before. */
const SETTLE_MS = 500

/** Where an element stands in a list or a panel, whatever is scrolled. */
function topWithin(element: Element, frame: Element): number {
  return element.getBoundingClientRect().top - frame.getBoundingClientRect().top
}

/**
 * Whether an element has been in its place for a moment. It is not right after it appeared, or after something above it came, went or
 * became longer, in the nearest `frame` around it.
 */
export function useSettled(ref: RefObject<HTMLElement | null>, frame: string): boolean {
  const [isSettled, setSettled] = useState(false)
  useLayoutEffect(() => {
    const element = ref.current
    if (element === null) return undefined
    const around = element.closest(frame) ?? document.body
    let timer: ReturnType<typeof setTimeout> | undefined
    let top = NaN
    const look = (): void => {
      const now = topWithin(element, around)
      if (Math.abs(now - top) < 1) return
      top = now
      clearTimeout(timer)
      setSettled(false)
      timer = setTimeout(() => setSettled(true), SETTLE_MS)
    }
    look()
    const observer = new ResizeObserver(look)
    observer.observe(around)
    return () => {
      clearTimeout(timer)
      observer.disconnect()
    }
  }, [])
  return isSettled
}

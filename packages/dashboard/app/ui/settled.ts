import type { RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

/** A click or a key that comes sooner was meant for what stood here before. */
const SETTLE_MS = 500

/** Where an element stands in a list or a panel, whatever is scrolled. */
function topWithin(element: Element, frame: Element): number {
  return element.getBoundingClientRect().top - frame.getBoundingClientRect().top
}

export interface Settled {
  /** Whether the element has been in its place for a moment, as of the last frame. */
  readonly isSettled: boolean
  /** The same at this instant, for an action now: the page may have moved it since. */
  readonly isStill: () => boolean
}

/**
 * Whether an element has been in its place for a moment. It isn't right after it appeared, or after something above it came, went or
 * became longer, in the nearest `frame` around it.
 */
export function useSettled(ref: RefObject<HTMLElement | null>, frame: string): Settled {
  const [isSettled, setSettled] = useState(false)
  const check = useRef((): boolean => false)
  useLayoutEffect(() => {
    const element = ref.current
    if (element === null) return undefined
    const around = element.closest(frame) ?? document.body
    let timer: ReturnType<typeof setTimeout> | undefined
    let top = NaN
    let isNow = false
    const change = (to: boolean): void => {
      isNow = to
      setSettled(to)
    }
    /** Whether it has moved. */
    const look = (): boolean => {
      const now = topWithin(element, around)
      if (Math.abs(now - top) < 1) return false
      top = now
      clearTimeout(timer)
      change(false)
      timer = setTimeout(() => {
        if (!look()) change(true)
      }, SETTLE_MS)
      return true
    }
    look()
    check.current = () => !look() && isNow
    const observer = new ResizeObserver(() => void look())
    observer.observe(around)
    return () => {
      clearTimeout(timer)
      observer.disconnect()
    }
  }, [])
  return { isSettled, isStill: () => check.current() }
}

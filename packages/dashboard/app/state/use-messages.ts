import { useEffect, useRef } from 'preact/hooks'
import type { RealtimeMessage } from '@taskboard/client'
import { coalesce } from './coalesce.js'
import { isLoss, onMessage } from './live.js'

/** Calls `listener` for each message while a component is shown. */
export function useMessages(listener: (message: RealtimeMessage) => void): void {
  const latest = useRef(listener)
  latest.current = listener
  useEffect(() => onMessage((message) => latest.current(message)), [])
}

/** Calls `reload` a moment after messages that matter, and after some were lost. */
export function useReload(reload: () => void, matters: (message: RealtimeMessage) => boolean): void {
  const latest = useRef(reload)
  latest.current = reload
  const again = useRef(coalesce(() => latest.current()))
  useEffect(() => () => again.current.cancel(), [])
  useMessages((message) => {
    if (isLoss(message) || matters(message)) again.current()
  })
}

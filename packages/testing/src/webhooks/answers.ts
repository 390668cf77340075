import type { ServerResponse } from 'node:http'
import type { Clock } from '@taskboard/core'
import { systemClock, type Timer } from '@taskboard/core/storage'
import type { ReceivedDelivery } from './received-delivery.js'

/** An answer to give: a status alone, or with headers and a body. */
export type ReceiverAnswer =
  | number
  | {
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string | Uint8Array
    }

export interface Drip {
  /** How long to wait before each byte. Default 1,000 ms. */
  readonly everyMs?: number
  /** After how many bytes the response ends. Default: never. */
  readonly bytes?: number
}

/** What an endpoint does with the deliveries that reach it. */
export type Script = (delivery: ReceivedDelivery, response: ServerResponse) => void | Promise<void>

/** A clock on which a delivery that hangs on purpose can be parked. */
export type ParkingClock = Clock & { park?(label: string): () => void }

export function respond(
  answer: ReceiverAnswer | ((delivery: ReceivedDelivery) => ReceiverAnswer | Promise<ReceiverAnswer>),
): Script {
  return async (delivery, response) => {
    const chosen = typeof answer === 'function' ? await answer(delivery) : answer
    const { status, headers = {}, body } = typeof chosen === 'number' ? { status: chosen } : { ...chosen }
    response.writeHead(status, headers).end(body)
  }
}

export function reset(): Script {
  return (_, response) => {
    response.socket?.resetAndDestroy()
  }
}

export function hang(clock: ParkingClock | undefined): Script {
  return (delivery, response) => {
    parkWhileOpen(clock, delivery, response)
  }
}

/** Begins an answer immediately, and then lets single bytes follow. */
export function drip(clock: ParkingClock | undefined, { everyMs = 1_000, bytes = Infinity }: Drip): Script {
  return (delivery, response) => {
    const time = clock ?? systemClock
    const release = parkWhileOpen(clock, delivery, response)
    let timer: Timer | undefined
    let left = bytes
    const next = (): void => {
      if (left-- > 0) {
        response.write('.')
        timer = time.setTimer(next, everyMs)
      } else {
        release()
        response.end()
      }
    }
    response.writeHead(200, { 'content-type': 'text/plain' }).flushHeaders()
    response.once('close', () => timer?.cancel())
    timer = time.setTimer(next, everyMs)
  }
}

function parkWhileOpen(
  clock: ParkingClock | undefined,
  delivery: ReceivedDelivery,
  response: ServerResponse,
): () => void {
  const release = delivery.id === null ? undefined : clock?.park?.(delivery.id)
  if (release) response.once('close', release)
  return () => release?.()
}

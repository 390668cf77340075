import { EventEmitter } from 'eventemitter3'
import type { Logger } from '../environment/index.js'
import { shownName, suggestName, TaskboardError } from '../errors/index.js'
import { eventKinds, type EventType } from './catalogue.js'
import type { TaskboardEvent } from './taskboard-event.js'

/** Called once per event, and not awaited. What it throws or rejects with is logged and affects no other listener. */
export type TaskboardEventListener<T extends EventType | '*'> = (
  event: TaskboardEvent<T extends EventType ? T : EventType>,
) => unknown

/**
 * The events of all workspaces, in each workspace's order, after their commit and while the task board is started. Every process
 * receives the events of all processes, but none of those that occur while it is down. For events that you must not miss, use webhooks
 * or read the log.
 */
export interface TaskboardEvents {
  /** Listens to one type of event, or to all with `'*'`. Returns a function that stops it. */
  on<T extends EventType | '*'>(type: T, listener: TaskboardEventListener<T>): () => void
  /** As `on`, for the next event only. */
  once<T extends EventType | '*'>(type: T, listener: TaskboardEventListener<T>): () => void
  /** Removes all listeners that `on` and `once` added for this type and function. */
  off<T extends EventType | '*'>(type: T, listener: TaskboardEventListener<T>): void
}

export interface TaskboardEmitter {
  readonly events: TaskboardEvents
  /** Whether there is a listener. */
  readonly isHeard: boolean
  /** Calls the listeners of the event's type, then those of all types. Never throws. */
  emit(event: TaskboardEvent): void
}

type Listener = (event: TaskboardEvent) => unknown
type Guarded = (event: TaskboardEvent) => void

/** A listener for a misspelled type would never be called. */
function requireType(type: string): void {
  if (type === '*' || Object.hasOwn(eventKinds, type)) return
  const meant = suggestName(type, Object.keys(eventKinds))
  const hint = meant === null ? '' : `; did you mean ${meant}?`
  throw new TaskboardError('INVALID_FIELD', `${shownName(type)} is not an event${hint}`, { field: 'type' })
}

export function createEmitter(logger: Logger): TaskboardEmitter {
  const emitter = new EventEmitter<Record<EventType | '*', [TaskboardEvent]>>()
  const originals = new WeakMap<Guarded, Listener>()

  function add(type: EventType | '*', listener: Listener, isOnce: boolean): () => void {
    requireType(type)
    const stop = (): void => void emitter.off(type, guarded)
    const guarded: Guarded = (event) => {
      if (isOnce) stop()
      run(listener, event)
    }
    originals.set(guarded, listener)
    emitter.on(type, guarded)
    return stop
  }

  function run(listener: Listener, event: TaskboardEvent): void {
    const report = (error: unknown): void =>
      logger.error({ event: event.id, type: event.type, err: error }, 'an event listener failed')
    try {
      Promise.resolve(listener(event)).catch(report)
    } catch (error) {
      report(error)
    }
  }

  return {
    events: {
      on: (type, listener) => add(type, listener as Listener, false),
      once: (type, listener) => add(type, listener as Listener, true),
      off(type, listener) {
        for (const guarded of emitter.listeners(type)) {
          if (originals.get(guarded) === listener) emitter.off(type, guarded)
        }
      },
    },
    get isHeard() {
      return emitter.eventNames().length > 0
    },
    emit(event) {
      emitter.emit(event.type, event)
      emitter.emit('*', event)
    },
  }
}

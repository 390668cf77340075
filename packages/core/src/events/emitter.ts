import { EventEmitter } from 'eventemitter3'
import type { AuditRecord } from '../audit/index.js'
import type { Logger } from '../environment/index.js'
import { shownName, suggestName, TaskboardError } from '../errors/index.js'
import { eventKinds, type EventType } from './catalog.js'
import type { TaskboardEvent } from './taskboard-event.js'

/** Called once per event, and not awaited. Errors that it throws or rejects with are logged and affect no other listener. */
export type TaskboardEventListener<T extends EventType | 'audit' | '*'> = (
  event: T extends 'audit' ? AuditRecord : TaskboardEvent<T extends EventType ? T : EventType>,
) => unknown

/**
 * The events of all workspaces, in each workspace's order, after their commit and while the task board is started. Every process
 * receives the events of all processes, but none of those that occur while it is down. For events that you must not miss, use webhooks
 * or read the log.
 *
 * `audit` gets the audit records, soon after their commit. It gets only actions of this process, even before `start`, and none of a
 * transaction that the host has opened by itself. `'*'` doesn't have it.
 */
export interface TaskboardEvents {
  /** Listens to one type of event, or to all with `'*'`. Returns a function that stops it. */
  on<T extends EventType | 'audit' | '*'>(type: T, listener: TaskboardEventListener<T>): () => void
  /** As `on`, for the next event only. */
  once<T extends EventType | 'audit' | '*'>(type: T, listener: TaskboardEventListener<T>): () => void
  /** Removes all listeners that `on` and `once` added for this type and function. */
  off<T extends EventType | 'audit' | '*'>(type: T, listener: TaskboardEventListener<T>): void
}

export interface TaskboardEmitter {
  readonly events: TaskboardEvents
  /** Whether there is a listener of events. */
  readonly isHeard: boolean
  /** Calls the listeners of the event's type, then the listeners of all types. Never throws. */
  emit(event: TaskboardEvent): void
  /** The same for a record of the audit. */
  emitAudit(record: AuditRecord): void
}

type Emitted = TaskboardEvent | AuditRecord
type Listener = (event: Emitted) => unknown
type Guarded = (event: Emitted) => void
const AUDIT = 'audit'

/** A listener for a misspelled type would never be called. */
function requireType(type: string): void {
  if (type === '*' || type === AUDIT || Object.hasOwn(eventKinds, type)) return
  const meant = suggestName(type, [...Object.keys(eventKinds), AUDIT])
  const hint = meant === null ? '' : `; did you mean ${meant}?`
  throw new TaskboardError('INVALID_FIELD', `${shownName(type)} is not an event${hint}`, { field: 'type' })
}

export function createEmitter(logger: Logger): TaskboardEmitter {
  const emitter = new EventEmitter<Record<EventType | 'audit' | '*', [Emitted]>>()
  const originals = new WeakMap<Guarded, Listener>()

  function add(type: EventType | 'audit' | '*', listener: Listener, isOnce: boolean): () => void {
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

  function run(listener: Listener, event: Emitted): void {
    const report = (error: unknown): void =>
      logger.error(
        { event: event.id, type: 'type' in event ? event.type : AUDIT, err: error },
        'an event listener failed',
      )
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
      return emitter.eventNames().some((name) => name !== AUDIT)
    },
    emit(event) {
      emitter.emit(event.type, event)
      emitter.emit('*', event)
    },
    emitAudit: (record) => void emitter.emit(AUDIT, record),
  }
}

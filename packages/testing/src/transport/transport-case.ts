import type { Storage, Taskboard } from '@taskboard/core'
import type { Route, RouteGroup } from '@taskboard/core/transport'

/** One requirement, as a plain function for any test runner: `run` rejects when it isn't met. */
export interface TransportCase {
  /** Stable: for skipping a case by name, with a reason. */
  readonly id: string
  readonly name: string
  readonly run: () => Promise<void>
}

/**
 * The host that a case wants around the routes. Besides them, every host has
 * - a hook that adds `x-host: hook` to each of its responses, including the routes' responses;
 * - `GET /host/hello`, answering the text `hello`;
 * - `POST /host/echo`, answering the JSON that it was sent, read by the host's own means;
 * - `GET /host/boom`, whose handler throws, so that the host's error handling returns 500 and the text `host error`;
 * - for all other paths a 404 with the text `host 404`.
 */
export interface TransportHost {
  /** Where the routes are mounted: empty for the root, or a path such as `/nested`. */
  readonly mountPath: string
  /** The host's result of parsing JSON bodies before the routes see them. */
  readonly bodies: HostBodies
  /** The responder for unknown paths below the task board's: the host's 404, or an envelope. */
  readonly notFound: 'host' | 'envelope'
  /** The routes next to the task board's. */
  readonly routes: readonly (Route | RouteGroup)[]
}

/** `unread`: the host has no parser before the routes. Else: parsed, left as text, or left as bytes. */
export type HostBodies = 'unread' | 'json' | 'text' | 'bytes'

/** A listening host. */
export interface MountedHost {
  /** `http://127.0.0.1:<port>`, without a path. */
  readonly url: string
  /** Stops it, with all its connections. */
  close(): Promise<void>
}

export interface TransportConformanceOptions {
  /** A fresh, empty storage. */
  readonly storage: () => Storage
  /** Starts a host with the routes of `taskboard`, on 127.0.0.1 and a free port. */
  readonly mount: (taskboard: Taskboard, host: TransportHost) => Promise<MountedHost>
  /** What hosts of this kind may have done with bodies. Default: all. */
  readonly hostBodies?: readonly HostBodies[] | undefined
}

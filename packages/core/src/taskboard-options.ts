import type { Principal, SecretBoxOptions } from './access/index.js'
import type { AgentDefinition } from './agents/index.js'
import type { Backoff } from './board/index.js'
import type { Clock, Logger, Random } from './environment/index.js'
import type { NotificationChannel } from './events/index.js'
import type { ScoringOptions } from './priority/index.js'
import type { Storage } from './storage/index.js'
import type { CredentialRequest, SurfacePaths } from './surface.js'
import type { WebhookOptions } from './webhooks/index.js'

/** What `createTaskboard` takes. Only `storage` is required. */
export interface TaskboardOptions<Tx = unknown> {
  readonly storage: Storage<Tx>
  /** The agent types that this process works. May be empty: a process can serve the API alone. */
  readonly agents?: readonly AgentDefinition[] | undefined
  /**
   * The host's own login in place of API keys: who is calling, or null. Asked for each request before anything else of it
   * is looked at.
   */
  readonly authenticate?:
    ((request: CredentialRequest) => Principal | null | Promise<Principal | null>) | undefined
  /** Keeps webhook secrets encrypted at rest. Required with a durable storage; else a key of the process is made up. */
  readonly secrets?: SecretBoxOptions | undefined
  /** Where state changes are told, besides webhooks. Workspaces choose among these by name. */
  readonly notifications?: readonly NotificationChannel[] | undefined
  readonly webhooks?: WebhookOptions | undefined
  /** Weights and horizons of the score. Changing them on a durable storage needs `rescore()`. */
  readonly priority?: ScoringOptions | undefined
  readonly attempts?:
    | {
        /** How many claims a task gets before it is held as `failed`. Default 5. */
        readonly max?: number | undefined
        /** The wait after a failed or expired attempt. Default 10 s, doubling, up to 10 min. */
        readonly backoff?: Backoff | undefined
      }
    | undefined
  readonly limits?:
    | {
        /** Board requests in any rolling minute per key. Default 60. */
        readonly boardPerMinute?: number | undefined
        /** Failed credentials in any rolling minute per client address. Default 60. */
        readonly failedCredentialsPerMinute?: number | undefined
      }
    | undefined
  readonly paths?: Partial<SurfacePaths> | undefined
  /** The largest request body in bytes. Default 1 MiB. */
  readonly bodyLimitBytes?: number | undefined
  readonly retention?:
    | {
        /** How long events are kept. Default 30 days. */
        readonly eventsMs?: number | undefined
        /** How long finished webhook deliveries are kept. Default 30 days. */
        readonly deliveriesMs?: number | undefined
      }
    | undefined
  /** Whether a new workspace gets an agent of the first type in `agents`. Default true. */
  readonly createDefaultAgent?: boolean | undefined
  /** The longest wait between looks at a storage that other processes write to. Default 1,000. */
  readonly pollIntervalMs?: number | undefined
  readonly clock?: Clock | undefined
  readonly random?: Random | undefined
  readonly logger?: Logger | undefined
}

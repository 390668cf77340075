import type { SecretBox } from '../access/index.js'
import type { Clock } from '../environment/index.js'
import { isTaskboardError } from '../errors/index.js'
import type { LinkView } from './link.js'

/** The pass that a browser keeps when the person of a link has logged in on its page. It is for that link and person alone. */
export interface LoginPasses {
  /** Valid for ten minutes. */
  issue(link: Pick<LinkView, 'id' | 'userId'>): string
  isValid(pass: string, link: Pick<LinkView, 'id' | 'userId'>): boolean
}

interface Pass {
  readonly id: string
  readonly userId: string
  readonly until: number
}

export const passLifetimeMs = 600_000
const CONTEXT = 'login on the page of a link'
const LONGEST = 1_024

export function createLoginPasses(secrets: Pick<SecretBox, 'open' | 'seal'>, clock: Clock): LoginPasses {
  function open(pass: string): Pass | null {
    if (pass.length > LONGEST) return null
    try {
      return JSON.parse(secrets.open(pass, CONTEXT)) as Pass
    } catch (error) {
      if (isTaskboardError(error, 'INTERNAL_ERROR')) return null
      throw error
    }
  }

  return {
    issue: ({ id, userId }) =>
      secrets.seal(
        JSON.stringify({ id, userId, until: clock.now() + passLifetimeMs } satisfies Pass),
        CONTEXT,
      ),
    isValid(pass, { id, userId }) {
      const found = open(pass)
      return found !== null && found.id === id && found.userId === userId && found.until > clock.now()
    },
  }
}

import { type Principal, requireScope } from '../access/index.js'
import { actorOf } from '../board/index.js'
import { TaskboardError } from '../errors/index.js'
import type { BotDesk, Pressed, Spoken } from './bot-desk.js'
import type { MessageOffer, MessagePlace } from './bot-store.js'
import { readToken, undoMs } from './card.js'
import { type DeskDeps, mostLinks, userName } from './desk-deps.js'
import type { DeskPeople } from './desk-people.js'

type PressDeps<Tx> = DeskDeps<Tx> & DeskPeople<Tx>

const forged = (): TaskboardError => new TaskboardError('NOT_FOUND', 'this button does nothing')

/** What presses on buttons do. */
export function createPresses<Tx>(deps: PressDeps<Tx>): BotDesk['press'] {
  const { environment, store, bot } = deps

  async function settleLink(spoken: Spoken, codeId: string, secretHash: string, accepts: boolean) {
    const settled = { codeId, bot, externalId: spoken.person.id, secretHash, accepts, most: mostLinks }
    const outcome = await deps.once(spoken, null, async (own) => ({
      link: await store.settleLink(settled, own),
    }))
    if (outcome === null) return null
    if (!accepts) return { kind: 'declined' } as const
    if (outcome.link === null)
      throw new TaskboardError('CONFLICT', 'this code has expired, or was used: get another one')
    const { accountId, userId } = outcome.link
    return { kind: 'linked', user: await userName(deps, accountId, userId) } as const
  }

  async function decide(
    spoken: Spoken,
    principal: Principal,
    { workspaceId }: MessagePlace,
    { subjectId, digest }: MessageOffer,
    decision: 'approved' | 'rejected',
  ): Promise<Pressed | null> {
    requireScope(principal, 'approvals:write')
    const actor = actorOf(principal)
    // A request that was withdrawn may stay pending for a while: its buttons decide nothing.
    const verdict = { decision, comment: null, digest, onlyOnHold: true }
    return deps.once(spoken, principal, async (own) => {
      const decided = { workspaceId, approvalId: subjectId, verdict, decidedBy: actor }
      await deps.approvalStore.decideApproval(decided, own)
      return { kind: 'decided', decision, by: principal.name ?? principal.id } as const
    })
  }

  async function undo(spoken: Spoken, principal: Principal, place: MessagePlace): Promise<Pressed | null> {
    requireScope(principal, 'tasks:write')
    if (place.userId !== principal.id) {
      throw new TaskboardError('FORBIDDEN', 'only who added the task can take it back')
    }
    const board = deps.board(place.workspaceId)
    return deps.once(spoken, principal, async ({ tx }) => {
      const task = await board.get(place.taskId, { tx })
      if (task.createdAt + undoMs < environment.clock.now()) {
        throw new TaskboardError('CONFLICT', 'it is too late to take this back: cancel the task instead')
      }
      if (task.fencingToken > 0) {
        throw new TaskboardError('CONFLICT', 'an agent has begun: cancel the task instead')
      }
      await board.delete(place.taskId, { tx, actor: actorOf(principal) })
      return { kind: 'undone', title: task.title } as const
    })
  }

  return async (spoken, { token, ref }) => {
    const read = readToken(token)
    if (read === null) throw forged()
    const { id, secretHash, action } = read
    if (action === 'y' || action === 'n') return settleLink(spoken, id, secretHash, action === 'y')
    const [place] = await store.listMessages({ id }, environment.call())
    if (place === undefined || place.bot !== bot || place.conversationId !== spoken.conversation.id)
      throw forged()
    const { principal } = await deps.personOf(spoken)
    await deps.requireReach(principal, place.workspaceId)
    // Before its place was noted, the process that posted it ended: another one has posted it again.
    if (place.ref !== null && ref !== null && place.ref !== ref) return { kind: 'replaced', newer: place.ref }
    const { offer } = place
    const wanted = action === 'u' ? 'undo' : 'approval'
    if (offer === null || offer.secretHash !== secretHash || offer.kind !== wanted) {
      throw new TaskboardError('CONFLICT', 'this message is out of date: look at the newest one')
    }
    const pressed =
      action === 'u'
        ? await undo(spoken, principal, place)
        : await decide(spoken, principal, place, offer, action === 'a' ? 'approved' : 'rejected')
    deps.onChanged()
    return pressed
  }
}

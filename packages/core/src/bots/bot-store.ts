import type { Reach } from '../access/index.js'
import type { CallContext, Instant } from '../environment/index.js'

/** An account of a messenger that stands for a user: what it writes, that user writes. */
export interface MessengerLink {
  /** `mln_…` */
  readonly id: string
  /** The name of the bot. */
  readonly bot: string
  /** The messenger's id of the account. A bot has one link for it. */
  readonly externalId: string
  /** What the messenger called the account when it was linked. */
  readonly name: string
  readonly userId: string
  readonly accountId: string
  /** The IANA time zone in which the user writes times. */
  readonly timeZone: string
  readonly createdAt: Instant
}

/** A one-time code that links a messenger account to its user. Only its digest is stored. */
export interface LinkCode {
  /** `mlc_…` */
  readonly id: string
  readonly userId: string
  readonly accountId: string
  readonly timeZone: string
  readonly expiresAt: Instant
}

/** A conversation of a messenger whose messages belong to a workspace. */
export interface ConnectedConversation {
  /** `mcv_…` */
  readonly id: string
  readonly bot: string
  /** The messenger's id of the conversation. A bot connects it to one workspace. */
  readonly externalId: string
  readonly title: string
  readonly workspaceId: string
  readonly accountId: string
  /** The user who connected it. */
  readonly connectedBy: string
  readonly createdAt: Instant
  /** Why the bot cannot write there any more; null while it can. Connecting it again clears this. */
  readonly failure: string | null
}

/** The effect of the buttons of a message, or of a reply to it, while it shows them. */
export interface MessageOffer {
  /** `question`: a reply is the answer. It has no buttons. */
  readonly kind: 'undo' | 'approval' | 'question'
  /** The id of the approval or question; of the task, for `undo` and for a hold without a question. */
  readonly subjectId: string
  /** The digest of the approval's input; null for the others. */
  readonly digest: string | null
  /** The SHA-256 of the secret that the buttons carry. */
  readonly secretHash: string
}

/** Where the card of a task is, and its content. */
export interface MessagePlace {
  /** `mms_…` */
  readonly id: string
  readonly bot: string
  /** The messenger's id of the conversation. */
  readonly conversationId: string
  /** The messenger's id of the message, or the thread, to which the card replies; null for none. */
  readonly replyTo: string | null
  readonly workspaceId: string
  readonly taskId: string
  /** The user for whom it was made. */
  readonly userId: string
  /** The time zone of that user. */
  readonly timeZone: string
  /** The messenger's id of the message; null until it was posted. */
  readonly ref: string | null
  /** `ended`: it gets one more edit, and is forgotten then. */
  readonly state: 'live' | 'ended'
  /** A digest of its content; null before it was posted. */
  readonly shown: string | null
  readonly offer: MessageOffer | null
  /** How many sends have failed since the last one that worked. */
  readonly failures: number
  readonly createdAt: Instant
}

/** A message that is to be posted or edited, claimed by one process. */
export interface ClaimedMessage extends MessagePlace {
  readonly claimToken: string
  /** How often it was marked. Pass it to `settleMessage`, which keeps the marks made since. */
  readonly marks: number
}

/** An update that a messenger has sent, by the messenger's id of it. */
export interface TakenUpdate {
  readonly bot: string
  readonly updateId: string
  /** Where polling continues after it; null where the messenger calls. */
  readonly position: number | null
}

export type LinkQuery =
  | { readonly bot: string; readonly externalId: string }
  /** All of a user, oldest first. */
  | { readonly accountId: string; readonly userId: string }

export type ConversationQuery =
  | { readonly bot: string; readonly externalId: string }
  | { readonly within: Reach; readonly conversationId?: string | undefined }

export type MessageQuery =
  | { readonly id: string }
  | { readonly bot: string; readonly conversationId: string; readonly ref: string }
  /** Those that are live, newest first. */
  | { readonly bot: string; readonly conversationId: string }

/** What a send did. */
export interface SettledMessage {
  readonly id: string
  readonly claimToken: string
  readonly marks: number
  /**
   * `sent`: the messenger shows it, as `shown`, in the message `ref`; it is due again after `waitMs` if it was marked since. `failed`: it is
   * due again after `waitMs`. `later`: likewise, without counting a failure. `gone`: forget it.
   */
  readonly outcome: 'sent' | 'failed' | 'later' | 'gone'
  readonly ref?: string | undefined
  readonly shown?: string | undefined
  readonly waitMs: number
  /** Of what was sent: when it is due again without a mark; null for never. */
  readonly againInMs: number | null
}

/**
 * What bots of messengers need to know. Each verb is atomic. Texts of conversations are in none of it.
 */
export interface BotStore<Tx = unknown> {
  /**
   * Notes that an update has its effect, and returns true; false when it had it before. Call it in the commit of the effect. Of concurrent
   * calls for one update, one returns true once the others' commits are known.
   */
  takeUpdate(update: TakenUpdate, call: CallContext<Tx>): Promise<boolean>
  /** Makes `holder` the one process that polls for a bot, for `leaseMs`, unless another one is. `position` is the last one of `takeUpdate`, or 0. */
  holdPolling(
    lease: { readonly bot: string; readonly holder: string; readonly leaseMs: number },
    call: CallContext<Tx>,
  ): Promise<{ readonly isHeld: boolean; readonly position: number }>
  /** Stores a code, in the place of those that its user had. */
  insertLinkCode(
    code: Pick<LinkCode, 'userId' | 'accountId' | 'timeZone'> & {
      readonly codeHash: string
      readonly ttlMs: number
    },
    call: CallContext<Tx>,
  ): Promise<LinkCode>
  /**
   * Uses up a code for a messenger account, which may then accept it once with the secret. Null for a code that is unknown, has expired, or
   * was used up.
   */
  offerLink(
    offer: {
      readonly codeHash: string
      readonly bot: string
      readonly externalId: string
      readonly name: string
      readonly secretHash: string
    },
    call: CallContext<Tx>,
  ): Promise<LinkCode | null>
  /**
   * Accepts or declines what `offerLink` offered, once. A link that the messenger account had ends. Null when nothing is on offer to this
   * account with that secret, and after declining.
   * @throws TaskboardError `CONFLICT` when the user has `most` links.
   */
  settleLink(
    settled: {
      readonly codeId: string
      readonly bot: string
      readonly externalId: string
      readonly secretHash: string
      readonly accepts: boolean
      readonly most: number
    },
    call: CallContext<Tx>,
  ): Promise<MessengerLink | null>
  listLinks(query: LinkQuery, call: CallContext<Tx>): Promise<readonly MessengerLink[]>
  /** Deletes a link of a user; false when there is none. */
  deleteLink(
    named: { readonly accountId: string; readonly userId: string; readonly linkId: string },
    call: CallContext<Tx>,
  ): Promise<boolean>
  /**
   * Connects a conversation with a workspace. One that was connected by the same account is moved.
   * @throws TaskboardError `FORBIDDEN` when another account has connected it; `NOT_FOUND` for an unknown workspace; `CONFLICT` when the
   *   workspace has `most`.
   */
  connectConversation(
    connection: Pick<
      ConnectedConversation,
      'bot' | 'externalId' | 'title' | 'workspaceId' | 'accountId' | 'connectedBy'
    > & { readonly most: number },
    call: CallContext<Tx>,
  ): Promise<ConnectedConversation>
  /** By id, which is the order of their creation. */
  listConversations(
    query: ConversationQuery,
    call: CallContext<Tx>,
  ): Promise<readonly ConnectedConversation[]>
  /** Deletes a connection, with the messages there; false when there is none within reach. */
  deleteConversation(
    named: { readonly within: Reach; readonly conversationId: string },
    call: CallContext<Tx>,
  ): Promise<boolean>
  /**
   * Forgets the messages of a conversation, and notes why nothing can be written there. Returns it when that is new; null when it was known, and
   * when the conversation is not connected.
   */
  disableConversation(
    fault: { readonly bot: string; readonly externalId: string; readonly failure: string },
    call: CallContext<Tx>,
  ): Promise<ConnectedConversation | null>
  /**
   * Adds a message that is due to be posted. Ends the others of its task in the conversation, and the oldest when the conversation has `most`
   * that are live.
   */
  placeMessage(
    placed: Pick<
      MessagePlace,
      'bot' | 'conversationId' | 'replyTo' | 'workspaceId' | 'taskId' | 'userId' | 'timeZone'
    > & { readonly most: number },
    call: CallContext<Tx>,
  ): Promise<MessagePlace>
  listMessages(query: MessageQuery, call: CallContext<Tx>): Promise<readonly MessagePlace[]>
  /** Makes the messages of tasks due, because what they show has changed; null: all. */
  markMessages(
    marked: { readonly bots: readonly string[]; readonly taskIds: readonly string[] | null },
    call: CallContext<Tx>,
  ): Promise<void>
  /** Claims messages that are due for `claimMs`, oldest first; no two callers get the same one. `nextDueInMs` is null when none waits. */
  claimMessages(
    request: { readonly bots: readonly string[]; readonly limit: number; readonly claimMs: number },
    call: CallContext<Tx>,
  ): Promise<{ readonly messages: readonly ClaimedMessage[]; readonly nextDueInMs: number | null }>
  /** Sets what the buttons of a claimed message will do. Before it is sent, so that a button that is seen works. False when the claim is lost. */
  offerButtons(
    offered: { readonly id: string; readonly claimToken: string; readonly offer: MessageOffer | null },
    call: CallContext<Tx>,
  ): Promise<boolean>
  /** Ends a claim with what came of it. False when the claim was lost. */
  settleMessage(settled: SettledMessage, call: CallContext<Tx>): Promise<boolean>
}

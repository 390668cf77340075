import type { Principal } from '../access/index.js'
import type { Approval, Task } from '../board/index.js'
import type { Instant } from '../environment/index.js'

/** What a person did in a messenger. */
export interface Spoken {
  /** The messenger's id of the update. An update takes effect once. */
  readonly updateId: string
  /** Where polling continues after it; null where the messenger calls. */
  readonly position: number | null
  readonly person: { readonly id: string; readonly name: string }
  readonly conversation: {
    readonly id: string
    readonly title: string
    /** Whether this person is the only one who reads it. */
    readonly isDirect: boolean
  }
  /** The message, or the thread, that it replies to; null for none. */
  readonly replyTo: string | null
  /** The message to which a card that this causes replies; null for none. */
  readonly cardRepliesTo: string | null
}

/** A linked person, as of now. */
export interface Member {
  readonly principal: Principal
  readonly timeZone: string
  /** The workspace of the conversation. */
  readonly workspaceId: string
  readonly workspaceName: string
}

/** A task that a person writes. */
export interface SpokenTask {
  readonly title: string
  readonly description?: string | null | undefined
  readonly priority?: Task['priority'] | undefined
  readonly dueDate?: Instant | undefined
  /** The name of the agent that is to do it. */
  readonly agent?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly type?: string | undefined
}

/** What became of a reply. */
export interface Replied {
  /** `answer`: to the question of an agent. */
  readonly kind: 'answer' | 'comment'
  readonly title: string
}

/** The user of a code, with the tokens of the buttons that accept and decline it. */
export interface LinkOffer {
  /** The address or the name of the user. */
  readonly user: string
  /** The name of the account. */
  readonly account: string
  readonly accept: string
  readonly decline: string
}

/** What became of a press. */
export type Pressed =
  | { readonly kind: 'decided'; readonly decision: 'approved' | 'rejected'; readonly by: string }
  | { readonly kind: 'undone'; readonly title: string }
  | { readonly kind: 'linked'; readonly user: string }
  | { readonly kind: 'declined' }
  /** The button is of a message that a newer one has replaced; `newer` is that message, if there is one. */
  | { readonly kind: 'replaced'; readonly newer: string | null }

/** A task, and what keeps it from being picked up. */
export interface TaskReport {
  readonly task: Task
  readonly handle: string
  /** The name of the agent that is shown with it. */
  readonly agent: string | null
  readonly openApproval: Approval | null
  readonly url: string | null
  readonly timeZone: string
}

/**
 * The actions that a bot can take on the board for people who are linked. Every method rejects with a `TaskboardError` whose message is for
 * people. Its code is `UNAUTHORIZED` when the messenger account isn't linked, `FORBIDDEN` without the scope or beyond reach, or
 * `RATE_LIMITED`. It is `CONFLICT` when the conversation isn't connected. A method that changes something does so once per update, and
 * returns null after that.
 */
export interface BotDesk {
  /** The person, and the workspace of the conversation. */
  member(spoken: Spoken): Promise<Member>
  /** The names of the agents of the workspace. */
  agentNames(spoken: Spoken): Promise<readonly string[]>
  /** Adds a task, whose card is posted as soon as this has committed. */
  add(spoken: Spoken, task: SpokenTask): Promise<{ readonly taskId: string } | null>
  /** Answers the question of the task whose card `replyTo` names, or comments on it. `NOT_FOUND` when it isn't a card. */
  reply(spoken: Spoken, text: string): Promise<Replied | null>
  /** Counts a message that needs no link, such as one that asks for help. `RATE_LIMITED`, as each message of such an account. */
  countMessage(spoken: Spoken): Promise<void>
  /** Whether `replyTo` is a card. */
  isCard(spoken: Spoken): Promise<boolean>
  comment(spoken: Spoken, handle: string | null, text: string): Promise<Replied | null>
  cancel(spoken: Spoken, handle: string | null): Promise<{ readonly title: string } | null>
  setPriority(
    spoken: Spoken,
    handle: string | null,
    priority: Task['priority'],
  ): Promise<{ readonly title: string } | null>
  /** Posts a new card of a task, in the place of the older one. */
  showCard(spoken: Spoken, handle: string | null): Promise<{ readonly taskId: string } | null>
  /** The open tasks of the workspace, the newest first; with `mine`, those that the person added in this conversation. */
  list(spoken: Spoken, which: { readonly mine: boolean }): Promise<readonly TaskReport[]>
  report(spoken: Spoken, handle: string | null): Promise<TaskReport>
  /** Connects the conversation with the workspace of that name. */
  connect(spoken: Spoken, workspaceName: string): Promise<{ readonly workspaceName: string } | null>
  /** Uses up a code, and asks for the confirmation. `NOT_FOUND` for one that is not valid. */
  offerLink(spoken: Spoken, code: string): Promise<LinkOffer | null>
  /** What a press on a button does. `ref` is the message with the button. */
  press(
    spoken: Spoken,
    pressed: { readonly token: string; readonly ref: string | null },
  ): Promise<Pressed | null>
  /** Notes that an update needs no response, or got it. */
  done(spoken: Pick<Spoken, 'updateId' | 'position'>): Promise<void>
  readonly now: () => Instant
  readonly logger: {
    debug(fields: object, message: string): void
    warn(fields: object, message: string): void
    error(fields: object, message: string): void
  }
}

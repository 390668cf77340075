import type { Task } from '@taskboard/client'
import { boardText, createText } from './board.js'
import { chatText } from './chat.js'
import { inboxText } from './inbox.js'
import { loginText, stepUpText } from './login.js'
import { taskText } from './task.js'

/**
 * What people read. All of it is in this folder, so that it can be translated: a file for each page, and here what the pages share. This object
 * has the texts of the pages that are loaded first.
 */
export const text = {
  product: 'Taskboard',
  nav: {
    main: 'Main',
    skip: 'Skip to the content',
    messages: 'Messages',
    workspace: 'Workspace',
    workspaceGone: (gone: string, shown: string) =>
      `You no longer have access to the workspace ${gone}. The workspace ${shown} is shown now.`,
    logOut: 'Log out',
    help: 'Keyboard shortcuts',
  },
  live: {
    offline: 'Offline. The board shows the last known state and reconnects automatically.',
    ended: 'Live updates have stopped. Reload the page.',
    connecting: 'Connecting …',
    open: 'Live',
    retry: 'Reconnect now',
  },
  columns: { todo: 'To do', doing: 'Doing', done: 'Done' } satisfies Record<Task['column'], string>,
  priorities: {
    urgent: 'Urgent',
    high: 'High',
    medium: 'Medium',
    low: 'Low',
  } satisfies Record<Task['priority'], string>,
  statuses: {
    pending: 'Waiting',
    in_progress: 'In progress',
    completed: 'Done',
    failed: 'Failed',
    cancelled: 'Cancelled',
    blocked: 'Needs attention',
  } satisfies Record<Task['status'], string>,
  holds: {
    failed: 'Failed',
    cancelled: 'Cancelled',
    needs_input: 'Question',
    approval: 'Approval',
    budget: 'Budget spent',
  } satisfies Record<NonNullable<Task['hold']>['reason'], string>,
  actions: {
    save: 'Save',
    saved: 'Saved.',
    cancel: 'Cancel',
    close: 'Close',
    delete: 'Delete',
    edit: 'Edit',
    retry: 'Try again',
    more: 'Show more',
    copy: 'Copy',
    copied: 'Copied',
    back: 'Back',
    dismiss: 'Dismiss',
  },
  loading: 'Loading …',
  longText: (characters: number) => `Show all ${characters.toLocaleString()} characters, without formatting`,
  errors: {
    request: (id: string) => `Request ${id}`,
    network: 'The server is unreachable. Check your connection, then try again.',
    gone: "This doesn't exist, or it was deleted.",
    stepUp: 'This needs a recent login. Log in again, then retry.',
    forbidden: "You don't have permission for this. Ask an account owner.",
    busy: (wait: string) => `Too many requests. Try again in ${wait}.`,
    locked: (wait: string) => `Too many attempts. Try again in ${wait}.`,
    server: 'Something went wrong on the server. Try again. If the problem persists, report the request ID.',
    drawing: "This part of the page can't be shown.",
    reload: 'Reload the page',
    fields: {
      mfa_code: 'The code',
      current_password: 'The current password',
      email: 'The email address',
      expires_at: 'The time',
      url: 'The URL',
    } as Readonly<Record<string, string | undefined>>,
    unavailable: 'The server is not available right now. Try again in a moment.',
    unexpected: 'Something went wrong.',
  },
  board: boardText,
  create: createText,
  login: loginText,
  stepUp: stepUpText,
  help: {
    title: 'Keyboard shortcuts',
    /** Between keys that are pressed one after the other. */
    between: 'then',
    /** Of the keys that lead to a page, and of the titles of these pages. */
    rows: (keys: readonly string[], titles: readonly string[]) =>
      [
        ['← → ↑ ↓', 'Move between cards'],
        ['Enter', 'Open the card or the entry'],
        ['m', 'Move the card to another column'],
        ['n', 'New task'],
        ['/', 'Search'],
        ['j k', 'Inbox: move between entries'],
        ['Shift+A Shift+R', 'Inbox: approve, reject'],
        [`g then ${keys.join(' ')}`, `Go to ${titles.join(', ')}`],
        ['Esc', 'Close'],
        ['?', 'This help'],
      ] as const,
  },
  task: taskText,
  inbox: inboxText,
  chat: chatText,
} as const

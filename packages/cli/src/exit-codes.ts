/** How the program exits. Scripts rely on the numbers. */
export const exitCodes = {
  ok: { code: 0, summary: 'done' },
  failed: { code: 1, summary: 'any other error' },
  usage: {
    code: 2,
    summary: 'a missing or invalid command, option, argument or setting',
  },
  refused: { code: 3, summary: 'no credential, a rejected credential, or a missing scope' },
  unknown: { code: 4, summary: 'not found, or not accessible' },
  conflict: { code: 5, summary: 'the current state does not allow it, or it already exists' },
  limited: { code: 6, summary: 'a limit or quota of the account is reached' },
  unavailable: {
    code: 7,
    summary: 'unreachable, or not a Taskboard server or database',
  },
  invalid: { code: 8, summary: 'the server rejected a value; the message names the field' },
  pending: { code: 9, summary: '`status`: the schema is not up to date' },
  interrupted: { code: 130, summary: 'interrupted by Ctrl-C or a signal' },
} as const satisfies Record<string, { readonly code: number; readonly summary: string }>

export type Ending = keyof typeof exitCodes

/** How the program ends. Scripts rely on the numbers. */
export const exitCodes = {
  ok: { code: 0, summary: 'done' },
  failed: { code: 1, summary: 'any other fault' },
  usage: {
    code: 2,
    summary: 'a command, option, argument or setting that is missing or cannot be used',
  },
  refused: { code: 3, summary: 'no credential, one that the server refuses, or one without the scope' },
  unknown: { code: 4, summary: 'there is no such thing, or it is out of reach' },
  conflict: { code: 5, summary: 'the state does not allow it, or it exists already' },
  limited: { code: 6, summary: 'a limit or a quota of the account is reached' },
  unavailable: {
    code: 7,
    summary: 'the server or the database cannot be reached, or does not answer as one',
  },
  invalid: { code: 8, summary: 'the server refuses a value; the message names the field' },
  pending: { code: 9, summary: '`status`: the schema is not up to date' },
  interrupted: { code: 130, summary: 'ended by Ctrl-C or a signal, before it was done' },
} as const satisfies Record<string, { readonly code: number; readonly summary: string }>

export type Ending = keyof typeof exitCodes

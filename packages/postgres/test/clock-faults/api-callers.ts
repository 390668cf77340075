/** The part of a response that the tests read. */
export interface Answer {
  readonly status: number
  /** Seconds; NaN without the header. */
  readonly retryAfter: number
  readonly body: Record<string, unknown>
}

export const EMAIL = 'ada@example.com'
export const PASSWORD = 'a password that holds'

/** Calls one process; `base` is any of its URLs. */
export function callerOf(base: string) {
  async function send(method: string, path: string, token: string | null, body?: object): Promise<Answer> {
    const response = await fetch(new URL(path, base), {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return {
      status: response.status,
      retryAfter: Number(response.headers.get('retry-after') ?? Number.NaN),
      body: (await response.json()) as Record<string, unknown>,
    }
  }

  return {
    send,
    /** One request with a key that is limited to sixty in any minute. */
    list: (key: string) => send('GET', '/api/board?action=todo', key),
    logIn: (password: string, code?: string) =>
      send('POST', '/v2/auth/login', null, {
        email: EMAIL,
        password,
        ...(code === undefined ? {} : { mfa_code: code }),
      }),
  }
}

export type Caller = ReturnType<typeof callerOf>

/** Calls the callers in turn; returns the last answer and how many were not refused. */
export async function askInTurn(
  callers: readonly Caller[],
  count: number,
  ask: (caller: Caller) => Promise<Answer>,
): Promise<{ readonly passed: number; readonly last: Answer }> {
  let passed = 0
  let last: Answer | undefined
  for (let n = 0; n < count; n += 1) {
    last = await ask(callers[n % callers.length] as Caller)
    if (last.status !== 429) passed += 1
  }
  return { passed, last: last as Answer }
}

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createOriginGuard } from '../packages/core/src/access/cross-origin.js'

const page = readFileSync(new URL('own-login.md', import.meta.url), 'utf8')

/** A request with the conditions of a row, by the text of the row. The host addresses `https://board.example`. */
const requests: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'has an `Authorization` header of a scheme other than Basic, Digest, NTLM or Negotiate': {
    authorization: 'Bearer x',
    cookie: 'a=b',
    origin: 'https://evil.example',
  },
  'has neither a cookie nor an `Authorization` header': { origin: 'https://evil.example' },
  'has `Sec-Fetch-Site: same-origin` or `none`': { cookie: 'a=b', 'sec-fetch-site': 'none' },
  'has an `Origin` in `allowedOrigins`': { cookie: 'a=b', origin: 'https://panel.example' },
  'has another `Sec-Fetch-Site` (`cross-site`, or `same-site` for a sibling subdomain)': {
    authorization: 'Basic x',
    'sec-fetch-site': 'same-site',
  },
  'has no `Sec-Fetch-Site`, and an `Origin` with the scheme, host and port that the request addresses': {
    cookie: 'a=b',
    origin: 'https://board.example',
  },
  'has Basic, Digest, NTLM or Negotiate, and neither `Sec-Fetch-Site` nor `Origin`': {
    authorization: 'Negotiate x',
  },
  'has a cookie, no such scheme, and neither of these headers': { cookie: 'a=b' },
  'has any other `Origin`, including `null`': { authorization: 'Digest x', origin: 'null' },
}

describe('the table of requests with cookies', () => {
  const guard = createOriginGuard(['https://panel.example'])
  const [, section = ''] = page.split('\n## Cookies, and other sites\n')
  const rows = [...section.matchAll(/^\| (has .*) \| (accepted|rejected)/gm)]

  it('has a row for each case', () => {
    expect(rows.map(([, condition]) => condition)).toEqual(Object.keys(requests))
  })

  it.each(rows.map(([, condition = '', result]) => [condition, result]))('%s: %s', (condition, result) => {
    const headers = requests[condition] ?? {}
    const request = {
      method: 'POST',
      targetOrigin: 'https://board.example',
      header: (name: string) => headers[name],
    }
    expect(guard.refuse(request) === null ? 'accepted' : 'rejected').toBe(result)
  })
})

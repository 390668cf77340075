import { describe, expect, it } from 'vitest'
import { toCsv } from '../app/audit/audit-csv.js'

const record = {
  id: 'aud_1',
  at: '2026-01-01T00:00:00.000Z',
  action: 'access.refused',
  outcome: 'refused',
  count: 1,
  by: {
    kind: 'api_key',
    id: 'ak_1',
    name: null,
    session_id: null,
    client_address: '203.0.113.7',
    request_id: null,
  },
  target: null,
  details: {},
} as const

/** The cell of a name, as the file has it. */
const cellOf = (name: string): string =>
  toCsv([{ ...record, by: { ...record.by, name } }]).split('\r\nrow')[0] ?? ''

describe('the audit as CSV', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['x;=cmd()', "x;'=cmd()"],
    ['x\t=cmd()', "x\t'=cmd()"],
    ['x\n=cmd()', '"x\n\'=cmd()"'],
    ['x\r\n@cmd()', '"x\r\n\'@cmd()"'],
    ['x,=cmd()', '"x,\'=cmd()"'],
    ['"=cmd()', '"""\'=cmd()"'],
    [' =cmd()', " '=cmd()"],
    ['\u00a0;\t =cmd()', "\u00a0;\t '=cmd()"],
    ['a=b-c+d@e', 'a=b-c+d@e'],
    ['Ada, née "B"', '"Ada, née ""B"""'],
  ])('has %j as a text, not as a formula', (name, cell) => {
    expect(cellOf(name)).toContain(`,ak_1,${cell},,203.0.113.7,`)
  })
})

import { memoryStorage } from '@taskboard/memory'
import { v2Conformance } from '@taskboard/testing'
import express from 'express'
import { mountOn } from '@taskboard/kit/hosts/express-host'
import { describe, expect, it } from 'vitest'
import { operationsOf } from '../../../scripts/generate/document.js'
import { readDocument } from '../../../scripts/generate/documented-board.js'

/** The cases that call each operation of the document with its example. They know nothing of what it does. */
const OF_ALL_OPERATIONS = /^(?:scopes|hostile|tenancy|unknown|sentences|host-login)\b/

describe('API v2 on Express 5', () => {
  const ran = new Set<string>()
  const answered = new Set<string>()
  let running = ''
  const mount = mountOn(express, (method, path, status) => {
    if (status < 300 && !OF_ALL_OPERATIONS.test(running)) answered.add(`${method} ${path}`)
  })
  const open = () => Promise.resolve({ storage: memoryStorage(), close: () => Promise.resolve() })
  const cases = v2Conformance({ open, mount })

  it.each(cases)('$id: $name', (one) => {
    running = one.id
    ran.add(one.id)
    return assertMet(one)
  })

  it('has cases in which each operation does what it is for', async ({ skip }) => {
    if (ran.size < cases.length) skip('not all cases have run')
    const operations = operationsOf(await readDocument())
      .filter(({ path }) => path.startsWith('/v2/'))
      .map(({ method, path }) => `${method} ${path}`)
    const fixedFirst = operations.toSorted(
      (one, other) => Number(one.includes('{')) - Number(other.includes('{')),
    )
    const called = [...answered].map((request) =>
      fixedFirst.find((each) => new RegExp(`^${each.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(request)),
    )
    expect(operations.filter((each) => !called.includes(each))).toEqual([])
  })
})

function assertMet({ run }: { run: () => Promise<void> }): Promise<void> {
  return run()
}

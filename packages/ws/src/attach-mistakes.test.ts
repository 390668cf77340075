import { createServer } from 'node:http'
import { createTaskboard } from '@taskboard/core'
import { memoryStorage } from '@taskboard/memory'
import express from 'express'
import { expect, it } from 'vitest'
import { attachRealtime } from './index.js'

const taskboard = createTaskboard({ storage: memoryStorage() })

it.each([
  ['server', express(), taskboard],
  ['server', undefined, taskboard],
  ['taskboard', createServer(), undefined],
  ['taskboard', createServer(), { taskboard }],
])('attachRealtime needs a %s', (field, server, given) => {
  expect(() => attachRealtime(server as never, given as never)).toThrow(
    expect.objectContaining({ code: 'INVALID_CONFIG', field }),
  )
})

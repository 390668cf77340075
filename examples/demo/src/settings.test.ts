import { describe, expect, it } from 'vitest'
import { readSettings, SettingError } from './settings.js'

describe('readSettings', () => {
  it('has a default for everything', () => {
    expect(readSettings({ PORT: '', HOST: ' ' })).toEqual({
      host: '127.0.0.1',
      port: 3_000,
      webhookAllow: [],
      stepMs: 300,
      drainMs: 10_000,
    })
  })

  it('reads what is set', () => {
    const env = {
      HOST: '::1',
      PORT: '0',
      TASKBOARD_WEBHOOK_ALLOW: '127.0.0.0/8, ::1,',
      TASKBOARD_STEP_MS: '0',
      TASKBOARD_DRAIN_MS: '500',
    }
    expect(readSettings(env)).toEqual({
      host: '::1',
      port: 0,
      webhookAllow: ['127.0.0.0/8', '::1'],
      stepMs: 0,
      drainMs: 500,
    })
  })

  it.each([
    ['PORT', 'abc'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '3000.5'],
    ['HOST', 'not a host'],
    ['TASKBOARD_STEP_MS', '1e3'],
    ['TASKBOARD_DRAIN_MS', '600001'],
  ])('refuses %s=%s by name', (variable, value) => {
    const read = (): unknown => readSettings({ [variable]: value })
    expect(read).toThrow(SettingError)
    expect(read).toThrow(`${variable} must be`)
  })
})

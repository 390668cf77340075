import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSettings, SettingError } from './settings.js'

describe('readSettings', () => {
  it('has a default for everything', () => {
    expect(readSettings({ PORT: '', HOST: ' ' })).toEqual({
      host: '127.0.0.1',
      port: 3_000,
      webhookAllow: [],
      runsAgent: true,
      model: null,
      telegram: null,
      addsSamples: true,
      stepMs: 300,
      drainMs: 10_000,
      dataDirectory: resolve('.taskboard'),
      databaseUrl: null,
      encryptionKey: null,
      ownerEmail: null,
      ownerPassword: null,
    })
  })

  it('reads what is set', () => {
    const env = {
      HOST: '::1',
      PORT: '0',
      TASKBOARD_WEBHOOK_ALLOW: '127.0.0.0/8, ::1,',
      TASKBOARD_AGENT: 'off',
      TASKBOARD_MODEL_URL: ' http://127.0.0.1:11434/v1',
      TASKBOARD_MODEL: 'llama3.2',
      TASKBOARD_MODEL_KEY: 'secret',
      TASKBOARD_MODEL_PRICE: ' 0.25/2 ',
      TASKBOARD_TELEGRAM_TOKEN: ' 7:a-token-of-a-bot ',
      TASKBOARD_TELEGRAM_API: 'http://127.0.0.1:8081',
      TASKBOARD_SAMPLES: 'off',
      TASKBOARD_STEP_MS: '0',
      TASKBOARD_DRAIN_MS: '500',
      TASKBOARD_DATA: '/var/lib/board',
      DATABASE_URL: 'postgres:///board?host=/run/postgresql',
      TASKBOARD_ENCRYPTION_KEY: 'a key',
      TASKBOARD_OWNER_EMAIL: ' ada@example.com ',
      TASKBOARD_OWNER_PASSWORD: ' kept as it is ',
    }
    expect(readSettings(env)).toEqual({
      host: '::1',
      port: 0,
      webhookAllow: ['127.0.0.0/8', '::1'],
      runsAgent: false,
      model: {
        url: 'http://127.0.0.1:11434/v1',
        name: 'llama3.2',
        key: 'secret',
        price: { inputUsd: 0.25, outputUsd: 2 },
      },
      telegram: { token: '7:a-token-of-a-bot', apiUrl: 'http://127.0.0.1:8081' },
      addsSamples: false,
      stepMs: 0,
      drainMs: 500,
      dataDirectory: resolve('/var/lib/board'),
      databaseUrl: 'postgres:///board?host=/run/postgresql',
      encryptionKey: 'a key',
      ownerEmail: 'ada@example.com',
      ownerPassword: ' kept as it is ',
    })
  })

  it.each([
    ['PORT', 'abc'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '3000.5'],
    ['HOST', 'not a host'],
    ['TASKBOARD_AGENT', 'no'],
    ['TASKBOARD_STEP_MS', '1e3'],
    ['TASKBOARD_DRAIN_MS', '600001'],
    ['TASKBOARD_MODEL_PRICE', '2'],
    ['TASKBOARD_MODEL_PRICE', '0.25/-2'],
    ['TASKBOARD_MODEL_PRICE', '$0.25/$2'],
    ['TASKBOARD_MODEL_PRICE', '0.25/2/3'],
    ['DATABASE_URL', 'mysql://127.0.0.1/board'],
    ['DATABASE_URL', 'postgres://127.0.0.1:many/board'],
  ])('refuses %s=%s by name', (variable, value) => {
    const read = (): unknown => readSettings({ [variable]: value })
    expect(read).toThrow(SettingError)
    expect(read).toThrow(`${variable} must be`)
  })

  it.each([
    [{ TASKBOARD_MODEL: 'tiny' }, 'TASKBOARD_MODEL_URL must be set together with TASKBOARD_MODEL'],
    [
      { TASKBOARD_MODEL_URL: 'http://127.0.0.1/v1' },
      'TASKBOARD_MODEL must be set together with TASKBOARD_MODEL_URL',
    ],
    [{ TASKBOARD_MODEL: 'tiny', TASKBOARD_MODEL_URL: 'ftp://x' }, 'TASKBOARD_MODEL_URL must be a URL'],
    [{ TASKBOARD_MODEL_PRICE: '0.25/2' }, 'TASKBOARD_MODEL_PRICE must be set together with TASKBOARD_MODEL'],
  ])('takes a model and its endpoint together: %j', (env, message) => {
    expect(() => readSettings(env)).toThrow(message)
  })
})

import { describe, expect, it } from 'vitest'
import { silentLogger } from '../environment/index.js'
import { createEmitter } from './emitter.js'
import { toTaskboardEvent, type TaskboardEvent } from './taskboard-event.js'

function progress(seq: number): TaskboardEvent {
  return toTaskboardEvent({
    id: `log_${seq}`,
    workspaceId: 'ws_1',
    seq,
    at: 0,
    type: 'task.progress',
    data: { taskId: 't', progress: seq },
    payloadVersion: 1,
  })
}

function setup() {
  const errors: object[] = []
  const emitter = createEmitter({ ...silentLogger, error: (fields) => errors.push(fields) })
  return { emitter, events: emitter.events, emit: (event: TaskboardEvent) => emitter.emit(event), errors }
}

describe('the emitter', () => {
  it('calls listeners of the type and of all types', () => {
    const { events, emit } = setup()
    const heard: string[] = []
    events.on('task.progress', (event) => heard.push(`progress ${event.data.progress}`))
    events.on('*', (event) => heard.push(`all ${event.seq}`))
    events.on('order.new', () => heard.push('order'))
    emit(progress(1))
    emit(progress(2))
    expect(heard).toEqual(['progress 1', 'all 1', 'progress 2', 'all 2'])
  })

  it('calls a once listener once, and none after off or the returned stop', () => {
    const { events, emit } = setup()
    const heard: string[] = []
    const listener = (): unknown => heard.push('off')
    events.once('*', () => heard.push('once'))
    events.once('*', listener)
    events.on('*', listener)
    events.off('*', listener)
    const stop = events.on('*', () => heard.push('stopped'))
    stop()
    emit(progress(1))
    emit(progress(2))
    expect(heard).toEqual(['once'])
  })

  it('says whether there is a listener', () => {
    const { emitter, events, emit } = setup()
    expect(emitter.isHeard).toBe(false)
    const stop = events.on('order.new', () => undefined)
    events.once('*', () => undefined)
    emit(progress(1))
    expect(emitter.isHeard).toBe(true)
    stop()
    expect(emitter.isHeard).toBe(false)
  })

  it('isolates what a listener throws or rejects with', async () => {
    const { events, emit, errors } = setup()
    const heard: number[] = []
    events.on('*', () => {
      throw new Error('sync')
    })
    events.on('*', () => Promise.reject(new Error('async')))
    events.on('*', () => {
      throw Object.create(null)
    })
    events.on('*', () => {
      throw 'text'
    })
    events.on('*', () => {
      throw Object.assign(new Error('x'), { message: Object.create(null) as string })
    })
    events.on('*', (event) => heard.push(event.seq))
    emit(progress(1))
    await new Promise((resolve) => setImmediate(resolve))
    expect(heard).toEqual([1])
    expect(errors).toMatchObject([
      { err: new Error('sync') },
      { err: {} },
      { err: 'text' },
      { err: expect.any(Error) },
      { err: new Error('async') },
    ])
  })
})

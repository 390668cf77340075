import { describe, expect, it } from 'vitest'
import { type Commit, createCommitSignal } from './commit-signal.js'

function setUp() {
  const signal = createCommitSignal()
  const heard: Commit[] = []
  const stop = signal.listen((commit) => heard.push(commit))
  return { signal, heard, stop }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('a commit signal', () => {
  it('is heard once for all commits of a turn, and again for those of the next', async () => {
    const { signal, heard } = setUp()
    for (let turns = 0; turns < 2; turns++) {
      signal.raise()
      signal.raise()
      await turn()
    }
    expect(heard).toEqual([{ revokes: false }, { revokes: false }])
  })

  it('says that one of the commits took a task away, whichever it was', async () => {
    const { signal, heard } = setUp()
    for (const revokes of [
      [true, false],
      [false, true],
      [false, false],
    ]) {
      for (const each of revokes) signal.raise({ revokes: each })
      signal.raise()
      await turn()
    }
    expect(heard).toEqual([{ revokes: true }, { revokes: true }, { revokes: false }])
  })

  it('reaches every listener, whatever another one throws, until it stops', async () => {
    const { signal, heard, stop } = setUp()
    const later: Commit[] = []
    signal.listen(() => {
      throw new Error('of a listener')
    })
    signal.listen((commit) => later.push(commit))
    signal.raise()
    await turn()
    stop()
    signal.raise({ revokes: true })
    await turn()
    expect(heard).toEqual([{ revokes: false }])
    expect(later).toEqual([{ revokes: false }, { revokes: true }])
  })
})

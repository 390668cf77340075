import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A way to a server that can be broken on purpose. */
export interface CuttingProxy {
  readonly port: number
  /** How often an answer was cut off. */
  readonly cuts: number
  /**
   * From now on, of every `nth` message to the server that matches, the answer is kept back and the connection broken
   * when it is complete: what was asked for is committed, and nobody is told. Null for none.
   */
  cutAnswersTo(message: RegExp | null, nth?: number): void
  /** From now on nothing passes in either direction, and nothing is refused. */
  hang(isHanging: boolean): void
  close(): Promise<void>
}

/** `ReadyForQuery`: the last of an answer, after the commit of what is not in a transaction. */
const READY = Buffer.from('Z\0\0\0\x05', 'latin1')

export async function cuttingProxy(target: URL): Promise<CuttingProxy> {
  const sockets = new Set<Socket>()
  let pattern: RegExp | null = null
  let every = 1
  let matches = 0
  let cuts = 0
  let isHanging = false

  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    let isKeptBack = false
    const breakBoth = (): void => {
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', breakBoth)
      socket.on('close', () => {
        sockets.delete(socket)
        breakBoth()
      })
    }
    client.on('data', (chunk: Buffer) => {
      if (isHanging) return
      if (pattern?.test(chunk.toString('latin1')) === true) isKeptBack ||= ++matches % every === 0
      upstream.write(chunk)
    })
    upstream.on('data', (chunk: Buffer) => {
      if (isHanging) return
      if (!isKeptBack) return void client.write(chunk)
      if (!chunk.subarray(-READY.length - 1, -1).equals(READY)) return
      cuts += 1
      breakBoth()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    port: (server.address() as AddressInfo).port,
    get cuts() {
      return cuts
    },
    cutAnswersTo(message, nth = 1) {
      pattern = message
      every = nth
    },
    hang(value) {
      isHanging = value
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A proxy to a server that can break connections on purpose. */
export interface CuttingProxy {
  readonly port: number
  /** The number of answers that were cut off. */
  readonly cuts: number
  /**
   * From now on, keeps back the answer to every `nth` matching message to the server and breaks the connection when the answer
   * is complete: the request is committed, but no one receives the answer. Null for none.
   */
  cutAnswersTo(message: RegExp | null, nth?: number): void
  /** From now on, passes nothing in either direction, and refuses nothing. */
  hang(isHanging: boolean): void
  close(): Promise<void>
}

/** `ReadyForQuery`: the end of an answer, after the commit outside a transaction. */
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

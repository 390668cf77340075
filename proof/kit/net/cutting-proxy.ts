import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** Passes connections on to a server, and cuts them on request. */
export interface CuttingProxy {
  readonly url: string
  /** How many connections it has passed on. */
  readonly passed: number
  /** Cuts open connections, and accepts none until `mend`. */
  cut(): void
  /** Passes connections on again, to another server when one is named. */
  mend(url?: string): void
  close(): Promise<void>
}

/** Stands before the server at `url`. */
export async function openCuttingProxy(url: string): Promise<CuttingProxy> {
  let target = new URL(url)
  const sockets = new Set<Socket>()
  let isCut = false
  let passed = 0

  function keep(socket: Socket, other: Socket): void {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      sockets.delete(socket)
      other.destroy()
    })
  }

  const server = createServer((socket) => {
    if (isCut) return void socket.destroy()
    passed += 1
    const other = connect(Number(target.port), target.hostname)
    keep(socket, other)
    keep(other, socket)
    socket.pipe(other).pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')

  function cut(): void {
    isCut = true
    for (const socket of sockets) socket.resetAndDestroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get passed() {
      return passed
    },
    cut,
    mend(another) {
      if (another !== undefined) target = new URL(another)
      isCut = false
    },
    async close() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}

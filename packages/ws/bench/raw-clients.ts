import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** From the measured process to the clients'. */
type Order =
  | {
      readonly kind: 'open'
      readonly port: number
      readonly path: string
      readonly count: number
      readonly say: readonly string[]
      readonly until: string
    }
  /** Report when so many bytes have arrived since `open` or the last `expect` was met. */
  | { readonly kind: 'expect'; readonly bytes: number }
  | { readonly kind: 'close' }

/** Clients in a separate process that only count bytes. */
export interface RawClients {
  /** Opens connections. Each sends its texts, and is open when it has received `until`. */
  open(port: number, path: string, count: number, say?: readonly string[], until?: string): Promise<void>
  /** Resolves when so many bytes have arrived. Call it before they are sent. */
  expect(bytes: number): Promise<void>
  close(): Promise<void>
  end(): void
}

const OPENING_AT_ONCE = 200

export function startClients(program: string): RawClients {
  const child: ChildProcess = fork(program, ['clients'])
  const order = async (message: Order): Promise<void> => {
    child.send(message)
    await once(child, 'message')
  }
  return {
    open: (port, path, count, say = [], until = '\r\n\r\n') =>
      order({ kind: 'open', port, path, count, say, until }),
    expect: (bytes) => order({ kind: 'expect', bytes }),
    close: () => order({ kind: 'close' }),
    end: () => void child.kill(),
  }
}

/** The clients' process. */
export function runClients(): void {
  let sockets: Socket[] = []
  let received = 0
  let wanted = Infinity

  function count(data: Buffer): void {
    received += data.length
    if (received < wanted) return
    received -= wanted
    wanted = Infinity
    process.send?.('done')
  }

  async function openOne(order: Extract<Order, { kind: 'open' }>): Promise<void> {
    const socket = connect(order.port, '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.write(
      `GET ${order.path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
    )
    let seen = ''
    await new Promise<void>((resolve) => {
      let said = false
      const look = (data: Buffer): void => {
        seen += data.toString('latin1')
        if (!said && seen.includes('\r\n\r\n')) {
          said = true
          for (const text of order.say) socket.write(maskedFrame(text))
        }
        if (!seen.includes(order.until)) return
        socket.off('data', look)
        resolve()
      }
      socket.on('data', look)
    })
    socket.on('data', count)
  }

  async function carryOut(order: Order): Promise<void> {
    if (order.kind === 'open') {
      for (let left = order.count; left > 0; left -= OPENING_AT_ONCE) {
        await Promise.all(Array.from({ length: Math.min(left, OPENING_AT_ONCE) }, () => openOne(order)))
      }
      received = 0
      process.send?.('done')
    } else if (order.kind === 'expect') wanted = order.bytes
    else {
      for (const socket of sockets) socket.destroy()
      sockets = []
      process.send?.('done')
    }
  }
  process.on('message', (order: Order) => void carryOut(order))
}

/** Masked as a client's frame must be, with a key of zeros that changes nothing. */
function maskedFrame(text: string): Buffer {
  const payload = Buffer.from(text)
  const head = Buffer.alloc(8)
  head[0] = 0x81
  head[1] = 0x80 | 126
  head.writeUInt16BE(payload.length, 2)
  return Buffer.concat([head, payload])
}

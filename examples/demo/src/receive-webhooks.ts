import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { verifyDelivery } from '@taskboard/core'

/** A receiver for watching webhooks: prints each delivery, and rejects one with a wrong signature or an old time. */
const PORT = Number(process.env['RECEIVER_PORT'] ?? 9_000)
const SECRET = process.env['RECEIVER_SECRET'] ?? 'demo-secret-0123'
const LARGEST_BODY_BYTES = 1_048_576

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > LARGEST_BODY_BYTES) throw new Error('the body is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(request)
  const { headers } = request
  const { 'x-service-event': event, 'webhook-id': delivery } = headers
  const isGenuine = verifyDelivery(SECRET, { headers, body, now: Date.now() })
  const said = isGenuine ? body.toString().replaceAll(/\p{C}/gu, '') : 'wrong signature'
  console.log(`${String(event)} ${String(delivery)} ${said}`)
  response.writeHead(isGenuine ? 204 : 401).end()
}

createServer((request, response) => {
  receive(request, response).catch(() => response.destroy())
}).listen(PORT, '127.0.0.1', () => console.log(`Receiving webhooks on http://127.0.0.1:${PORT}/hook`))

import { request } from 'node:http'

/** The HTTP status that an upgrade is answered with. */
export async function upgradeStatus(url: string, protocol = 'websocket', more: object = {}): Promise<number> {
  const headers = {
    connection: 'Upgrade',
    upgrade: protocol,
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'sec-websocket-version': '13',
    ...more,
  }
  const asked = request(url.replace('ws:', 'http:'), { headers }).end()
  return new Promise((resolve, reject) => {
    asked.on('response', (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    asked.on('upgrade', (response, socket) => {
      socket.destroy()
      resolve(response.statusCode ?? 0)
    })
    asked.on('error', reject)
  })
}

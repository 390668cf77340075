import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@taskboard/kit/postgres/embedded-server'
import { until } from '@taskboard/kit/processes/until'
import { programNamed, startProgram } from './programs.js'

export interface LoadBalancer {
  readonly url: string
  stop(): Promise<unknown>
}

export const nginx = programNamed('nginx')

/** The `nginx.conf` of the page where nginx is installed; else connections go to the servers in turn, the next one when one is down. */
export function startLoadBalancer(ports: readonly number[]): Promise<LoadBalancer> {
  return nginx === null ? startRoundRobin(ports) : startNginx(nginx, ports)
}

async function startNginx(program: string, ports: readonly number[]): Promise<LoadBalancer> {
  const directory = await mkdtemp(join(tmpdir(), 'taskboard-nginx-'))
  const port = await freePort()
  const page = await readFile(new URL('../nginx.conf', import.meta.url), 'utf8')
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${join(directory, kind)};`,
  )
  const text = page
    .replace('listen 8080', `listen 127.0.0.1:${port}`)
    .replace(/server-(\d):3000/g, (_, place: string) => `127.0.0.1:${ports[Number(place) - 1]}`)
    .replace('http {', `http {\naccess_log off;\n${paths.join('\n')}`)
  await writeFile(join(directory, 'nginx.conf'), text)
  const own = `daemon off; pid ${join(directory, 'pid')}; error_log stderr;`
  const running = startProgram(program, ['-p', directory, '-e', 'stderr', '-c', 'nginx.conf', '-g', own])
  const url = `http://127.0.0.1:${port}`
  await until(
    () => fetch(url).then(({ status }) => status, running.errors),
    (seen) => seen === 404,
  )
  return {
    url,
    async stop() {
      await running.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function startRoundRobin(ports: readonly number[]): Promise<LoadBalancer> {
  const sockets = new Set<Socket>()
  let place = 0
  const server = createServer((socket) => void passOn(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')

  async function passOn(socket: Socket): Promise<void> {
    keep(socket)
    for (const _ of ports) {
      const other = connect(ports[place++ % ports.length] ?? 0, '127.0.0.1')
      const isOpen = await once(other, 'connect').then(
        () => true,
        () => false,
      )
      if (!isOpen) continue
      keep(other)
      other.on('close', () => socket.destroy())
      socket.on('close', () => other.destroy())
      return void socket.pipe(other).pipe(socket)
    }
    socket.destroy()
  }
  function keep(socket: Socket): void {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}

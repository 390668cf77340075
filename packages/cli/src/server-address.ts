import { CliError } from './cli-error.js'

/** The URL of a server, always written in the same way: keys are stored by it. */
export function serverAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw new CliError('usage', 'the URL of the server must be such as https://app.example/kanban')
  }
  if (url.username !== '' || url.password !== '') {
    throw new CliError('usage', 'the URL of the server must have no user and no password')
  }
  return url.href.replace(/\/+$/, '')
}

/** Whether what is sent can be read on the way. */
export function isOpenToOthers(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'http:' && !/^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
}

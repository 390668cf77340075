import { CliError } from '../cli-error.js'
import { type Call, type Command, textOf } from '../command.js'
import { plain, plainJson } from '../output/text.js'
import { textArgument } from './task-commands.js'

const methods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const

async function api({ cli, args: [path = ''], options }: Call): Promise<void> {
  if (!path.startsWith('/')) throw new CliError('usage', 'the path must start with /, such as /v2/schedules')
  const given = textOf(options, 'body')
  const body = given === undefined ? undefined : await textArgument(cli, given)
  const method = textOf(options, 'method') ?? (body === undefined ? 'GET' : 'POST')
  const { value, text } = await cli.request(method, path, body)
  if (value === undefined) return cli.output.result({ text }, plain(text))
  cli.output.result(value, () => plainJson(value, 2))
}

export const apiCommand: Command = {
  name: 'api',
  summary: 'Send a request to the API with the stored key, and print the response',
  arguments: [{ name: 'path', summary: 'a path of the API, such as `/v2/schedules?limit=5`' }],
  options: [
    {
      flags: '--method <method>',
      summary: 'the HTTP method; default GET, or POST with a body',
      choices: methods,
    },
    { flags: '--body <json>', summary: 'the request body; `-` reads standard input' },
  ],
  scopes: [],
  json: { shape: 'the response; `{ text }` when it is not JSON' },
  run: api,
}

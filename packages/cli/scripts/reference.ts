import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { argumentText, type Command, type Option } from '../src/command.js'
import { commands } from '../src/commands.js'
import { exitCodes } from '../src/exit-codes.js'
import { commonOptions, timeoutOption, urlOption } from '../src/common-options.js'

export const referencePath = fileURLToPath(new URL('../../../docs/cli.md', import.meta.url))

const START = '<!-- made by `npm run generate -w @taskboard/cli` -->'
const END = '<!-- end of what is made -->'

/** The page with its tables as the code has them. */
export async function withReference(): Promise<string> {
  const page = await readFile(referencePath, 'utf8')
  const [before, rest] = page.split(START)
  const after = rest?.split(END)[1]
  if (before === undefined || after === undefined) throw new Error('docs/cli.md has no place for the tables')
  return `${before}${START}\n\n${tables()}\n\n${END}${after}`
}

function tables(): string {
  const all = [...commonOptions, urlOption, timeoutOption]
  return [
    '## Commands',
    table(['Command', 'Description', 'Scopes', '`--json` prints'], commands.map(rowOf)),
    '## Options',
    'Every command has these options. Only commands that call a server have `--url` and `--timeout`.',
    table(['Option', 'Meaning'], all.map(optionRow)),
    ...commands.flatMap((command) =>
      command.options === undefined
        ? []
        : [`### ${command.name}`, table(['Option', 'Meaning'], command.options.map(optionRow))],
    ),
    '## Exit codes',
    table(
      ['Code', 'Meaning'],
      Object.values(exitCodes).map(({ code, summary }) => [String(code), summary]),
    ),
  ].join('\n\n')
}

function rowOf({ name, arguments: args = [], summary, scopes, json }: Command): readonly string[] {
  const call = [name, ...args.map(argumentText)].join(' ')
  return [
    `\`${call}\``,
    summary,
    scopes.length === 0 ? '-' : scopes.map((scope) => `\`${scope}\``).join(' '),
    'operation' in json ? `the \`${json.operation}\` response` : json.shape,
  ]
}

function optionRow({ flags, summary, choices, isList, isRequired }: Option): readonly string[] {
  const notes = [
    summary,
    ...(choices === undefined ? [] : [`one of ${choices.map((choice) => `\`${choice}\``).join(', ')}`]),
    ...(isList === true ? ['can be repeated'] : []),
    ...(isRequired === true ? ['required'] : []),
  ]
  return [`\`${flags}\``, notes.join('; ')]
}

const line = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  return [line(headings), line(headings.map(() => '---')), ...rows.map(line)].join('\n')
}

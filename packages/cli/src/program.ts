import {
  Command as CommanderCommand,
  CommanderError,
  InvalidArgumentError,
  Option as CommanderOption,
} from 'commander'
import { type CliHost, type CliOptions, createCli } from './cli.js'
import { withoutSecrets } from './cli-error.js'
import { argumentText, type Command, type Option, type Options } from './command.js'
import { optionsOf } from './common-options.js'
import { commands, groups } from './commands.js'
import { exitCodes } from './exit-codes.js'
import { plain } from './output/text.js'

/** The commands as commander knows them. Each runs with `host`. With `isJson`, faults are thrown only, not printed. */
export function createProgram(
  host: CliHost,
  { version, isJson }: { readonly version: string; readonly isJson: boolean },
): CommanderCommand {
  const root = new CommanderCommand('taskboard')
    .description('The command line of Taskboard, a kanban board for people and AI agents.')
    .version(version)
    // A command that is a group, too, leaves the options behind the next word to that one.
    .enablePositionalOptions()
    .helpCommand('help [command]', 'show the help of a command')
    .addHelpText('after', () => `\nEnvironment:\n${environmentLines()}\n\nExit codes:\n${exitCodeLines()}`)
  const parents = new Map<string, CommanderCommand>()
  for (const command of commands) {
    const words = command.name.split(' ')
    const [group = ''] = words
    const parent = words.length === 1 ? root : (parents.get(group) ?? addGroup(root, group))
    if (words.length > 1) parents.set(group, parent)
    const added = addCommand(parent, words.at(-1) ?? '', command, host)
    if (parent === root) parents.set(group, added)
  }
  for (const one of [
    root,
    ...parents.values(),
    ...[root, ...parents.values()].flatMap((parent) => parent.commands),
  ]) {
    one.exitOverride().configureOutput({
      writeOut: (text) => void host.stdout.write(text),
      writeErr: (text) => void (isJson || host.stderr.write(withoutSecrets(plain(text)))),
      getOutHelpWidth: () => host.stdout.columns || 100,
      getErrHelpWidth: () => host.stderr.columns || 100,
    })
  }
  return root
}

function addGroup(root: CommanderCommand, name: string): CommanderCommand {
  return root
    .command(name)
    .description(groups[name] ?? '')
    .helpCommand(false)
}

function addCommand(
  parent: CommanderCommand,
  name: string,
  command: Command,
  host: CliHost,
): CommanderCommand {
  const added = parent.command(name).description(command.summary)
  for (const argument of command.arguments ?? []) added.argument(argumentText(argument), argument.summary)
  for (const option of optionsOf(command)) added.addOption(toOption(option))
  return added.action(async (...given: unknown[]) => {
    const count = command.arguments?.length ?? 0
    const absent = Object.fromEntries(added.options.map((option) => [option.attributeName(), undefined]))
    const options = { ...absent, ...(given[count] as Options & CliOptions) }
    const cli = createCli(host, options)
    try {
      await command.run({ cli, args: given.slice(0, count) as string[], options })
    } finally {
      cli.close()
    }
  })
}

function toOption({ flags, summary, isList, isRequired, choices }: Option): CommanderOption {
  const option = new CommanderOption(flags, isList === true ? `${summary} (can be repeated)` : summary)
  if (choices !== undefined) option.choices([...choices])
  if (isList === true) {
    option.argParser((value: string, earlier: readonly string[] | undefined) => {
      if (choices?.includes(value) === false) {
        throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`)
      }
      return [...(earlier ?? []), value]
    })
  }
  return isRequired === true ? option.makeOptionMandatory() : option
}

/** The variables that commands read. */
const environment = {
  TASKBOARD_URL: 'the server',
  TASKBOARD_KEY: 'the API key, instead of the stored one',
  TASKBOARD_WORKSPACE: 'the workspace, instead of the workspace of the key',
  DATABASE_URL: 'the database, for commands that use one',
  TASKBOARD_DATA: 'the PGlite directory, without DATABASE_URL',
  TASKBOARD_SCHEMA: 'the database schema of the board, without --schema',
  TASKBOARD_ENCRYPTION_KEYS: 'keys of `reseal`: id:key,id:key, newest first',
  BROWSER: 'the browser for `open`',
  NO_COLOR: 'no colors',
} as const

function environmentLines(): string {
  return Object.entries(environment)
    .map(([name, summary]) => `  ${name.padEnd(27)}${summary}`)
    .join('\n')
}

function exitCodeLines(): string {
  return Object.values(exitCodes)
    .map(({ code, summary }) => `  ${String(code).padEnd(4)}${summary}`)
    .join('\n')
}

/** What was wrong, in a sentence; without a command, commander has none. */
export function usageFaultOf({ code, message }: CommanderError): string {
  return code === 'commander.help' ? 'a command is required: see --help' : message.replace(/^error: /, '')
}

/** Whether commander has already printed the error or the requested output. */
export function isPrinted(error: unknown): error is CommanderError {
  return error instanceof CommanderError
}

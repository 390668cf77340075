import type { Command, Option } from './command.js'
import { optionsOf } from './common-options.js'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** The script that completes the commands, their options and the values of those. */
export function completionScript(shell: Shell, commands: readonly Command[]): string {
  if (shell === 'fish') return fishScript(commands)
  const zsh = 'autoload -U +X bashcompinit && bashcompinit\n'
  return `${shell === 'zsh' ? zsh : ''}${bashScript(commands)}`
}

const flagOf = ({ flags }: Option): string => flags.split(' ')[0] ?? ''
const wordsOf = ({ name }: Command): readonly string[] => name.split(' ')

/** The words that can follow each name, longer names first. */
function bashScript(commands: readonly Command[]): string {
  const groups = [...new Set(commands.map((command) => wordsOf(command)[0] ?? ''))]
  const names = [...new Set([...commands.map(({ name }) => name), ...groups])]
  const branches = names
    .toSorted((a, b) => b.split(' ').length - a.split(' ').length)
    .map((name) => {
      const command = commands.find((one) => one.name === name)
      const options = command === undefined ? [] : optionsOf(command)
      const nested = commands
        .filter((one) => one.name.startsWith(`${name} `))
        .map((one) => wordsOf(one)[1] ?? '')
      const values = options
        .filter(({ choices }) => choices !== undefined)
        .map((option) => `      ${flagOf(option)}) words="${option.choices?.join(' ') ?? ''}" ;;\n`)
      const chosen = values.length === 0 ? '' : `\n    case $previous in\n${values.join('')}    esac`
      return `  " ${name} "*)\n    words="${[...nested, ...options.map(flagOf)].join(' ')}"${chosen} ;;`
    })
  return `_taskboard() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} typed=" " words="" index
  for ((index = 1; index < COMP_CWORD; index++)); do
    [[ \${COMP_WORDS[index]} == -* ]] || typed+="\${COMP_WORDS[index]} "
  done
  case $typed in
${branches.join('\n')}
  " ") words="${groups.join(' ')} help --help --version" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _taskboard taskboard
`
}

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

function fishScript(commands: readonly Command[]): string {
  const lines = commands.flatMap((command) => {
    const [first = '', second] = wordsOf(command)
    const when =
      second === undefined
        ? '__fish_use_subcommand'
        : `__fish_seen_subcommand_from ${first}; and not __fish_seen_subcommand_from ${second}`
    const seen = wordsOf(command).map((word) => `__fish_seen_subcommand_from ${word}`)
    const options = optionsOf(command).map((option) => {
      const values =
        option.choices === undefined ? '' : ` --exclusive --arguments ${quoted(option.choices.join(' '))}`
      const isValued = option.flags.includes('<') && values === '' ? ' --require-parameter' : ''
      const name = flagOf(option).replace(/^--/, '')
      return `complete --command taskboard --condition ${quoted(seen.join('; and '))} --long-option ${name} --description ${quoted(option.summary)}${values}${isValued}`
    })
    const group =
      second === undefined
        ? []
        : [
            `complete --command taskboard --condition __fish_use_subcommand --no-files --arguments ${quoted(first)}`,
          ]
    return [
      ...group,
      `complete --command taskboard --condition ${quoted(when)} --no-files --arguments ${quoted(second ?? first)} --description ${quoted(command.summary)}`,
      ...options,
    ]
  })
  return `${[...new Set(lines)].join('\n')}\n`
}

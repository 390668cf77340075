import type { Option } from './command.js'

/** The options that every command has. */
export const commonOptions: readonly Option[] = [
  { flags: '--json', summary: 'prints the result as JSON' },
  { flags: '--no-color', summary: 'prints no colors; they are off without a terminal, and by NO_COLOR' },
]
export const urlOption: Option = {
  flags: '--url <url>',
  summary: 'the server; default: TASKBOARD_URL, or that of the last login, or http://127.0.0.1:3000',
}
export const timeoutOption: Option = {
  flags: '--timeout <seconds>',
  summary: 'how long a call to the server may take, with its repeats: 1 to 3600, default 10',
}
export const insecureOption: Option = {
  flags: '--insecure',
  summary: 'allows http to another machine, where others on the way can read keys and passwords',
}

/** The options of a command, with those that every command has. */
export function optionsOf({
  options = [],
  isLocal = false,
}: {
  readonly options?: readonly Option[]
  readonly isLocal?: boolean
}): readonly Option[] {
  return [...options, ...(isLocal ? [] : [urlOption, timeoutOption, insecureOption]), ...commonOptions]
}

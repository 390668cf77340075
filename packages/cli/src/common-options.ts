import type { Option } from './command.js'

/** The options that every command has. */
export const commonOptions: readonly Option[] = [
  { flags: '--json', summary: 'print the result as JSON' },
  { flags: '--no-color', summary: 'print without colors, as without a terminal or with NO_COLOR' },
]
export const urlOption: Option = {
  flags: '--url <url>',
  summary: 'the server; default: TASKBOARD_URL, then the last login, then http://127.0.0.1:3000',
}
export const timeoutOption: Option = {
  flags: '--timeout <seconds>',
  summary: 'how long a call to the server can take, including retries: 1 to 3600, default 10',
}
export const insecureOption: Option = {
  flags: '--insecure',
  summary: 'allow plain http to another machine, although it exposes keys and passwords to the network',
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

import { CliError } from '../cli-error.js'
import type { Command } from '../command.js'
import { completionScript, shells } from '../completion.js'

/** `listed` are all commands. */
export function completionCommand(listed: () => readonly Command[]): Command {
  return {
    name: 'completion',
    summary: 'Print a completion script: `source <(taskboard completion bash)`',
    arguments: [{ name: 'shell', summary: shells.map((shell) => `\`${shell}\``).join(', ') }],
    scopes: [],
    json: { shape: '`{ script }`' },
    isLocal: true,
    async run({ cli, args: [wanted] }) {
      const shell = shells.find((one) => one === wanted)
      if (shell === undefined) throw new CliError('usage', `the shell must be one of ${shells.join(', ')}`)
      const script = completionScript(shell, listed())
      await Promise.resolve(cli.output.result({ script }, script))
    },
  }
}

import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { commands } from './commands.js'
import { completionScript } from './completion.js'

/** What bash offers after these words, of which the last one is being typed. */
function offered(...words: readonly string[]): readonly string[] {
  const typed = ['taskboard', ...words].map((word) => `'${word}'`).join(' ')
  const program = `${completionScript('bash', commands)}
COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _taskboard; printf '%s\\n' "\${COMPREPLY[@]}"`
  return execFileSync('bash', ['-c', program], { encoding: 'utf8' }).trim().split('\n')
}

describe('completion in bash', () => {
  it('offers commands, those of a group, options and their values', () => {
    expect(offered('co')).toEqual(['complete', 'comment', 'comments', 'completion'])
    expect(offered('agents', '')).toEqual(['list', 'create', 'pause', 'resume', 'delete'])
    expect(offered('add', 'A title', '--pri')).toEqual(['--priority'])
    expect(offered('add', '--priority', '')).toEqual(['urgent', 'high', 'medium', 'low'])
    expect(offered('approvals', 'show', '--t')).toEqual(['--timeout'])
    expect(offered('approvals', 's')).toEqual(['show'])
    expect(offered('migrate', '--ur')).toEqual([''])
  })
})

describe('completion in other shells', () => {
  it('is that of bash in zsh', () => {
    const bash = completionScript('bash', commands)
    expect(completionScript('zsh', commands)).toBe(`autoload -U +X bashcompinit && bashcompinit\n${bash}`)
  })

  it('has every command in fish, with quotes that end', () => {
    const lines = completionScript('fish', commands).trim().split('\n')
    const missing = commands.filter(({ name }) => {
      const last = name.split(' ').at(-1) ?? ''
      return !lines.some((line) => line.includes(`--arguments '${last}' --description`))
    })
    expect(missing).toEqual([])
    const broken = lines.filter(
      (line) =>
        !line.startsWith('complete --command taskboard --condition ') ||
        line.replaceAll(/\\['\\]/g, '').split("'").length % 2 === 0,
    )
    expect(broken).toEqual([])
  })
})

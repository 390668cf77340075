// Serves (`dev`) or builds (`build`) the site of the docs. Its libraries are in docs/, apart from those of the packages, and are
// installed at the first use.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root, run } from './run.mjs'

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
const folder = join(root, 'docs')
const [task = 'dev'] = process.argv.slice(2)

const installed = existsSync(join(folder, 'node_modules')) ? 0 : await run(npm, ['ci', '--prefix', folder])
process.exitCode = installed === 0 ? await run(npm, ['run', task, '--prefix', folder]) : installed

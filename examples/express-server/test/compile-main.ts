import type { TestProject } from 'vitest/node'
import { provideCompiled } from '../../../packages/postgres/test/processes/compile.js'

export function setup(project: TestProject): Promise<() => Promise<void>> {
  return provideCompiled(project, { main: 'examples/express-server/src/main.ts' })
}

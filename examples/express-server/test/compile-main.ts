import type { TestProject } from 'vitest/node'
import { provideCompiled } from '@taskboard/kit/processes/provide-compiled'

export function setup(project: TestProject): Promise<() => Promise<void>> {
  return provideCompiled(project, { main: 'examples/express-server/src/main.ts' })
}

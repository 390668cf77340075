import type { TestProject } from 'vitest/node'
import { provideCompiled } from '@taskboard/kit/processes/provide-compiled'

export function setup(project: TestProject): Promise<() => Promise<void>> {
  return provideCompiled(project, { mover: 'examples/two-servers/test/mover.ts' })
}

import type { TestProject } from 'vitest/node'
import { provideCompiled } from '@taskboard/kit/processes/provide-compiled'

export function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = 'examples/deployment/src'
  return provideCompiled(project, { main: `${folder}/main.ts`, migrate: `${folder}/migrate.ts` })
}

import type { TestProject } from 'vitest/node'
import { provideCompiled } from '@taskboard/kit/processes/provide-compiled'

const NAMES = ['board-process', 'shift-date', 'pglite-writer']
const FOLDER = 'packages/postgres/test'

export function setup(project: TestProject): Promise<() => Promise<void>> {
  return provideCompiled(project, {
    ...Object.fromEntries(NAMES.map((name) => [name, `${FOLDER}/processes/${name}.ts`])),
    'realtime-process': `${FOLDER}/realtime/realtime-process.ts`,
  })
}

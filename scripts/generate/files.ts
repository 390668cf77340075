import { printSchema } from 'graphql'
import { taskboardSchema } from '../../packages/graphql/src/schema/schema.js'
import { readDocument } from './documented-board.js'
import { methodsSource } from './methods-source.js'
import { pythonSources } from './python-source.js'
import { wireSource } from './wire-source.js'

export { withGeneratedParts } from './generated-parts.js'

/** The text of each file that is made and not in git, by its path in the repository. */
export async function generatedFiles(): Promise<Readonly<Record<string, string>>> {
  const document = await readDocument()
  return {
    'packages/client/src/wire.ts': wireSource(document),
    'packages/client/src/methods.ts': methodsSource(document),
    'packages/graphql/schema.graphql': `${printSchema(taskboardSchema())}\n`,
    ...Object.fromEntries(
      Object.entries(pythonSources(document)).map(([name, text]) => [
        `clients/python/taskboard/${name}`,
        text,
      ]),
    ),
  }
}

import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defaultClientConditions, defaultServerConditions, type Plugin } from 'vite'
import { defaultExclude, defineConfig } from 'vitest/config'
import { generate } from './scripts/generate.mjs'
import { exampleNames, packageNames } from './scripts/packages.mjs'

const IN_BROWSER = 'test/browser/*.test.ts'
const sourceCondition = '@taskboard/source'
/** A folder for compiled sources. Projects that have the same root share them there. */
const transforms = process.env['TASKBOARD_TRANSFORMS'] ?? ''
/** Node.js does not know it, and cannot load what some packages have there. */
const isOfNode = (condition: string): boolean => condition !== 'module'
const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const postgresServer = fileOf('proof/kit/postgres/test-server.ts')
const pgliteTemplate = fileOf('proof/kit/postgres/pglite-template.ts')
const builtApp = fileOf('packages/dashboard/test/build-app.ts')
const exampleSetups: Readonly<Record<string, readonly string[]>> = {
  'express-server': [
    builtApp,
    postgresServer,
    pgliteTemplate,
    fileOf('examples/express-server/test/compile-main.ts'),
  ],
  'fastify-server': [builtApp, pgliteTemplate],
  deployment: [postgresServer, fileOf('examples/deployment/test/compile-processes.ts')],
  'two-servers': [builtApp, postgresServer, fileOf('examples/two-servers/test/compile-mover.ts')],
}
const packageSetups: Readonly<Record<string, readonly string[]>> = {
  dashboard: [builtApp, pgliteTemplate],
  mcp: [postgresServer],
  otel: [postgresServer],
  cli: [builtApp, postgresServer, pgliteTemplate, fileOf('packages/cli/test/compile-programs.ts')],
}
/** The next major version of the AI SDK, after `npm ci --prefix packages/ai/sdk-7`. */
const nextSdk = fileOf('packages/ai/sdk-7/node_modules/')
const nextSdkFiles = {
  ai: 'ai/dist/index.js',
  'ai/test': 'ai/dist/test/index.js',
  '@ai-sdk/openai-compatible': '@ai-sdk/openai-compatible/dist/index.js',
}

/** Loads `.sql` files as their text, as the build does. */
const sqlAsText: Plugin = {
  name: 'sql-as-text',
  transform: (code, id) =>
    id.endsWith('.sql') ? { code: `export default ${JSON.stringify(code)}`, map: null } : undefined,
}

const testsOnNextSdk = {
  extends: true as const,
  resolve: {
    alias: Object.entries(nextSdkFiles).map(([name, file]) => ({
      find: new RegExp(`^${name}$`),
      replacement: nextSdk + file,
    })),
  },
  test: {
    name: 'ai-on-sdk-7',
    dir: 'packages/ai',
    // It knows nothing of the SDK.
    exclude: [...defaultExclude, 'src/model/fit-section.test.ts'],
    isolate: false,
    env: { AI_SDK_MAJOR: '7' },
  },
}

// In a clone without them, nothing that imports the client would load.
await generate({ onlyMissing: true })

export default defineConfig({
  plugins: [sqlAsText],
  resolve: {
    conditions: [sourceCondition, ...defaultClientConditions].filter(isOfNode),
    // What Node.js loads; the tests' loader would take another copy for the sources than libraries get.
    alias: [{ find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve('graphql')) }],
  },
  ssr: { resolve: { conditions: [sourceCondition, ...defaultServerConditions].filter(isOfNode) } },
  test: {
    pool: 'threads',
    ...(transforms === '' ? {} : { experimental: { fsModuleCache: true, fsModuleCachePath: transforms } }),
    // Much of the time is waiting for the database: on two cores, one file at a time would take half as long again.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 20_000,
    hookTimeout: 20_000,
    projects: [
      ...packageNames
        .filter((name) => name !== 'postgres')
        .map((name) => ({
          extends: true as const,
          test: {
            name,
            dir: `packages/${name}`,
            exclude: [...defaultExclude, IN_BROWSER],
            env: name === 'ai' ? { AI_SDK_MAJOR: '6' } : {},
            globalSetup: [...(packageSetups[name] ?? [])],
            // Files share what they import: they leave nothing behind in it, and the import takes longer than the tests.
            isolate: false,
          },
        })),
      {
        extends: true,
        test: {
          name: 'dashboard-in-browser',
          dir: 'packages/dashboard',
          include: [IN_BROWSER],
          isolate: false,
          globalSetup: [builtApp, pgliteTemplate],
          // A browser beside other tests on two cores can take long for anything.
          testTimeout: 60_000,
          expect: { poll: { timeout: 15_000 } },
        },
      },
      ...(existsSync(nextSdk) ? [testsOnNextSdk] : []),
      ...exampleNames.map((name) => ({
        extends: true as const,
        test: {
          name: `example-${name}`,
          dir: `examples/${name}`,
          isolate: false,
          globalSetup: [...(exampleSetups[name] ?? [])],
        },
      })),
      {
        extends: true,
        test: {
          name: 'postgres',
          dir: 'packages/postgres',
          isolate: false,
          globalSetup: [
            postgresServer,
            pgliteTemplate,
            fileOf('packages/postgres/test/processes/compile-all.ts'),
          ],
        },
      },
      { extends: true, test: { name: 'proof', root: 'proof', globalSetup: [pgliteTemplate] } },
      { extends: true, test: { name: 'docs', dir: 'docs', isolate: false } },
    ],
    coverage: {
      provider: 'v8',
      include: ['packages/core/src/**/*.ts'],
      exclude: ['**/*.test.ts'],
      reporter: ['text-summary', 'html', 'json-summary'],
      thresholds: { lines: 95, branches: 95 },
    },
  },
})

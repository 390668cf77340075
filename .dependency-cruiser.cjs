const manifestOf = (folder) => require(`./${folder}/package.json`)
const { workspaces } = manifestOf('.')
const packages = workspaces.filter((folder) => folder.startsWith('packages/'))
const isStorage = (folder) => manifestOf(folder).keywords.includes('storage')
// A manifest says by a keyword that its package is a storage. All others work with a board, but for those that serve both kinds.
const storages = packages.filter(isStorage).join('|')
const transports = packages
  .filter((folder) => !isStorage(folder) && !/\/(core|client|testing)$/.test(folder))
  .join('|')
const core = '^packages/core/src/'
const app = '^packages/dashboard/app/'
/** The files of core that sign, hash, encrypt, compare secrets or draw random bytes. */
const cryptoFiles = [
  'environment/random',
  'access/api-key',
  'access/secret-box',
  'access/access-token',
  'access/credential-digest',
  'access/password-hasher',
  'idempotency/idempotency',
  'webhooks/signature',
]
const entries = `${core}(index|entries/[^/]+)\\.ts$`
const wiring = `${core}wiring/`
const foundations = `${core}(errors|environment)/`
const npmModule = (names) => `(^|/)node_modules/(${names})/`
/** The files that each workspace exports. */
const exported = workspaces.flatMap((folder) =>
  Object.values(manifestOf(folder).exports ?? {})
    .map((target) => target['@taskboard/source'] ?? target)
    .map((file) => `^${folder}/${file.slice(2).replaceAll('.', '\\.').replaceAll('*', '.+')}$`),
)
/** Tests, benchmarks and scripts, and what they share. */
const tests = ['\\.test(-d)?\\.tsx?$', '^packages/(?!dashboard/app/)[^/]+/(?!src/)[^/]+/', '^proof/kit/']

/** A rule for all but the tests. */
function inProduct(rule) {
  const { pathNot = [] } = rule.from
  return { ...rule, from: { ...rule.from, pathNot: [...tests, ...[pathNot].flat()] } }
}

/** @type {import('dependency-cruiser').IConfiguration['forbidden']} */
const rules = [
  {
    name: 'no-circles',
    comment: 'Two modules that need each other are one module, or hide a third.',
    severity: 'error',
    from: {},
    to: { circular: true },
  },
  {
    name: 'resolvable',
    comment: 'Every import must be found, and be declared by the package that uses it.',
    severity: 'error',
    from: { path: '^(packages|examples)/' },
    to: { couldNotResolve: true },
  },
  {
    name: 'declared-dependencies-only',
    severity: 'error',
    from: { path: '^packages/[^/]+/src/' },
    to: {
      dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
      dependencyTypesNot: ['npm', 'npm-peer'],
    },
  },
  {
    name: 'foundations-know-no-feature',
    comment: 'errors/ and environment/ stand below everything.',
    severity: 'error',
    from: { path: foundations },
    to: { path: core, pathNot: foundations },
  },
  {
    name: 'folders-meet-at-their-index',
    comment: 'A folder of core sees another only through what that one exports from its index.ts.',
    severity: 'error',
    from: { path: `${core}([^/]+)/` },
    to: { path: `${core}[^/]+/`, pathNot: [`${core}$1/`, `${core}[^/]+/index\\.ts$`, wiring] },
  },
  {
    name: 'features-below-storage-and-wiring',
    comment: 'errors, environment <- features <- storage <- wiring <- http <- entries.',
    severity: 'error',
    from: { path: `${core}[^/]+/`, pathNot: `${core}(storage|wiring|http|entries)/` },
    to: { path: `${core}(storage/|wiring/|http/|entries/|[^/]+\\.ts$)` },
  },
  {
    name: 'storage-below-wiring',
    severity: 'error',
    from: { path: `${core}storage/` },
    to: { path: `${core}(wiring/|http/|entries/|[^/]+\\.ts$)` },
  },
  {
    name: 'storage-is-types-only',
    comment: 'storage/ declares what the stores of all features make up together; it holds no code.',
    severity: 'error',
    from: { pathNot: entries },
    to: { path: `${core}storage/`, dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'storage-imports-types-only',
    severity: 'error',
    from: { path: `${core}storage/` },
    to: { pathNot: `${core}storage/`, dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'wiring-below-http',
    severity: 'error',
    from: { path: wiring },
    to: { path: `${core}(http/|entries/|[^/]+\\.ts$)` },
  },
  {
    name: 'storages-know-no-transport',
    severity: 'error',
    from: { path: `^(${storages})/src/` },
    to: { path: `${core}entries/transport\\.ts$` },
  },
  {
    name: 'transports-know-no-storage',
    severity: 'error',
    from: { path: `^(${transports})/src/` },
    to: { path: `${core}entries/storage\\.ts$` },
  },
  {
    name: 'index-is-for-users',
    comment: 'The public index is for the packages outside; inside core import the folder.',
    severity: 'error',
    from: { path: core, pathNot: entries },
    to: { path: entries },
  },
  {
    name: 'core-imports-few-libraries',
    comment: 'Core imports no framework and no driver.',
    severity: 'error',
    from: { path: core },
    to: {
      dependencyTypes: ['npm', 'npm-dev', 'npm-peer', 'npm-optional', 'npm-no-pkg', 'npm-unknown'],
      pathNot: npmModule('zod|croner|eventemitter3|undici|ipaddr\\.js|jose|otpauth'),
    },
  },
  {
    name: 'core-opens-nothing-itself',
    comment: 'Core neither listens nor reads files: hosts and adapters do.',
    severity: 'error',
    from: { path: core },
    to: {
      dependencyTypes: ['core'],
      path: '^(node:)?(http|https|http2|fs|child_process|cluster|worker_threads)(/|$)',
    },
  },
  {
    name: 'crypto-in-named-files',
    comment: 'Only what signs, hashes, encrypts or makes ids touches node:crypto.',
    severity: 'error',
    from: { path: core, pathNot: `${core}(${cryptoFiles.join('|')})\\.ts$` },
    to: { dependencyTypes: ['core'], path: '^(node:)?crypto$' },
  },
  {
    name: 'library-behind-one-file',
    comment: 'Each of these is used by exactly one file of core, behind the port of its feature.',
    severity: 'error',
    module: { path: npmModule('croner|undici|ipaddr\\.js|jose|otpauth'), numberOfDependentsMoreThan: 1 },
    from: { path: core },
  },
  {
    name: 'names-say-what',
    comment: 'A file or folder is named by what it is about.',
    severity: 'error',
    from: {},
    to: { path: '^(packages|examples)/.*/(utils?|helpers?|managers?|misc|common)(/|\\.ts$)' },
  },
  {
    name: 'the-application-is-a-client',
    comment: 'What runs in browsers reaches the board by the client alone; of core it takes types.',
    severity: 'error',
    from: { path: app },
    to: {
      path: '^packages/',
      pathNot: [app, '^packages/client/src/index\\.ts$'],
      dependencyTypesNot: ['type-only'],
    },
  },
  {
    name: 'texts-know-nothing',
    comment: 'In the application: texts <- state <- ui <- the folders of pages <- the files beside them.',
    severity: 'error',
    from: { path: `${app}texts/` },
    to: { path: app, pathNot: `${app}texts/` },
  },
  {
    name: 'state-below-what-is-drawn',
    severity: 'error',
    from: { path: `${app}state/` },
    to: { path: app, pathNot: `${app}(texts|state)/` },
  },
  {
    name: 'ui-below-pages',
    severity: 'error',
    from: { path: `${app}ui/` },
    to: { path: app, pathNot: `${app}(texts|state|ui)/` },
  },
  {
    name: 'pages-below-their-table',
    severity: 'error',
    from: { path: `${app}[^/]+/` },
    to: { path: `${app}[^/]+$` },
  },
  {
    name: 'packages-import-core-only',
    comment: 'Packages are technologies: each stands on core alone.',
    severity: 'error',
    from: { path: '^packages/([^/]+)/src/', pathNot: '^packages/cli/src/' },
    to: { path: '^packages/', pathNot: ['^packages/$1/(?!app/)', entries] },
  },
  {
    name: 'the-program-is-a-client',
    comment:
      'The command line reaches the board by the client, and databases and models by the public entries of other packages.',
    severity: 'error',
    from: { path: '^packages/cli/src/' },
    to: {
      path: '^packages/',
      pathNot: ['^packages/cli/', '^packages/(client|postgres|core|mcp)/src/index\\.ts$'],
    },
  },
  {
    name: 'client-imports-itself-only',
    comment: 'It also runs in browsers, and types of core would bring its libraries along.',
    severity: 'error',
    from: { path: '^packages/client/src/' },
    to: { pathNot: '^packages/client/src/' },
  },
]

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...rules.map(inProduct),
    {
      name: 'packages-meet-at-their-entries',
      comment:
        'A package, an example or the proof sees another one only through what that exports, in tests as well. What tests of several share is in proof/kit. Its folder inside/ is the only way to what a package does not export.',
      severity: 'error',
      from: {
        path: '^(packages/[^/]+|examples/[^/]+|proof/kit|proof)/',
        pathNot: '^proof/kit/inside/',
      },
      to: {
        path: '^(packages/[^/]+|examples/[^/]+|proof)/',
        pathNot: ['^$1/', ...exported],
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: {
      path: [
        '/dist/',
        '^packages/[^/]+/node_modules/',
        '\\.config\\.ts$',
        '^examples/agent-sdks/claude-sdk/',
      ],
    },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@taskboard/source', 'import', 'node', 'types', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.json', '.d.ts'],
    },
  },
}

/**
 * The tests that `npm test` leaves to continuous integration, with the reason of each group. Paths of files, or of folders with a slash
 * at the end. What is not listed runs in both, so that a new test does.
 */
export const ONLY_IN_CI = [
  {
    reason: 'large boards: the plans of a million rows, and work by the ten thousand',
    paths: [
      'packages/postgres/test/plans/',
      'packages/postgres/test/deletions/large-account.test.ts',
      'packages/postgres/test/several-processes/ten-thousand-tasks.test.ts',
      'packages/cli/src/large-transfer.test.ts',
      'packages/graphql/src/hostile-requests.test.ts',
      'packages/memory/src/hostile-requests.test.ts',
      'packages/postgres/src/transfer/transfer.test.ts',
    ],
  },
  {
    reason: 'a suite that already runs on another database, on another host or in another language',
    paths: [
      'packages/postgres/test/partitioned-events.test.ts',
      'packages/postgres/test/storage-on-pglite.test.ts',
      'packages/postgres/test/storage-in-a-language.test.ts',
      'packages/postgres/test/two-servers/storage-on-replica.test.ts',
      'packages/postgres/test/other-servers/server-with-jit.test.ts',
      'packages/postgres/test/v2-on-pg.test.ts',
      'proof/simulation/on-postgres.test.ts',
      'packages/cli/src/mcp.test.ts',
      'packages/mcp/src/public-audits.test.ts',
      'packages/cli/src/transfer.test.ts',
      'examples/fastify-server/src/main.test.ts',
    ],
  },
  {
    reason:
      'the example servers beyond what each of them must show: settings, restarts, their pages in a browser',
    paths: [
      'examples/express-server/src/main.test.ts',
      'examples/express-server/src/npm-start.test.ts',
      'examples/express-server/src/kept-board.test.ts',
      'examples/express-server/src/in-browser.test.ts',
      'examples/fastify-server/src/in-browser.test.ts',
      'examples/own-login/src/main.test.ts',
    ],
  },
  {
    reason: 'faults and processes of which each takes seconds; some of each kind stay',
    paths: [
      'examples/deployment/src/deployment.test.ts',
      'examples/two-servers/src/two-servers.test.ts',
      'packages/cli/src/faults.test.ts',
      'packages/cli/src/work/hostile-programs.test.ts',
      'packages/postgres/src/pglite/pglite-directory.test.ts',
      'packages/postgres/src/transfer/random-boards.test.ts',
      'packages/postgres/test/clock-faults/',
      'packages/postgres/test/deletions/no-row-left.test.ts',
      'packages/postgres/test/faults/server-faults.test.ts',
      'packages/postgres/test/other-servers/backup.test.ts',
      'packages/postgres/test/faults/skewed-clocks.test.ts',
      'packages/postgres/test/realtime/realtime-processes.test.ts',
      'packages/postgres/test/several-processes/approvals.test.ts',
      'packages/postgres/test/several-processes/budgets.test.ts',
      'packages/postgres/test/several-processes/killed-api.test.ts',
      'packages/postgres/test/several-processes/max-concurrent.test.ts',
      'packages/postgres/test/several-processes/killed-deliverer.test.ts',
      'packages/postgres/test/several-processes/one-tier-limit.test.ts',
      'packages/postgres/test/several-processes/paused-agent.test.ts',
      'packages/postgres/test/several-processes/routing.test.ts',
      'packages/postgres/test/several-processes/schedules.test.ts',
      'packages/postgres/test/several-processes/task-taken-away.test.ts',
      'packages/postgres/test/two-servers/failover.test.ts',
    ],
  },
  {
    reason:
      'the dashboard on each host, under attack, with large texts, over many sessions, and by every rule of accessibility',
    paths: [
      'packages/dashboard/test/browser/cross-site.test.ts',
      'packages/dashboard/test/browser/every-page.test.ts',
      'packages/dashboard/test/browser/heavy-tasks.test.ts',
      'packages/dashboard/test/browser/hostile-texts.test.ts',
      'packages/dashboard/src/browser-sessions.test.ts',
      'packages/dashboard/test/browser/login-page.test.ts',
      'packages/dashboard/test/browser/login.test.ts',
      'packages/dashboard/test/browser/sessions-that-end.test.ts',
    ],
  },
  {
    reason: 'the code in the docs, which is compiled and run',
    paths: ['docs/examples.test.ts', 'docs/snippets.test.ts', 'docs/tutorial.test.ts'],
  },
]

const listed = ONLY_IN_CI.flatMap(({ paths }) => paths)
const covers = (path, file) => file === path || (path.endsWith('/') && file.startsWith(path))

/** Those of the files that `npm test` runs. Throws for a listed path that has none of them: it was renamed or removed. */
export function withoutThoseOfCi(files) {
  const unknown = listed.filter((path) => !files.some((file) => covers(path, file)))
  if (unknown.length > 0) throw new Error(`scripts/only-in-ci.mjs names no test: ${unknown.join(', ')}`)
  return files.filter((file) => !listed.some((path) => covers(path, file)))
}

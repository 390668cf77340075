/** The page runs no script and loads nothing. */
export const START_PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
}

const PARTS: readonly (readonly [string, string, string])[] = [
  [
    'Dashboard',
    '/dashboard',
    'the board for people, live: log in by the link that the server printed, or with the password',
  ],
  ['Commands', '/commands', 'lines to paste into a shell, with the key that the server printed'],
  ['Board API', '/api/board?action=todo', 'lists a column, adds and moves tasks, and asks the agent'],
  ['Webhooks', '/api/webhooks/create', 'registers an endpoint for signed webhooks (POST)'],
  ['API v2', '/v2/tasks', 'tasks, agents, keys, webhooks and analytics'],
  ['Reference', '/v2/reference', 'a page with every route, its parameters, body and response'],
  ['OpenAPI 3.1', '/v2/openapi.json', 'the same for programs'],
  ['GraphQL', '/v2/graphql', 'reads and writes the same in one request (POST)'],
  ['MCP', '/mcp', 'tools for AI agents by the Model Context Protocol (POST)'],
  ['Realtime', '/v2/realtime', 'a WebSocket that follows tasks and agents'],
  ['Liveness', '/healthz', 'whether the background work is running'],
  ['Readiness', '/readyz', 'whether requests can be sent here: started, not closing, the storage responds'],
  ['Host', '/health', "a route of this example's own"],
]

/** The response to `GET /`: what this server has, and how to request it. It has no key, because that is printed at the start. */
export function startPage(framework: string): string {
  const rows = PARTS.map(
    ([name, path, what]) =>
      `<tr><th>${name}</th><td><a href="${path}"><code>${path}</code></a></td><td>${what}</td></tr>`,
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Taskboard on ${framework}</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 56rem; margin: 2rem auto; padding: 0 1rem }
th { text-align: left } th, td { padding: .2rem 1rem .2rem 0; vertical-align: top }
</style>
</head>
<body>
<h1>Taskboard on ${framework}</h1>
<p>This is an example server. The server printed a link to the dashboard when it started, and an API
key that everything else requires except the reference, the OpenAPI document and the health check.</p>
<table>
${rows.join('\n')}
</table>
</body>
</html>
`
}

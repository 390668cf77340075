import { runDemo } from '@taskboard/example-demo'

await runDemo(async () => (await import('./fastify-demo.js')).fastifyDemo)

import { runDemo } from '@taskboard/example-demo'
import { fastifyDemo } from './fastify-demo.js'

await runDemo(fastifyDemo)

import { describeServer } from '@taskboard/example-demo/testing'

describeServer('Fastify', new URL('main.ts', import.meta.url))

import { describeDashboard } from '@taskboard/example-demo/testing'

describeDashboard('Fastify', new URL('main.ts', import.meta.url), 'first look')

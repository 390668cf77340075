import { runDemo } from '@taskboard/example-demo'

await runDemo(async () => (await import('./express-demo.js')).expressDemo)

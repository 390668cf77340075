import { runDemo } from '@taskboard/example-demo'
import { expressDemo } from './express-demo.js'

await runDemo(expressDemo)

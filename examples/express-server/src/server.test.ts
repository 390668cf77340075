import { describeServer } from '@taskboard/example-demo/testing'
import { inject } from 'vitest'

describeServer('Express', new URL('main.js', inject('programs')))

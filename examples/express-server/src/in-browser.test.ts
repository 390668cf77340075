import { describeDashboard } from '@taskboard/example-demo/testing'
import { inject } from 'vitest'

describeDashboard('Express', new URL('main.js', inject('programs')), 'whole')

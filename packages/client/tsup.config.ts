import { base } from '../../tsup.config.base.js'

export default { ...base, platform: 'neutral', target: 'es2022' }

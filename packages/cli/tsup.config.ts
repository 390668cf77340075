import { base } from '../../tsup.config.base.js'

export default { ...base, entry: ['src/index.ts', 'src/main.ts'] }

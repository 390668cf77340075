import { defineConfig } from 'tsup'
import { base } from '../../tsup.config.base.js'

// `dist/app` is the application's, built by scripts/build-app.mjs.
export default defineConfig({ ...base, clean: ['!app', '!app/**'] })

#!/usr/bin/env node
// In a clone, npm links this file before the program is built.
import { existsSync } from 'node:fs'

const main = new URL('../dist/main.js', import.meta.url)
if (existsSync(main)) await import(main.href)
else {
  process.stderr.write('error: taskboard is not built: run `npm run build` at the root of the repository\n')
  process.exitCode = 1
}

// Runs programs from the TypeScript sources: `node --conditions=@taskboard/source --import ./scripts/sources.mjs program.ts`.
// Beyond `tsx`, it loads `.sql` files as their text, as the build does.
import { register } from 'node:module'
import 'tsx'

register('./sql-as-text.mjs', import.meta.url)

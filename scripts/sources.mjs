// Runs programs from the TypeScript sources: `node --conditions=@taskboard/source --import ./scripts/sources.mjs program.ts`.
// Beyond what `--import tsx` does, it loads `.sql` files as their text, as the build does.
import { register } from 'node:module'
import { register as loadTypeScript } from 'tsx/esm/api'

loadTypeScript()
register('./sql-as-text.mjs', import.meta.url)

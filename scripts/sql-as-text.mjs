import { readFile } from 'node:fs/promises'

/** A hook of Node.js for modules: see sources.mjs. */
export async function load(url, context, nextLoad) {
  if (!new URL(url).pathname.endsWith('.sql')) return nextLoad(url, context)
  const text = await readFile(new URL(url), 'utf8')
  return { format: 'module', source: `export default ${JSON.stringify(text)}`, shortCircuit: true }
}

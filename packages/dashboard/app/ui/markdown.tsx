import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'

type View = ComponentType<{ readonly source: string }>
let view: View | null = null

/** Returns a setter's function, as a component is one itself. */
async function load(): Promise<() => View | null> {
  try {
    view = (await import('./markdown-view.js')).MarkdownView
  } catch {
    // The server has a newer build: what was written is shown as it is.
  }
  return () => view
}

/** Markdown that an agent or a user wrote. Until its parser is loaded, and when it can't be, it is shown as it was written. */
export function Markdown({ source }: { readonly source: string }) {
  const [Loaded, setLoaded] = useState<View | null>(() => view)
  useEffect(() => {
    if (Loaded !== null) return
    void load().then(setLoaded)
  }, [])
  return Loaded === null ? <p class="written">{source}</p> : <Loaded source={source} />
}

import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'

type View = ComponentType<{ readonly source: string }>
let view: View | null = null

/** Markdown that an agent or a user wrote. Until its parser is loaded, and when it cannot be, it is shown as it was written. */
export function Markdown({ source }: { readonly source: string }) {
  const [Loaded, setLoaded] = useState<View | null>(() => view)
  useEffect(() => {
    if (Loaded !== null) return
    import('./markdown-view.js').then(
      ({ MarkdownView }) => {
        view = MarkdownView
        setLoaded(() => MarkdownView)
      },
      () => undefined,
    )
  }, [])
  return Loaded === null ? <p class="written">{source}</p> : <Loaded source={source} />
}

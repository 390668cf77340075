import type { ComponentType, VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { readConfig } from '../state/config.js'
import { explain, type Failure } from '../state/failure.js'
import { Failed, Loading } from './states.js'

/** A component that is loaded when it is first shown. When the server has a newer build, its files are gone: a reload gets the new ones. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | null = null
  return function Lazy(props: Props): VNode {
    const [Component, setComponent] = useState<ComponentType<Props> | null>(() => loaded)
    const [failure, setFailure] = useState<Failure | null>(null)
    const [round, setRound] = useState(0)
    useEffect(() => {
      if (Component !== null) return
      setFailure(null)
      const show = async (): Promise<void> => {
        loaded = await load()
        setComponent(() => loaded)
      }
      show().catch(async (error: unknown) => {
        // The server is there, but no longer has the file.
        if (round > 0)
          await readConfig().then(
            () => location.reload(),
            () => undefined,
          )
        setFailure(explain(error))
      })
    }, [round])
    if (Component !== null) return <Component {...props} />
    if (failure !== null) return <Failed failure={failure} onRetry={() => setRound((before) => before + 1)} />
    return <Loading />
  }
}

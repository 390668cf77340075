/** The storage of a browser for this site; null where people have switched it off, or it is full. */
function keeper(open: () => Storage) {
  function attempt<Value>(work: (storage: Storage) => Value): Value | null {
    try {
      return work(open())
    } catch {
      return null
    }
  }
  return {
    get: (name: string): string | null => attempt((storage) => storage.getItem(name)),
    set: (name: string, value: string): void => void attempt((storage) => storage.setItem(name, value)),
    remove: (name: string): void => void attempt((storage) => storage.removeItem(name)),
    /** Removes all that the dashboard keeps there. */
    clear: (): void =>
      void attempt((storage) => {
        for (const name of Object.keys(storage)) if (name.startsWith('taskboard.')) storage.removeItem(name)
      }),
  }
}

/** In all tabs. */
export const kept = keeper(() => localStorage)
/** In this tab, until it is closed. */
export const keptInTab = keeper(() => sessionStorage)

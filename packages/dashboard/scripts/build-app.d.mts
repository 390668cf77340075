interface Size {
  readonly bytes: number
  readonly gzip: number
  readonly brotli: number
}

/** What was built, as in `manifest.json`. */
export interface BuiltApp {
  readonly version: string
  readonly script: string
  readonly styles: readonly string[]
  readonly preloaded: readonly string[]
  readonly sizes: Readonly<Record<string, Size>>
}

export function isAppFresh(): boolean
export function buildApp(options?: { readonly entry?: string; readonly outDir?: string }): Promise<BuiltApp>

import { buildApp, isAppFresh } from '../scripts/build-app.mjs'

/** A global setup: the application that hosts serve in tests, built from the sources as they are. */
export async function setup(): Promise<void> {
  if (!isAppFresh()) await buildApp()
}

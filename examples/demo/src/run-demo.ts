import { isTaskboardError } from '@taskboard/core'
import { startDemo, type DemoServer, type RunningDemo } from './demo.js'
import { readSettings, SettingError } from './settings.js'

const SIGNALS = ['SIGTERM', 'SIGINT'] as const
const SIGNAL_EXIT_CODE = 128
const SIGNAL_NUMBERS = { SIGTERM: 15, SIGINT: 2 } as const

/**
 * Runs an example's process, whose server `load` imports while the database opens. It reads the settings from the environment, starts the
 * demo, and drains it on SIGTERM or SIGINT. No handle is open then, so the process exits on its own, with 0. A second signal exits
 * immediately.
 */
export async function runDemo(load: () => Promise<DemoServer>): Promise<void> {
  const starting = start(load)
  let stopping = false
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (stopping) process.exit(SIGNAL_EXIT_CODE + SIGNAL_NUMBERS[signal])
      stopping = true
      void starting.then((demo) => demo && stop(demo, signal))
    })
  }
  await starting
}

async function start(load: () => Promise<DemoServer>): Promise<RunningDemo | null> {
  try {
    return await startDemo(load, readSettings(process.env), (text) => console.log(text))
  } catch (error) {
    const isExplained = error instanceof SettingError || isTaskboardError(error, 'INVALID_CONFIG')
    console.error(isExplained ? `Cannot start: ${error.message}` : error)
    process.exitCode = 1
    return null
  }
}

async function stop(demo: RunningDemo, signal: string): Promise<void> {
  console.log(`${signal}: letting work in progress end; once more to stop immediately`)
  try {
    await demo.stop()
    console.log('Stopped.')
  } catch (error) {
    console.error(error)
    process.exitCode = 1
  }
}

import { isTaskboardError } from '@taskboard/core'
import { startDemo, type DemoServer, type RunningDemo } from './demo.js'
import { readSettings, SettingError } from './settings.js'

const SIGNALS = ['SIGTERM', 'SIGINT'] as const
const SIGNAL_EXIT_CODE = 128
const SIGNAL_NUMBERS = { SIGTERM: 15, SIGINT: 2 } as const

/**
 * The whole life of an example's process: settings from the environment, the demo, and its end by SIGTERM or SIGINT, which
 * drains. Nothing is open then, so that the process ends by itself, with 0. A second signal exits at once.
 */
export async function runDemo(server: DemoServer): Promise<void> {
  const starting = start(server)
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

async function start(server: DemoServer): Promise<RunningDemo | null> {
  try {
    return await startDemo(server, readSettings(process.env), (text) => console.log(text))
  } catch (error) {
    const isExplained = error instanceof SettingError || isTaskboardError(error, 'INVALID_CONFIG')
    console.error(isExplained ? `Cannot start: ${error.message}` : error)
    process.exitCode = 1
    return null
  }
}

async function stop(demo: RunningDemo, signal: string): Promise<void> {
  console.log(`${signal}: letting work under way end; once more to stop at once`)
  try {
    await demo.stop()
    console.log('Stopped.')
  } catch (error) {
    console.error(error)
    process.exitCode = 1
  }
}

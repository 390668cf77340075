import { runCli } from './run-cli.js'

// Whoever read the output has enough of it, as `head` does.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    process.stderr.write(`error: the output cannot be written: ${error.message}\n`, () => process.exit(1))
  })
}
process.exitCode = await runCli(process.argv.slice(2))
// A prompt or a pipe may hold standard input open.
process.stdin.unref?.()

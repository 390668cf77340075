import { moveAccount } from '../src/move-account.js'
import { openBoards } from './open-boards.js'

// Arguments: the addresses as JSON, an account, a board, and a step after which the process is killed.
const [urls = '', account = '', target = '', last] = process.argv.slice(2)
const opened = await openBoards(JSON.parse(urls))
await moveAccount(opened, account, target, (step) => {
  if (step === last) process.kill(process.pid, 'SIGKILL')
})
process.exit()

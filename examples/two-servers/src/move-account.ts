import { setTimeout } from 'node:timers/promises'
import { exportLines, importLines } from '@taskboard/postgres'
import type { Directory } from './directory.js'
import type { Board } from './server.js'

/** Moves an account to another board, and continues a move that was broken off. Until the copy is whole, writes get 503. */
export async function moveAccount(
  { directory, boards }: { readonly directory: Directory; readonly boards: readonly Board[] },
  account: string,
  target: string,
  onStep: (step: 'frozen' | 'copied' | 'switched') => void = () => undefined,
): Promise<void> {
  const place = await directory.find(account)
  const source = place?.board === target ? (place.source ?? target) : place?.board
  const [from, to] = [source, target].map((wanted) => boards.find(({ name }) => name === wanted))
  if (from === undefined || to === undefined) throw new Error('no such account or board')
  if (place?.board !== target) {
    await directory.begin(account, target)
    await from.taskboard.accounts.update(account, { readOnly: true })
    onStep('frozen')
    // Rows that are there already stay. They arrive read-only, so that nothing happens on two boards.
    await importLines(to.pool, linesOf(exportLines(from.pool, { accountId: account })))
    onStep('copied')
    await directory.switchTo(account, target)
    onStep('switched')
  }
  await to.taskboard.accounts.update(account, { readOnly: false })
  if (from === to) return
  // What happened before is still sent from there.
  while (await isSending(from, account)) await setTimeout(200)
  await from.taskboard.accounts.delete(account)
  await directory.end(account)
}

async function* linesOf(batches: AsyncIterable<readonly string[]>): AsyncGenerator<string> {
  for await (const batch of batches) yield* batch
}

async function isSending({ taskboard: { accounts, webhooks } }: Board, account: string): Promise<boolean> {
  for (const { id } of await accounts.listWorkspaces(account))
    for (const webhook of await webhooks.list(id))
      if ((await webhooks.deliveries(id, webhook.id, { status: 'pending' })).deliveries.length > 0)
        return true
  return false
}

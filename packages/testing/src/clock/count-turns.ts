/** How many turns of the event loop pass while `work` is in progress: a cost that doesn't depend on the machine. */
export async function countTurns(work: () => Promise<void>): Promise<number> {
  let turns = 0
  let counting = true
  const count = (): void => {
    turns += 1
    if (counting) setImmediate(count)
  }
  setImmediate(count)
  await work()
  counting = false
  return turns
}

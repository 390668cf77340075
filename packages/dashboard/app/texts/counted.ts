/** A number of things: `1 task`, `3 tasks`. */
export const counted = (count: number, one: string, others: string): string =>
  `${count} ${count === 1 ? one : others}`

/**
 * Cases of the suite that take long and send no statement that the others do not send: on many rows, at once, or step by step. That they
 * do not is tested where all of them run.
 */
const SEND_NOTHING_NEW =
  /^(lists|interleaving|shared|completions|subtasks|analytics|leases|outages)\.|^(claims\.eight-claimers|responders\.(decide|answer)|dependencies\.many-reopened|find\.newest-attempts|agents\.success-rate-window|access\.overlapping-\w+|deliveries\.attempts-bounded|turns\.many-accounts|limits\.exact|tiers\.model|splits\.many-rounds|edit\.circle)$/

export const sendsNothingNew = (id: string): boolean => SEND_NOTHING_NEW.test(id)

/** The cases of a suite that send each of its statements. */
export function sendingCases<Case extends { readonly id: string }>(cases: readonly Case[]): readonly Case[] {
  return cases.filter(({ id }) => !sendsNothingNew(id))
}

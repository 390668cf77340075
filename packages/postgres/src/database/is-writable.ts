/**
 * A condition on the column of a workspace before it: its account takes writes. For background work, which passes over those that do not.
 * The list is read once in a statement, and nearly always empty.
 */
export const IS_WRITABLE = /* sql */ `<> all (array(select w.id from taskboard.every_workspace w where w.read_only))`

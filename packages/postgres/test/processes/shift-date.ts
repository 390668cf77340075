// Loaded before a process's program: makes its system clock wrong, as on a machine whose clock was never set.
const aheadMs = Number(process.env['DATE_AHEAD_MS'])
const MachineDate = Date
const now = (): number => MachineDate.now() + aheadMs

globalThis.Date = new Proxy(MachineDate, {
  apply: () => new MachineDate(now()).toString(),
  construct: (target, given, newTarget) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget) as Date,
  get: (target, name) => (name === 'now' ? now : (Reflect.get(target, name) as unknown)),
})

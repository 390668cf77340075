// Loaded before a process's program: its machine's clock jumps when the controller says so. Timers go on, as with a real clock.
const MachineDate = Date
let aheadMs = 0
const now = (): number => MachineDate.now() + aheadMs

globalThis.Date = new Proxy(MachineDate, {
  apply: () => new MachineDate(now()).toString(),
  construct: (target, given, newTarget) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget) as Date,
  get: (target, name) => (name === 'now' ? now : (Reflect.get(target, name) as unknown)),
})

process.on('message', (order: { readonly kind: string; readonly aheadMs?: number }) => {
  if (order.kind === 'jump') aheadMs = order.aheadMs ?? 0
})

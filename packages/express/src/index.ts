export { taskboardRouter } from './taskboard-router.js'
export type { TaskboardRouterOptions } from './taskboard-router.js'

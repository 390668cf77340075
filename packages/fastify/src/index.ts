export { taskboardPlugin } from './taskboard-plugin.js'
export type { TaskboardPluginOptions } from './taskboard-plugin.js'

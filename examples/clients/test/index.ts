export { openCuttingProxy } from './cutting-proxy.js'
export type { CuttingProxy } from './cutting-proxy.js'
export { startFollower } from './follower.js'
export type { Follower } from './follower.js'

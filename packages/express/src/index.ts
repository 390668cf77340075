export { taskboardRouter } from './taskboard-router.js'

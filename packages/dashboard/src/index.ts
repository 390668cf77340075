export { taskboardDashboard } from './dashboard.js'
export type { Dashboard, LoginLinkInput } from './dashboard.js'
export type { DashboardOptions } from './dashboard-options.js'

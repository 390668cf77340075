import type { TransportServices } from '../wiring/transport-services.js'
import type { Route } from './http.js'

/** The route, whose requests are reported. Without telemetry it stays as it is. */
export function tracedRoute({ environment }: Pick<TransportServices, 'environment'>, route: Route): Route {
  const { telemetry } = environment
  if (telemetry === null) return route
  return {
    ...route,
    handle: (request) => {
      const { method } = request
      const header = (name: string): string | undefined => request.header(name)
      return telemetry.span({ kind: 'request', method, route: route.path, header }, async (span) => {
        const response = await route.handle(request)
        span.set({ status: response.status })
        return response
      })
    },
  }
}

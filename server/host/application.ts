import {type App, type AppOptions, createApp} from "../http/app.ts"
import {createRoutes, type RouteServices} from "../http/routes.ts"

export interface ApplicationOptions extends Omit<AppOptions, "routes"> {
  /** `http.base` of the configuration. */
  readonly base: string
  readonly services: Omit<RouteServices, "answer">
}

/** All routes of a Host with their handlers: a third of the Host's code, loaded only after the Host has started. */
export const createApplication = ({base, services, ...options}: ApplicationOptions): App =>
  createApp({...options, routes: answer => createRoutes({...services, answer}, base)})

import {type App, type AppOptions, createApp} from "../http/app.ts"
import {createRoutes, type RouteTable} from "../http/routes.ts"

export type ApplicationOptions = Omit<AppOptions, "routes"> & Omit<RouteTable, "answer">

/** All routes of a Host with their handlers: a third of the Host's code, loaded only after the Host has started. */
export const createApplication = (options: ApplicationOptions): App =>
  createApp({...options, routes: answer => createRoutes({...options, answer})})

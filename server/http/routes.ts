import type {Mode} from "../../shared/mode.ts"
import type {Route} from "../../shared/route.ts"
import type {Generation} from "../generation/generation.ts"
import {describePublished, type PublishedServices, publishedRoutes} from "../generation/routes/published.ts"
import type {RunningGeneration} from "../generation/running-generation.ts"
import {oncePer} from "../runtime/flow/remember.ts"
import {version} from "../runtime/version.ts"
import {consoleRoutes} from "./console/pages.ts"
import {mcpRoutes} from "./mcp/routes.ts"
import {toolsOf} from "./mcp/tools.ts"
import {createOpenApi, documentRoutes} from "./openapi/document.ts"
import {Pages} from "./public/pages.ts"
import {AddressRate} from "./public/rate.ts"
import {type ShownStatus, statusPageRoutes} from "./public/status.ts"
import {probeRoutes} from "./readiness/probes.ts"

export interface RouteTable extends Pick<PublishedServices, "answer"> {
  /** `http.base` of the configuration. */
  readonly base: string
  /** The routes of the Host's parts, without `base`. */
  readonly ofParts: readonly Route[]
  readonly running: RunningGeneration
  readonly mode: Mode
  readonly isReady: () => boolean
  readonly statusBoard: ShownStatus
}

/** All routes of the Host. All but the public probes are below `base`. */
export const createRoutes = ({base, ofParts, running, mode, isReady, statusBoard, answer}: RouteTable) => {
  const current = () => running.require()
  const underBase = (routes: readonly Route[]) => routes.map(route => ({...route, path: `${base}${route.path}`}))
  const probes = probeRoutes(isReady)
  const documentOf = oncePer((generation: Generation) =>
    createOpenApi([...probes, ...underBase([...api, ...describePublished(generation)])], base, version),
  )
  const toolsIn = oncePer((generation: Generation) => toolsOf(ofParts, describePublished(generation)))
  const rate = new AddressRate()
  const api: readonly Route[] = [
    ...ofParts,
    ...publishedRoutes({current, identity: {mode}, answer}),
    ...new Pages(current, rate).routes(),
    ...statusPageRoutes(statusBoard, rate),
    ...mcpRoutes({known: () => running.settings.http, ofParts, tools: () => toolsIn(current()), base, answer}),
    ...consoleRoutes(() => running.settings.http.consoleHosts),
    ...documentRoutes(() => documentOf(current())),
  ]
  return [...probes, ...underBase(api)]
}

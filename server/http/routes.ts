import type {Mode} from "../../shared/mode.ts"
import type {Route} from "../../shared/route.ts"
import {describePublished, type PublishedServices, publishedRoutes} from "../generation/routes/published.ts"
import type {RunningGeneration} from "../generation/running-generation.ts"
import {version} from "../runtime/version.ts"
import {consoleRoutes} from "./console/pages.ts"
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
  const published = () => describePublished(current())
  const render = () => createOpenApi([...probes, ...underBase([...api, ...published()])], base, version)
  const rate = new AddressRate()
  const api: readonly Route[] = [
    ...ofParts,
    ...publishedRoutes({current, identity: {mode}, answer}),
    ...new Pages(current, rate).routes(),
    ...statusPageRoutes(statusBoard, rate),
    ...consoleRoutes(() => running.settings.http.consoleHosts),
    ...documentRoutes(oncePer(current, render)),
  ]
  return [...probes, ...underBase(api)]
}

/** Makes the value again only when the subject changes. */
const oncePer = <T>(subject: () => object, make: () => T): (() => T) => {
  let made: {readonly of: object; readonly value: T} | undefined
  return () => {
    const now = subject()
    if (made?.of !== now) made = {of: now, value: make()}
    return made.value
  }
}

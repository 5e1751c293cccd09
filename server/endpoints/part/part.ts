import type {ProjectConfig} from "../../../shared/config/config.ts"
import type {Raise} from "../../../shared/events/events.ts"
import type {Database} from "../../database/database.ts"
import {holdPackages} from "../../runtime/packages/find.ts"
import {isPlannedEnd, type Part} from "../../runtime/part.ts"
import type {ChannelEnd} from "../backfill.ts"
import {readCursor} from "../cursors.ts"
import type {Endpoint, EndpointHooks} from "../endpoint.ts"
import {Endpoints} from "../endpoints.ts"
import type {Gaps} from "../gaps/gaps.ts"
import {readGaps} from "../gaps/view.ts"
import type {Ingress} from "../ingress.ts"
import type {Pasts} from "../pasts.ts"
import type {OpenShown} from "../uploads.ts"
import {detailsOf, viewEndpoints} from "./endpoints.ts"
import {endpointMetrics} from "./metrics.ts"

export interface EndpointNeeds {
  readonly ingress: Ingress
  readonly gaps: Gaps
  readonly pasts: Pasts
  readonly file: OpenShown
  readonly raise: Raise
  readonly inbox: {
    readonly receiveAll: EndpointHooks["receive"]
    online(endpoint: Endpoint): void
    ends(endpoint: string, most: number): Promise<readonly ChannelEnd[]>
  }
  readonly outbox: {online(endpoint: string): void}
}

/** Hears of endpoints that other parts show. */
export interface EndpointHearer {
  /** Its state or admission has changed. */
  changed?(endpoint: Endpoint): void
  /** It has said who it is on its platform. */
  named?(endpoint: Endpoint): void
  /** It can send from now on. */
  online?(endpoint: Endpoint): void
  storing?(stored: Promise<unknown>): void
}

export interface EndpointsPart extends Part {
  readonly endpoints: Endpoints
  hear(hearer: EndpointHearer): void
  readonly parts: Readonly<Record<"pasts" | "gaps" | "opening" | "libraries", Part>>
}

export const createEndpoints = (
  {database, onlyEndpoint}: {readonly database: Database; readonly onlyEndpoint?: string | undefined},
  {ingress, gaps, pasts, file, raise, inbox, outbox}: EndpointNeeds,
  running: {readonly settings: Pick<ProjectConfig, "http">},
): EndpointsPart => {
  const hearers: EndpointHearer[] = []
  const endpoints = new Endpoints({
    receive: (endpoint, events, options) => {
      const stored = inbox.receiveAll(endpoint, events, options)
      for (const {storing} of hearers) storing?.(stored)
      return stored
    },
    cursorOf: ({spec: {name}}) => readCursor(database, name),
    past: name => pasts.of(name),
    online: endpoint => {
      inbox.online(endpoint)
      outbox.online(endpoint.spec.name)
      for (const {online} of hearers) online?.(endpoint)
    },
    changed: (endpoint, at) => {
      gaps.observe(endpoint, at)
      raise("endpoint.state", describeState(endpoint), {endpoint: endpoint.spec.name})
      for (const {changed} of hearers) changed?.(endpoint)
    },
    listening: endpoint => gaps.observe(endpoint),
    unstored: endpoint => gaps.unstored(endpoint),
    named: endpoint => {
      for (const {named} of hearers) named?.(endpoint)
    },
    isPaused: () => ingress.isPaused,
    onlyEndpoint,
    file,
    backfill: {
      isDue: endpoint => gaps.isOpen(endpoint),
      ends: ({spec: {name}}, most) => inbox.ends(name, most),
      spoil: endpoint => gaps.spoil(endpoint),
    },
  })
  ingress.onChange(at => {
    for (const endpoint of endpoints.list()) gaps.observe(endpoint, at)
  })
  const required = () => running.settings.http.readiness.endpoints
  let release = () => {}
  return {
    name: "the endpoints",
    endpoints,
    hear: hearer => void hearers.push(hearer),
    stopTaking: () => {
      release()
      endpoints.stopAdmission()
    },
    close: () => endpoints.close(),
    limit: 1500,
    late: "an endpoint did not close in time",
    metrics: endpointMetrics(database, endpoints),
    facts: {
      endpoints: () => viewEndpoints(endpoints, required()),
      gaps: () => readGaps(database, Number.MAX_SAFE_INTEGER, 100),
    },
    routes: async () => {
      const [{endpointRoutes}, {webhookRoutes}] = await Promise.all([import("./endpoints.ts"), import("./webhooks.ts")])
      return [...endpointRoutes(endpoints, required, database), ...webhookRoutes(endpoints)]
    },
    parts: {
      pasts: {
        name: "the pasts of endpoints",
        start: () => pasts.start(),
        stopTaking: () => pasts.stop(),
        limit: 250,
        late: "the Host could not store when the endpoints were last online",
      },
      // It stops before the admission does: the gap's reason is that the Host stops.
      gaps: {
        name: "gaps",
        start: () => gaps.start(endpoints.list()),
        stopTaking: exit => gaps.stop(isPlannedEnd(exit) ? "host_stopped" : "host_failed"),
        limit: 250,
        late: "the Host could not store when the endpoints went offline",
      },
      // The connections to the platforms.
      opening: {
        name: "the endpoints",
        start: () => {
          release = holdPackages()
          endpoints.start()
        },
      },
      // They load once the Host serves: the first requests must not wait for them.
      libraries: {name: "the libraries of adapters", start: () => release()},
    },
  }
}

const describeState = ({state, ownAdmission}: Endpoint) => ({
  state: state.is,
  admission: ownAdmission.is,
  since: new Date(state.since).toISOString(),
  ...("reason" in state ? {reason: state.reason} : {}),
  ...detailsOf(state),
})

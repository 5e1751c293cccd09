import {EndpointCheck, EndpointView, type GapReason, GapView, isPlanned} from "../../../shared/api/endpoints.ts"
import {PageQuery, page} from "../../../shared/api/pages.ts"
import {endpointStates, missedFirst} from "../../../shared/endpoint-states.ts"
import {Optional, Type} from "../../../shared/type.ts"
import type {Database, Row} from "../../database/database.ts"
import {checkEndpoint} from "../../endpoints/check.ts"
import {type CursorFacts, readCursorFacts} from "../../endpoints/cursors.ts"
import type {Endpoint} from "../../endpoints/endpoint.ts"
import type {Endpoints} from "../../endpoints/endpoints.ts"
import {isInState, newestFirst, type Operation, pageOf, readNewest, timeOf} from "../operations.ts"

export const listGaps = (database: Database): Operation =>
  newestFirst({
    summary: "Gaps: when endpoints without history may have missed messages, newest first",
    query: PageQuery,
    item: GapView,
    numberOf: ({seq}) => seq,
    read: async (_, before, most) => (await readNewest(database, "endpoint_gaps", {}, before, most)).map(viewGap),
  })

const viewGap = (row: Row): GapView => {
  const reason = row.reason as GapReason
  return {
    seq: Number(row.seq),
    endpoint: String(row.endpoint),
    from: timeOf(row.from_at) ?? "",
    to: timeOf(row.to_at),
    reason,
    planned: isPlanned(reason),
    backfill: row.backfill as GapView["backfill"],
  }
}

const EndpointPage = page(EndpointView)

const EndpointQuery = Type.Object({
  ...PageQuery.properties,
  state: Optional.Enum([...endpointStates], {description: "Only endpoints in this state"}),
})

/** The selectors of `http.readiness.endpoints`. */
export type Required = () => readonly {readonly owner: string; readonly name: string}[]

/** `database` is undefined if the Host has none yet. */
export const listEndpoints = (
  endpoints: Endpoints,
  required: Required,
  database?: Pick<Database, "read">,
): Operation => ({
  summary: "The endpoints of the running generation; required ones that are not online first",
  query: EndpointQuery,
  response: {200: EndpointPage},
  handle: async (_, call) => {
    const cursors = database === undefined ? new Map() : await readCursorFacts(database)
    const views = viewEndpoints(endpoints, required(), cursors)
    return call.json(EndpointPage, pageOf(missedFirst(views.filter(isInState(call))), call))
  },
})

/** The views of all endpoints; without `cursors`, they lack the data from the database. */
export const viewEndpoints = (
  endpoints: Pick<Endpoints, "list">,
  required: ReturnType<Required>,
  cursors: ReadonlyMap<string, CursorFacts> = new Map(),
): EndpointView[] =>
  endpoints
    .list()
    .map(endpoint => viewEndpoint(endpoint, isSelected(endpoint, required), cursors.get(endpoint.spec.name)))

const isSelected = ({spec}: Endpoint, selectors: ReturnType<Required>): boolean =>
  selectors.some(({owner, name}) => owner === spec.owner && name === spec.name)

export const reconnectEndpoint = (endpoints: Endpoints): Operation => ({
  summary: "Close an endpoint's connection and open a new one; a failed endpoint connects again too",
  response: {202: Type.Object({name: Type.String()})},
  problems: ["endpoint_unknown"],
  handle: async (_, call) => {
    const {name = ""} = call.params
    await endpoints.reconnect(name)
    return call.json(Type.Object({name: Type.String()}), {name}, {status: 202})
  },
})

export const askPlatform = (endpoints: Endpoints): Operation => ({
  summary: "Ask an endpoint's platform whether its account can work: credentials, scopes, permissions",
  response: {200: EndpointCheck},
  problems: ["endpoint_unknown", "unsupported"],
  handle: async (request, call) => {
    const {spec} = endpoints.require(call.params.name ?? "")
    return call.json(EndpointCheck, await checkEndpoint(spec, request.signal))
  },
})

const reasonOf = (state: Endpoint["state"], admission: Endpoint["admission"]): {readonly reason?: string} => {
  if ("reason" in state) return {reason: state.reason}
  return admission.is === "closed" ? {reason: admission.reason} : {}
}

const noCursor: CursorFacts = {at: undefined, dropped: 0}

const viewEndpoint = (
  {spec, state, past, admission, unreadable, login}: Endpoint,
  required: boolean,
  cursor: CursorFacts = noCursor,
): EndpointView => ({
  name: spec.name,
  owner: spec.owner,
  slot: spec.slot,
  required,
  state: state.is,
  since: new Date(state.since).toISOString(),
  ...(past.awaySince === undefined ? {} : {awaySince: new Date(past.awaySince).toISOString()}),
  admission: admission.is,
  ...reasonOf(state, admission),
  ...("attempt" in state ? {attempt: state.attempt} : {}),
  ...(state.is === "reconnecting" ? {retryAt: new Date(state.retryAt).toISOString()} : {}),
  ...("error" in state ? {error: state.error} : {}),
  ...("remediation" in state ? {remediation: state.remediation} : {}),
  ...(unreadable.size === 0
    ? {}
    : {unreadable: [...unreadable].slice(0, 50).map(([place, reason]) => ({place, ...reason}))}),
  lastEventAt: timeOf(past.lastEventAt),
  lastSentAt: timeOf(past.lastSentAt),
  ...(login === undefined ? {} : {login}),
  history: spec.history,
  idempotent: spec.idempotent,
  cursorAt: timeOf(cursor.at),
  dropped: cursor.dropped,
  features: [...spec.features],
  limits: spec.limits,
  onUnknown: spec.delivery?.onUnknown ?? "hold",
  rates: [...(spec.delivery?.rates ?? [])],
})

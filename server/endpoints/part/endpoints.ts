import type {EndpointView} from "../../../shared/api/endpoints.ts"
import {endpointOperations} from "../../../shared/api/operations/messages.ts"
import {type Handler, serve} from "../../../shared/api/operations/operation.ts"
import {missedFirst} from "../../../shared/endpoint-states.ts"
import type {Database, Reader} from "../../database/database.ts"
import {isInState, pageOf, timeOf} from "../../database/lists/pages.ts"
import {checkEndpoint} from "../check.ts"
import {type CursorFacts, readCursorFacts} from "../cursors.ts"
import type {Endpoint} from "../endpoint.ts"
import type {Endpoints} from "../endpoints.ts"

/** The selectors of `http.readiness.endpoints`. */
export type Required = () => readonly {readonly owner: string; readonly name: string}[]

/** `database` is undefined if the Host has none yet. */
export const listEndpoints =
  (endpoints: Endpoints, required: Required, database?: Reader): Handler<typeof endpointOperations.list> =>
  async asked => {
    const cursors = database === undefined ? new Map() : await readCursorFacts(database)
    const views = viewEndpoints(endpoints, required(), cursors)
    return pageOf(missedFirst(views.filter(isInState(asked))), asked)
  }

export const endpointRoutes = (endpoints: Endpoints, required: Required, database: Database) =>
  serve(endpointOperations, {
    list: listEndpoints(endpoints, required, database),
    check: ({params: {name}, request}) => checkEndpoint(endpoints.require(name).spec, request.signal),
    reconnect: async ({params: {name}}) => {
      await endpoints.reconnect(name)
      return {name}
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

export const detailsOf = (state: Endpoint["state"]) => ({
  ...("attempt" in state ? {attempt: state.attempt} : {}),
  ...("error" in state ? {error: state.error} : {}),
  ...("remediation" in state ? {remediation: state.remediation} : {}),
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
  ...(state.is === "reconnecting" ? {retryAt: new Date(state.retryAt).toISOString()} : {}),
  ...detailsOf(state),
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
  ...(spec.onlyReceives === undefined ? {} : {webhook: spec.onlyReceives}),
  limits: spec.limits,
  onUnknown: spec.delivery?.onUnknown ?? "hold",
  rates: [...(spec.delivery?.rates ?? [])],
})

import {gapReasons, isPlanned} from "../../../shared/api/endpoints.ts"
import {endpointStates} from "../../../shared/endpoint-states.ts"
import {by, type Reading} from "../../../shared/metrics/readings.ts"
import type {Database, Reader} from "../../database/database.ts"
import {readCursorFacts} from "../cursors.ts"
import type {Endpoint} from "../endpoint.ts"
import type {Endpoints} from "../endpoints.ts"
import {type GapCount, GapCounts, type OpenGap} from "../gaps/gap-counts.ts"
import {GapLengths} from "../gaps/gap-lengths.ts"
import {hasGaps} from "../spec.ts"
import type {EndpointState} from "../state.ts"

const labelsOf = ({spec}: Endpoint) => ({endpoint: spec.name, owner: spec.owner})

export const readEndpoints = (endpoints: readonly Endpoint[]) => {
  const inState = (is: EndpointState["is"]) => endpoints.filter(({state}) => state.is === is).length
  const opened = endpoints.filter(({spec}) => spec.open !== undefined)
  const each = (read: (endpoint: Endpoint) => number) =>
    opened.map(endpoint => ({labels: labelsOf(endpoint), value: read(endpoint)}))
  return {
    svc_endpoints: by("state", Object.fromEntries(endpointStates.map(is => [is, inState(is)]))),
    svc_endpoint_online: each(({state}) => (state.is === "online" ? 1 : 0)),
    svc_endpoint_admission_open: each(({admission}) => (admission.is === "open" ? 1 : 0)),
    svc_endpoint_last_event_timestamp_seconds: opened.flatMap(endpoint => {
      const at = endpoint.past.lastEventAt
      return at === undefined ? [] : [{labels: labelsOf(endpoint), value: at / 1000}]
    }),
    svc_endpoint_unknown_total: each(({unknowns}) => unknowns),
  }
}

/** Every endpoint has its series from the start, so that the first increase is visible. */
const readDroppedEvents = async (database: Reader, endpoints: readonly Endpoint[]) => {
  const facts = await readCursorFacts(database)
  return {
    svc_endpoint_dropped_total: endpoints
      .filter(({spec}) => spec.open !== undefined && spec.history === "replay")
      .map(endpoint => ({labels: labelsOf(endpoint), value: facts.get(endpoint.spec.name)?.dropped ?? 0})),
  }
}

const sum = (gaps: readonly GapCount[]): number => gaps.reduce((total, {count}) => total + count, 0)

/** Every endpoint has its series before its first gap, so that the first increase is visible. */
const readGaps = async (counts: GapCounts, endpoints: readonly Endpoint[]) => {
  const {counts: gaps, ended, open} = await counts.read()
  const missing = endpoints
    .filter(({spec}) => spec.open !== undefined && hasGaps(spec))
    .flatMap(endpoint =>
      [false, true].map(planned => {
        const isOf = (gap: GapCount | OpenGap) =>
          gap.endpoint === endpoint.spec.name && isPlanned(gap.reason) === planned
        return {name: endpoint.spec.name, planned, labels: {...labelsOf(endpoint), planned: String(planned)}, isOf}
      }),
    )
  return {
    svc_endpoint_gaps_total: missing.map(({labels, isOf}) => ({labels, value: sum(gaps.filter(isOf))})),
    svc_endpoint_gap_seconds: missing.map(({name, planned, labels}) => ({
      labels,
      histogram: ended.find(each => each.endpoint === name && each.planned === planned)?.lengths ?? new GapLengths(),
    })),
    svc_endpoint_gap_open_seconds: missing.flatMap(({labels, isOf}) => {
      const gap = open.find(isOf)
      return gap === undefined ? [] : [{labels, value: Math.max(0, Date.now() - gap.from) / 1000}]
    }),
    svc_gaps_total: gapReasons.map(reason => ({
      labels: {reason},
      value: sum(gaps.filter(gap => gap.reason === reason)),
    })),
  }
}

export const endpointMetrics = (database: Database, endpoints: Pick<Endpoints, "list">) => {
  const gaps = new GapCounts(database)
  return [
    {read: () => readEndpoints(endpoints.list())},
    {group: "gaps", read: () => readGaps(gaps, endpoints.list())},
    {group: "messages", read: () => readDroppedEvents(database, endpoints.list())},
  ] satisfies readonly Reading[]
}

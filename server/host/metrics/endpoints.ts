import {gapReasons, isPlanned} from "../../../shared/api/endpoints.ts"
import type {Reader} from "../../database/database.ts"
import {readCursorFacts} from "../../endpoints/cursors.ts"
import type {Endpoint} from "../../endpoints/endpoint.ts"
import type {GapCount, GapCounts} from "../../endpoints/gaps/gap-counts.ts"
import {GapLengths} from "../../endpoints/gaps/gap-lengths.ts"
import {hasGaps} from "../../endpoints/spec.ts"
import type {EndpointState} from "../../endpoints/state.ts"
import type {Repeats} from "../../inbox/intake/repeats.ts"
import {by, type Readings} from "../../metrics/readings.ts"

const noStates: Readonly<Record<EndpointState["is"], number>> = {
  idle: 0,
  connecting: 0,
  online: 0,
  reconnecting: 0,
  offline: 0,
  failed: 0,
}

const labelsOf = ({spec}: Endpoint) => ({endpoint: spec.name, owner: spec.owner})

export const readEndpoints = (endpoints: readonly Endpoint[]) => {
  const states = {...noStates}
  for (const {state} of endpoints) states[state.is]++
  const opened = endpoints.filter(({spec}) => spec.open !== undefined)
  return {
    svc_endpoints: by("state", states),
    svc_endpoint_online: opened.map(endpoint => ({
      labels: labelsOf(endpoint),
      value: endpoint.state.is === "online" ? 1 : 0,
    })),
    svc_endpoint_admission_open: opened.map(endpoint => ({
      labels: labelsOf(endpoint),
      value: endpoint.admission.is === "open" ? 1 : 0,
    })),
    svc_endpoint_last_event_timestamp_seconds: opened.flatMap(endpoint => {
      const at = endpoint.past.lastEventAt
      return at === undefined ? [] : [{labels: labelsOf(endpoint), value: at / 1000}]
    }),
    svc_endpoint_unknown_total: opened.map(endpoint => ({labels: labelsOf(endpoint), value: endpoint.unknowns})),
  } satisfies Partial<Readings>
}

/** Every endpoint has its series from the start, so that the first increase is visible. */
export const readRepeats = (endpoints: readonly Endpoint[], repeats: Repeats) =>
  ({
    svc_inbox_repeats_total: endpoints
      .filter(({spec}) => spec.open !== undefined)
      .flatMap(({spec: {name: endpoint}}) => {
        const {same, differs} = repeats.of(endpoint)
        return [
          {labels: {endpoint, differs: "false"}, value: same},
          {labels: {endpoint, differs: "true"}, value: differs},
        ]
      }),
  }) satisfies Partial<Readings>

export const noGaps = {
  svc_endpoint_gaps_total: [],
  svc_endpoint_gap_seconds: [],
  svc_endpoint_gap_open_seconds: [],
  svc_gaps_total: [],
} satisfies Partial<Readings>

export const noDropped = {svc_endpoint_dropped_total: []} satisfies Partial<Readings>

/** Every endpoint has its series from the start, so that the first increase is visible. */
export const readDroppedEvents = async (database: Reader, endpoints: readonly Endpoint[]) => {
  const facts = await readCursorFacts(database)
  return {
    svc_endpoint_dropped_total: endpoints
      .filter(({spec}) => spec.open !== undefined && spec.history === "replay")
      .map(endpoint => ({labels: labelsOf(endpoint), value: facts.get(endpoint.spec.name)?.dropped ?? 0})),
  } satisfies Partial<Readings>
}

const sum = (gaps: readonly GapCount[]): number => gaps.reduce((total, {count}) => total + count, 0)

/** Every endpoint has its series before its first gap, so that the first increase is visible. */
export const readGaps = async (counts: GapCounts, endpoints: readonly Endpoint[]) => {
  const {counts: gaps, ended, open} = await counts.read()
  const missing = endpoints
    .filter(({spec}) => spec.open !== undefined && hasGaps(spec))
    .flatMap(endpoint => [false, true].map(planned => ({name: endpoint.spec.name, endpoint, planned})))
  return {
    svc_endpoint_gaps_total: missing.map(({name, endpoint, planned}) => ({
      labels: {...labelsOf(endpoint), planned: String(planned)},
      value: sum(gaps.filter(gap => gap.endpoint === name && isPlanned(gap.reason) === planned)),
    })),
    svc_endpoint_gap_seconds: missing.map(({name, endpoint, planned}) => ({
      labels: {...labelsOf(endpoint), planned: String(planned)},
      histogram: ended.find(each => each.endpoint === name && each.planned === planned)?.lengths ?? new GapLengths(),
    })),
    svc_endpoint_gap_open_seconds: missing.flatMap(({name, endpoint, planned}) => {
      const gap = open.find(each => each.endpoint === name && isPlanned(each.reason) === planned)
      const labels = {...labelsOf(endpoint), planned: String(planned)}
      return gap === undefined ? [] : [{labels, value: Math.max(0, Date.now() - gap.from) / 1000}]
    }),
    svc_gaps_total: gapReasons.map(reason => ({
      labels: {reason},
      value: sum(gaps.filter(gap => gap.reason === reason)),
    })),
  } satisfies Partial<Readings>
}

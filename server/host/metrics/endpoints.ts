import {gapReasons} from "../../../shared/api/endpoints.ts"
import type {Endpoint} from "../../endpoints/endpoint.ts"
import type {GapCount, GapCounts} from "../../endpoints/gap-counts.ts"
import type {EndpointState} from "../../endpoints/state.ts"
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

/** `stored` is when earlier runs stored an endpoint's last event, in milliseconds since 1970. */
export const readEndpoints = (endpoints: readonly Endpoint[], stored: ReadonlyMap<string, number>) => {
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
      const at = endpoint.lastEventAt ?? stored.get(endpoint.spec.name)
      return at === undefined ? [] : [{labels: labelsOf(endpoint), value: at / 1000}]
    }),
  } satisfies Partial<Readings>
}

export const noGaps = {svc_endpoint_gaps_total: [], svc_gaps_total: []} satisfies Partial<Readings>

const sum = (gaps: readonly GapCount[]): number => gaps.reduce((total, {count}) => total + count, 0)

/** Each has a series before its first gap, so that an increase shows. */
export const readGaps = async (counts: GapCounts, endpoints: readonly Endpoint[]) => {
  const gaps = await counts.read()
  const byName = new Map<string, number>()
  for (const {endpoint, count} of gaps) byName.set(endpoint, (byName.get(endpoint) ?? 0) + count)
  return {
    svc_endpoint_gaps_total: endpoints
      .filter(({spec}) => spec.open !== undefined && spec.history === "none")
      .map(endpoint => ({labels: labelsOf(endpoint), value: byName.get(endpoint.spec.name) ?? 0})),
    svc_gaps_total: gapReasons.map(reason => ({
      labels: {reason},
      value: sum(gaps.filter(gap => gap.reason === reason)),
    })),
  } satisfies Partial<Readings>
}

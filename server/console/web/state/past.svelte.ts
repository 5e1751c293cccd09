import type {EndpointView} from "../../../../shared/api/endpoints.ts"
import type {HostClient} from "../host/client.ts"
import {newestEvents} from "../host/history.ts"
import {segmentsOf} from "../host/metric-history.ts"
import {type Segment, timelineOf, timelineTypes} from "../host/timeline.ts"
import {type Resource, useResource} from "./resource.svelte.ts"
import {getSession} from "./session.svelte.ts"

/** The longest and the shortest past to show, in milliseconds, and the number of events to read for it. */
const longest = 6 * 3_600_000
const shortest = 600_000
const look = 20_000

type Recorded = Awaited<ReturnType<typeof readPast>>

const readPast = async (client: HostClient) => {
  const since = new Date(Date.now() - longest).toISOString()
  const [events, gaps, history] = await Promise.all([
    newestEvents(client, {look, types: timelineTypes.join(",")}),
    client.get("/api/inbox/gaps", {limit: 200}),
    client.get("/api/metrics/history", {from: since}),
  ])
  return {events, gaps: gaps.items, history}
}

/** The recent past of the endpoints. A young Host's past starts with its first event. */
export class Past {
  readonly recorded: Resource<Recorded>
  readonly #clock = getSession().clock
  /** A bar moves by one pixel in minutes, so an update every ten seconds is enough. */
  readonly now = $derived.by(() => Math.ceil(this.#clock.now / 10_000) * 10_000)
  readonly #first = $derived.by(() => {
    const {events = [], history} = this.recorded.value ?? {}
    const recorded = history?.recordedSince ? Date.parse(history.recordedSince) : this.now
    return events.reduce((first, {at}) => Math.min(first, Date.parse(at)), recorded)
  })
  readonly length = $derived.by(() => Math.min(longest, Math.max(shortest, this.now - this.#first)))
  readonly from = $derived.by(() => this.now - this.length)

  constructor() {
    this.recorded = useResource(readPast, [...timelineTypes, "endpoint.gap"])
  }

  of(endpoint: EndpointView): readonly Segment[] {
    const {events = [], gaps = [], history} = this.recorded.value ?? {}
    const recorded = history === undefined ? [] : segmentsOf(history, endpoint.name)
    return timelineOf(endpoint, events, gaps, this.from, this.now, recorded)
  }
}

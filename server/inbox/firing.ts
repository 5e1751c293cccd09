import {omitUndefined, toJson} from "../../shared/json.ts"
import {isProblem} from "../../shared/problems.ts"
import type {Channel, Login, SatoriEvent, User} from "../../shared/sdk/content/satori.ts"
import type {Statement} from "../../shared/sdk/session/database.ts"
import {persist} from "../database/persist.ts"
import {type Arrival, sequencesOf, storing} from "./intake/arrivals.ts"
import type {IntakeOptions} from "./intake/intake.ts"
import {readUnsettled} from "./intake/marks.ts"

/** An event of the Host itself, for one named handler. */
export interface Firing {
  /** The endpoint of its conversation. */
  readonly endpoint: string
  /** An event with a known id is not stored again. */
  readonly id: string
  readonly type: string
  readonly timestamp: number
  /** Within the endpoint; handled in order with its other events. */
  readonly conversation: string
  readonly handler: string
  readonly channel?: Channel
  readonly user?: User
  /** For the handler: the event's `_data`. */
  readonly data: unknown
}

export interface FiringOptions
  extends Pick<IntakeOptions, "database" | "log" | "runtimeId" | "clock" | "lanes" | "groups" | "resume"> {
  readonly loginOf: (endpoint: string) => Login
}

/** The statements of a batch before and after the firings. */
export interface Around {
  readonly before: readonly Statement[]
  readonly after: readonly Statement[]
}

/** Stores events of the Host itself in one batch with other statements, and passes them to their handlers. */
export const createFire =
  ({database, log, runtimeId, clock, lanes, groups, loginOf, resume}: FiringOptions) =>
  async (firings: readonly Firing[], {before, after}: Around): Promise<void> => {
    const offers = firings.map(firing => {
      const event = eventOf(firing, loginOf(firing.endpoint))
      const arrival = arrivalOf(firing, event, clock.now())
      const {conversation, handlers} = arrival
      const [{lane} = {lane: conversation}] = groups({conversation, user: firing.user?.id, id: firing.id}, handlers)
      return {arrival, event, handler: firing.handler, place: lanes.expect(lane)}
    })
    const arrivals = offers.map(({arrival}) => arrival)
    try {
      const results = await database.write([...before, ...storing(arrivals, runtimeId), ...after])
      const stored = sequencesOf(results[before.length])
      for (const {arrival, event, handler, place} of offers) {
        const seq = stored.get(arrival)
        if (seq === undefined) continue
        const kept = {endpoint: arrival.endpoint, event: {...event, sn: seq}}
        place.commit({seq, handlers: [handler], claimed: new Set(), stored: kept, isReplay: false})
      }
    } catch (error) {
      if (isProblem(error, "database_outcome_unknown"))
        for (const arrival of arrivals)
          void persist(`event ${arrival.id}`, log, () => readUnsettled(database, arrival, runtimeId))
            .then(resume)
            .catch(() => {})
      throw error
    } finally {
      for (const {place} of offers) place.release()
    }
  }

const eventOf = ({type, timestamp, channel, user, data}: Firing, login: Login): SatoriEvent => ({
  sn: 0,
  type,
  timestamp,
  login,
  ...omitUndefined({channel, user}),
  _type: type,
  _data: data,
})

const arrivalOf = ({endpoint, id, type, conversation, handler}: Firing, event: SatoriEvent, at: number): Arrival => {
  const {sn: _, ...stored} = event
  return {
    endpoint: endpoint.toWellFormed(),
    id,
    conversation: `${endpoint}/${conversation}`,
    type,
    at,
    event: toJson(stored),
    raw: null,
    content: null,
    handlers: [handler],
    claimed: [],
    also: [],
  }
}

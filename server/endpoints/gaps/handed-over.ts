import {fromJson, toJson} from "../../../shared/json.ts"
import type {Database, Statement} from "../../database/database.ts"
import {addMeta, deleteMeta, metaSql, readMeta, setMeta} from "../../database/state/meta.ts"
import type {Endpoint} from "../endpoint.ts"
import {completeOf, type Online} from "./online.ts"

/** In `svc_meta`: up to when each endpoint's platform had delivered everything, in milliseconds since 1970. */
const key = "endpoints.handed_over"
/** In `svc_meta` from a restore to the next start: when its checkpoint was made. */
const restoredKey = "restore.gaps"

/** The assumed lag of an adapter that cannot tell, in milliseconds. */
const usualLag = 10_000

/**
 * For a restored database: its next start lists a gap for each endpoint whose platform forgets acknowledged messages.
 * Keeps the value of an earlier restore without a start, since that gap begins earlier.
 */
export const owingGaps: Statement = addMeta(restoredKey, {sql: `${metaSql("checkpoint")} ->> 'at'`})

/**
 * Endpoints whose platform redelivers, but forgets acknowledged messages. A stop or a kill loses nothing:
 * unacknowledged messages come again. A restore loses the messages that were acknowledged since its checkpoint. So each
 * checkpoint must know up to when everything was stored.
 */
export class HandedOver {
  readonly #database: Database
  readonly #until = new Map<string, number>()
  readonly #online = new Map<string, Online>()

  constructor(database: Database) {
    this.#database = database
  }

  /**
   * Reads what earlier runs stored. Resolves to the gaps of a restore that no start has listed yet: `from` when messages
   * may be missing, by endpoint, and the statements to store in one batch with the gaps.
   */
  async start(endpoints: readonly Endpoint[]) {
    const stored = fromJson((await readMeta(this.#database, key)) ?? "{}") as Readonly<Record<string, number>>
    for (const [name, until] of Object.entries(stored)) this.#until.set(name, until)
    const restored = await readMeta(this.#database, restoredKey)
    if (restored === undefined) return {from: new Map<string, number>(), settled: []}
    const latest = Number(restored) - usualLag
    const names = endpoints.filter(({spec}) => spec.forgetsAcknowledged).map(({spec: {name}}) => name)
    return {
      from: new Map(names.map(name => [name, Math.min(latest, this.#until.get(name) ?? latest)])),
      settled: [deleteMeta(restoredKey)],
    }
  }

  /** Returns the statements to store when this endpoint goes online or offline. */
  observe(endpoint: Endpoint, isOnline: boolean, at: number): readonly Statement[] {
    const {name} = endpoint.spec
    const online = this.#online.get(name)
    if (isOnline === (online !== undefined)) return []
    if (online === undefined) {
      this.#online.set(name, {endpoint, came: {at, passed: performance.now()}})
      // Messages that waited for the endpoint arrive behind this moment: a later one would be too late.
      if (this.#until.has(name)) return []
      this.#until.set(name, at)
    } else {
      this.#advance(online)
      this.#online.delete(name)
    }
    return this.#stored()
  }

  /** Returns the statements to store regularly while endpoints are online. */
  beat(): readonly Statement[] {
    if (this.#online.size === 0) return []
    for (const online of this.#online.values()) this.#advance(online)
    return this.#stored()
  }

  #advance(online: Online): void {
    const {at, passed} = completeOf(online)
    if (passed > online.came.passed) this.#until.set(online.endpoint.spec.name, Math.floor(at))
  }

  #stored(): readonly Statement[] {
    return [setMeta(key, toJson(Object.fromEntries(this.#until)))]
  }
}

import {fromJson, toJson} from "../../../shared/json.ts"
import type {Database} from "../../database/database.ts"
import type {Statement} from "../../database/engine.ts"
import type {Endpoint} from "../endpoint.ts"
import {completeOf, type Online} from "./online.ts"

/** In `svc_meta`: up to when each endpoint's platform had handed over everything, in milliseconds since 1970. */
const key = "endpoints.handed_over"
/** In `svc_meta` from a restore to the next start: when its checkpoint was made. */
const restoredKey = "restore.gaps"

/** An adapter that cannot tell is taken to be so many milliseconds behind. */
const usualLag = 10_000

const store = "INSERT INTO svc_meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"

/**
 * For a database that was just restored: its next start lists a gap for each endpoint whose platform forgets. That of an
 * earlier restore, which has had no start, begins earlier and stays.
 */
export const owingGaps: Statement = {
  sql: `INSERT INTO svc_meta (key, value) SELECT '${restoredKey}', value ->> 'at' FROM svc_meta WHERE key = 'checkpoint'
    ON CONFLICT (key) DO NOTHING`,
}

/** Since when something may be missing after a restore, by endpoint. */
export interface OwedGaps {
  readonly from: ReadonlyMap<string, number>
  /** To be stored in one batch with the gaps. */
  readonly settled: readonly Statement[]
}

/**
 * Endpoints whose platform delivers again, and forgets what was acknowledged. Over a stop or a kill they miss nothing: what is
 * not acknowledged comes again. A restore takes away what was acknowledged since its checkpoint, so each
 * checkpoint has to say up to when everything was stored.
 */
export class HandedOver {
  readonly #database: Database
  readonly #until = new Map<string, number>()
  readonly #online = new Map<string, Online>()

  constructor(database: Database) {
    this.#database = database
  }

  /** Reads what earlier runs stored; resolves to the gaps of a restore that no start has listed yet. */
  async start(endpoints: readonly Endpoint[]): Promise<OwedGaps> {
    const rows = await this.#database.read("SELECT key, value FROM svc_meta WHERE key IN (?, ?)", [key, restoredKey])
    const kept = (wanted: string) => rows.find(row => row.key === wanted)?.value
    const stored = fromJson(String(kept(key) ?? "{}")) as Readonly<Record<string, number>>
    for (const [name, until] of Object.entries(stored)) this.#until.set(name, until)
    const restored = kept(restoredKey)
    if (restored === undefined) return {from: new Map(), settled: []}
    const latest = Number(restored) - usualLag
    const names = endpoints.filter(({spec}) => spec.forgetsAcknowledged).map(({spec: {name}}) => name)
    return {
      from: new Map(names.map(name => [name, Math.min(latest, this.#until.get(name) ?? latest)])),
      settled: [{sql: "DELETE FROM svc_meta WHERE key = ?", args: [restoredKey]}],
    }
  }

  /** What is to be stored, now that this endpoint is online, or is not. */
  observe(endpoint: Endpoint, isOnline: boolean, at: number): readonly Statement[] {
    const {name} = endpoint.spec
    const online = this.#online.get(name)
    if (isOnline === (online !== undefined)) return []
    if (online === undefined) {
      this.#online.set(name, {endpoint, came: {at, passed: performance.now()}})
      // What waited for it comes in behind this moment: a later one would be too late.
      if (this.#until.has(name)) return []
      this.#until.set(name, at)
    } else {
      this.#advance(online)
      this.#online.delete(name)
    }
    return this.#stored()
  }

  /** What is to be stored now and then while endpoints are online. */
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
    return [{sql: store, args: [key, toJson(Object.fromEntries(this.#until))]}]
  }
}

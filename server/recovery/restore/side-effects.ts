import {existsSync} from "node:fs"
import {messageOf} from "../../../shared/problems.ts"
import type {Location} from "../../database/database.ts"
import {withDatabase} from "../../database/without-host.ts"

/** A message that was sent, or may have been. */
export interface SideEffect {
  readonly message: string
  readonly endpoint: string
  readonly state: string
  readonly at: string
}

export interface SideEffects {
  /** The messages sent since the checkpoint, oldest first. */
  readonly sent: readonly SideEffect[]
  /** Why svc does not know the sent messages; null if it does. */
  readonly unknown: string | null
}

/** Reads the messages that this project sent since a moment (milliseconds since 1970) from the state to be replaced. */
export const sideEffectsSince = async (location: Location | undefined, moment: number): Promise<SideEffects> => {
  if (location === undefined) return {sent: [], unknown: "the configuration does not name the database"}
  if (location.dialect === "sqlite" && !existsSync(location.file))
    return {sent: [], unknown: `${location.file} is missing`}
  try {
    const rows = await withDatabase(location, database =>
      database.read(
        `SELECT id, endpoint, state, COALESCE(ended_at, created_at) AS at FROM outbox
         WHERE state = 'sending' OR ((state IN ('sent', 'unknown') OR (state = 'expired' AND attempt > 0)) AND (ended_at >= ?1 OR created_at >= ?1)) ORDER BY seq`,
        [moment],
      ),
    )
    const sent = rows.map(({id, endpoint, state, at}) => ({
      message: String(id),
      endpoint: String(endpoint),
      state: String(state),
      at: new Date(Number(at)).toISOString(),
    }))
    return {sent, unknown: null}
  } catch (error) {
    return {sent: [], unknown: messageOf(error)}
  }
}

import {existsSync} from "node:fs"
import {messageOf} from "../../../shared/problems.ts"
import type {Location} from "../../database/database.ts"
import {withDatabase} from "../../database/without-host.ts"
import {readSentSince, type SideEffect} from "../../outbox/upkeep/restored.ts"

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
    return {sent: await withDatabase(location, database => readSentSince(database, moment)), unknown: null}
  } catch (error) {
    return {sent: [], unknown: messageOf(error)}
  }
}

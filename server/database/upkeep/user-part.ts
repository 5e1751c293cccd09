import type {UserPartName} from "../../../shared/api/users/users.ts"
import type {Row, Statement} from "../engine.ts"

/** A user of a platform, as an endpoint's events name them. */
export interface PlatformUser {
  readonly endpoint: string
  /** The platform's id. */
  readonly user: string
}

/**
 * A table that holds what is kept of users. `find` may use `?1` and `?2` for the keys between which it looks, the first
 * excluded; `?3` for the endpoint and `?4` for the user's id; `?5` for the ids of the user's direct channels, as JSON.
 */
export interface UserPart {
  readonly name: UserPartName
  /** Looked through a slice at a time, by the column that numbers its rows; undefined where an index finds the user's. */
  readonly slices: {readonly table: string; readonly key: string} | undefined
  readonly find: string
  /** A row as the export shows it; left out where other rows say the same. */
  readonly toLine?: (row: Row) => Readonly<Record<string, unknown>>
  /** The user's direct channel, as a row tells it. */
  readonly channelOf?: (row: Row, user: string) => string | undefined
  /** Nothing of the user is left in it but ids. */
  readonly isForgotten?: (row: Row) => boolean
  /** The running Host is at work on it. */
  readonly isBusy?: (row: Row) => boolean
  /** Fails its batch where the Host has begun to work on one of them since. */
  readonly assertIdle?: (rows: readonly Row[]) => Statement
  /** Takes away what the rows say, or the rows. */
  readonly forgetting: (rows: readonly Row[]) => readonly Statement[]
}

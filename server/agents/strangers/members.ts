import type {TriggerPermission} from "../../../shared/config/agents.ts"
import type {SatoriEvent, User} from "../../../shared/sdk/content/satori.ts"
import type {Permission} from "../../../shared/sdk/session/permission.ts"
import type {Database, Row, Statement} from "../../database/database.ts"
import {textIn} from "../../database/engine/cells.ts"
import type {UserPart} from "../../database/retention/user-part.ts"
import type {Seeing} from "../../inbox/intake/handling.ts"
import {personOf} from "../../inbox/intake/prompts.ts"
import {groupOf, mayUse} from "../../messages/command/permissions.ts"
import {BoundedMap} from "../../runtime/bounded-map.ts"
import type {Clock} from "../../runtime/flow/clock.ts"

/** Whom a session's event comes from. */
export interface Sender {
  readonly endpoint: string
  readonly event: Pick<SatoriEvent, "type" | "user" | "channel">
}

export interface MembersOptions {
  readonly database: Pick<Database, "read">
  readonly clock: Pick<Clock, "now">
  /** Whether an agent answers members only. Otherwise nothing is stored about users. */
  readonly isNeeded: () => boolean
  /** Whether an endpoint's users sit at the operator's machine. */
  readonly isLocal: (endpoint: string) => boolean
  /** Returns an id in the form in which the endpoint compares ids. */
  readonly fold: (endpoint: string, id: string) => string
}

/** How many remembered members need no read. */
const mostKnown = 10_000

/** Days after which a member's row gets the day of a newer message, and after which an absent member is forgotten. */
const refreshedAfter = 30
const forgottenAfter = 400

const dayOf = (at: number): number => Math.floor(at / 86_400_000)

/**
 * The members of endpoints: users who wrote a message in a shared channel, and those whom an operator approved. A direct
 * message makes nobody a member. A member is the platform's account, if there is one. Otherwise it is the id, which on
 * IRC is a nick that anybody can take: use `trusted` with an `account` there, if that is too weak.
 */
export class Members {
  readonly #options: MembersOptions
  /** The day that is stored for a member. */
  readonly #known = new BoundedMap<string, number>(mostKnown)

  constructor(options: MembersOptions) {
    this.#options = options
  }

  /** Returns a user's id as it is stored. */
  idOf(endpoint: string, id: string): string {
    return this.#options.fold(endpoint, id)
  }

  /** Returns who a user is among the members of an endpoint. */
  personOf(endpoint: string, user: User): string {
    const {fold} = this.#options
    const {id, account} = user
    return personOf({id: fold(endpoint, id), ...(account === undefined ? {} : {account: fold(endpoint, account)})})
  }

  /** Returns what stores the sender of an event as a member, in the event's batch; undefined if nothing is to store. */
  seeing(endpoint: string, event: SatoriEvent): Seeing | undefined {
    const {user} = event
    const {isNeeded, fold, clock} = this.#options
    if (event.type !== "message-created" || user === undefined || user.is_bot === true) return undefined
    if (groupOf(event) === undefined || !isNeeded()) return undefined
    const person = this.personOf(endpoint, user)
    const key = `${endpoint} ${person}`
    const day = dayOf(clock.now())
    if (day - (this.#known.get(key) ?? 0) < refreshedAfter) return undefined
    const statement = {sql: storeSeen, args: [endpoint, person, fold(endpoint, user.id), day]}
    return {statement, stored: () => this.#known.set(key, day)}
  }

  /** Whether the sender of an event is a member. */
  async has({endpoint, event}: Sender): Promise<boolean> {
    const {database, isLocal} = this.#options
    if (event.user === undefined || isLocal(endpoint) || groupOf(event) !== undefined) return true
    const person = this.personOf(endpoint, event.user)
    const select = "SELECT 1 FROM agent_members WHERE endpoint = ? AND person = ? AND seen IS NOT NULL"
    return (await database.read(select, [endpoint, person])).length > 0
  }

  forgotten(rows: readonly Row[]): void {
    for (const {endpoint, person} of rows) this.#known.delete(`${endpoint} ${person}`)
  }
}

/** Whether a user may start runs. A permission above `user` includes membership. */
export const mayStart = (has: Permission, needs: TriggerPermission, isMember: boolean): boolean =>
  needs === "member" ? isMember || has !== "user" : mayUse(has, needs)

/** Changes no row that is young enough. */
const storeSeen = `INSERT INTO agent_members (endpoint, person, user, seen) VALUES (?, ?, ?, ?)
  ON CONFLICT (endpoint, person) DO UPDATE SET seen = excluded.seen
    WHERE coalesce(agent_members.seen, 0) <= excluded.seen - ${refreshedAfter}`

/** Rows of one statement: writers wait for it. */
const chunk = 500

/** Deletes members who have said nothing for long, and codes that have expired. */
export const sweepMembers = async (database: Database, now: number, signal: AbortSignal): Promise<void> => {
  const old = "coalesce(seen < ?1, expires_at < ?2)"
  const sql = `DELETE FROM agent_members WHERE (endpoint, person) IN
    (SELECT endpoint, person FROM agent_members WHERE ${old} LIMIT ${chunk})`
  while (!signal.aborted) {
    const [result] = await database.write([{sql, args: [dayOf(now) - forgottenAfter, now]}])
    if ((result?.changes ?? 0) < chunk) return
  }
}

/** A user's membership, and the code that the user got. Platforms that ignore case have lower-case ids here. */
export const membersPart: UserPart = {
  name: "members",
  slices: undefined,
  find: "SELECT endpoint, person, channel, seen, code FROM agent_members WHERE endpoint = ?3 AND user IN (?4, lower(?4))",
  toLine: ({person, seen, code}) => ({person, seenOnDay: seen, code: textIn(code) ?? null}),
  forgetting: rows =>
    rows.map(
      ({endpoint = null, person = null}): Statement => ({
        sql: "DELETE FROM agent_members WHERE endpoint = ? AND person = ?",
        args: [endpoint, person],
      }),
    ),
}

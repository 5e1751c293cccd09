import {setTimeout as sleep} from "node:timers/promises"
import {type Backoff, type Endpoint, type Log, pauseAfter} from "../../../shared/sdk/sdk.ts"
import type {AccountSettings} from "./client/account.ts"
import {type Client, isSaid, MatrixError, path} from "./client/client.ts"
import {fieldsIn, fieldsOf, listIn, textIn} from "./client/json.ts"
import {type Self, serverOf} from "./client/login.ts"
import type {Rooms} from "./rooms.ts"

const joinAgain: Backoff = {first: 2000, longest: 300_000}
const attempts = 8

/** In milliseconds. Joining a large room on another server takes long. */
const joinPatience = 180_000

interface Invited {
  readonly by: string
  readonly isDirect: boolean
  readonly alias: string | undefined
}

export interface Joining {
  readonly client: Client
  readonly self: Self
  readonly rooms: Rooms
  readonly log: Log
  readonly signal: AbortSignal
  readonly unreadable: Endpoint["unreadable"]
}

/** Joins the account's rooms, and accepts invitations as the account allows. */
export class Invitations {
  readonly #join: NonNullable<AccountSettings["join"]>
  readonly #to: Joining
  readonly #busy = new Set<string>()

  constructor(join: AccountSettings["join"], to: Joining) {
    this.#join = join ?? []
    this.#to = to
  }

  /** Joins the configured rooms in the background. Rooms that the bot is already in do not change. */
  joinConfigured(): void {
    if (typeof this.#join !== "string") for (const room of this.#join) this.#start(room)
  }

  /** Handles the invitations of a sync: rooms with their stripped state. */
  take(invitations: Readonly<Record<string, unknown>>): void {
    for (const [room, about] of Object.entries(invitations)) {
      const invited = readInvitation(this.#to.self, about)
      if (invited === undefined) continue
      if (this.#isWelcome(room, invited)) this.#start(room, invited)
      else this.#to.log.info(`${invited.by} invited the bot to ${room}; join does not list it`)
    }
  }

  #isWelcome(room: string, {by, alias}: Invited): boolean {
    if (this.#join === "invited") return true
    if (this.#join === "same-server") return serverOf(by) === serverOf(this.#to.self.id)
    return this.#join.some(each => each === room || each === alias)
  }

  #start(room: string, invited?: Invited): void {
    if (this.#busy.has(room)) return
    this.#busy.add(room)
    const {self, signal, unreadable} = this.#to
    const remediation = `Invite ${self.id}, or remove the room from join.`
    this.#enter(room, invited)
      .then(() => unreadable(room))
      .catch(error => signal.aborted || unreadable(room, {why: `could not join: ${error.message}`, remediation}))
      .finally(() => this.#busy.delete(room))
  }

  async #enter(room: string, invited: Invited | undefined): Promise<void> {
    const {client, rooms, log, signal} = this.#to
    for (let attempt = 1; ; attempt++) {
      try {
        // Marks the room as direct before joining, so that messages sent after the invitation count as sent to the bot.
        if (invited?.isDirect === true) await rooms.addDirect(room, invited.by)
        await client.ask("POST", path`/client/v3/join/${room}`, {body: {}, signal, patience: joinPatience})
        return log.debug(`joined ${room}`)
      } catch (error) {
        const isFinal = isSaid(error, "M_FORBIDDEN", "M_NOT_FOUND") || attempt === attempts
        if (isFinal || signal.aborted) throw error
        const asked = error instanceof MatrixError ? (error.wait ?? 0) : 0
        await sleep(Math.max(asked, pauseAfter(attempt, joinAgain)), undefined, {signal})
      }
    }
  }
}

const readInvitation = (self: Self, about: unknown): Invited | undefined => {
  const events = listIn(fieldsIn(fieldsOf(about), "invite_state"), "events").map(fieldsOf)
  const own = events.find(each => each.type === "m.room.member" && each.state_key === self.id)
  const by = own === undefined ? undefined : textIn(own, "sender")
  if (own === undefined || by === undefined) return undefined
  const alias = events.find(each => each.type === "m.room.canonical_alias")
  return {
    by,
    isDirect: fieldsIn(own, "content").is_direct === true,
    alias: alias && textIn(fieldsIn(alias, "content"), "alias"),
  }
}

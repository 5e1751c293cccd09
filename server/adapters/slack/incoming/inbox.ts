import {type DatedIncoming, type Endpoint, isProblem} from "../../../../shared/sdk/sdk.ts"
import {type Payload, payloadOf} from "../api/payload.ts"
import {type Reading, readEvents, unreadType} from "./events.ts"
import {readCommand, readInteraction} from "./interactions.ts"
import type {People} from "./people.ts"

/** The type of an envelope in Socket Mode. */
export type Kind = "events_api" | "interactive" | "slash_commands"

export const isKind = (kind: unknown): kind is Kind =>
  kind === "events_api" || kind === "interactive" || kind === "slash_commands"

/** Receives Slack's deliveries, in order. */
export class Inbox {
  readonly #endpoint: Endpoint
  readonly #reading: Reading
  readonly #people: People
  /** Settles after the last delivery to the Host: names are looked up in parallel, but events keep their order. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(endpoint: Endpoint, reading: Reading, people: People) {
    this.#endpoint = endpoint
    this.#reading = reading
    this.#people = people
  }

  /**
   * Resolves once a delivery may be acknowledged: it is durable, or svc does not need it. Throws the error of `receive`
   * if Slack should deliver it again.
   */
  async take(kind: Kind, body: unknown): Promise<void> {
    const events = this.#read(kind, payloadOf(body))
    if (events.length === 0) return
    const named = Promise.all(events.map(event => this.#named(event)))
    const handed = this.#last.then(async () => {
      const events = await named
      return {stored: this.#endpoint.receive(events)}
    })
    this.#last = handed.catch(() => {})
    const {stored} = await handed
    await stored.catch(error => this.#judge(error))
  }

  #read(kind: Kind, body: Payload): readonly DatedIncoming[] {
    const events =
      kind === "events_api"
        ? readEvents(body, this.#reading)
        : kind === "interactive"
          ? readInteraction(body)
          : readCommand(body)
    const unread = kind === "events_api" ? unreadType(body) : undefined
    if (unread !== undefined) this.#endpoint.unknown(unread)
    else if (events.length === 0) this.#endpoint.log.debug(`a delivery from Slack (${kind}) had no event for the bot`)
    return events
  }

  async #named(event: DatedIncoming): Promise<DatedIncoming> {
    const {user} = event
    return user === undefined ? event : {...event, user: await this.#people.complete(user)}
  }

  /** Delivering an invalid event again would not help. */
  #judge(error: unknown): void {
    if (!isProblem(error, "event_invalid")) throw error
    this.#endpoint.log.warn("dropped an invalid event from Slack", {error})
  }
}

import {toJson} from "../../../shared/json.ts"
import type {Incoming} from "../../../shared/sdk/adapter/incoming.ts"
import type {User} from "../../../shared/sdk/content/satori.ts"
import {blank, inAscii} from "../../../shared/sdk/text/typed.ts"
import {lasting, platformIdOf, readPlatformId} from "../../database/buttons/button-id.ts"
import type {Reader, Row, Statement} from "../../database/database.ts"
import type {Endpoint} from "../../endpoints/endpoint.ts"
import {hasButtons} from "../../endpoints/spec.ts"
import {shownMessages} from "../../outbox/look-ups.ts"
import type {Clock} from "../../runtime/flow/clock.ts"
import type {Lanes} from "../../runtime/flow/lanes.ts"
import type {Reservation} from "../../runtime/flow/reservation.ts"
import {uuid} from "../../runtime/uuid.ts"
import {channelsOf, passingOn, personOf, unanswered} from "./prompts.ts"

/** Selects the `message` and the `handler` of each button that lasts and can still be pressed. */
export const selectLasting = `SELECT message, handler FROM buttons WHERE expires_at >= ${lasting} AND pressed_seq IS NULL`

/** For how long a bare number presses a button that lasts, in milliseconds; later the message must quote the list. */
const longestList = 30 * 24 * 60 * 60_000

export const pressType = "interaction/button"

/** The Host's handlers for presses that do nothing: they tell the user why. */
export const refusals = {
  gone: "host/button/gone",
  taken: "host/button/taken",
  others: "host/button/others",
  elsewhere: "host/button/elsewhere",
} as const

/** The button of an action that an event presses, as it was when it was looked up. */
export interface Press {
  readonly message: string
  readonly n: number
  /** The id of its action, or one of `refusals`. */
  readonly handler: string
  /** The channel of its message, as events name it. When left out, that of the event. */
  readonly channel?: string
}

/** A message of only a number, which may press a button of a list. */
const number = new RegExp(String.raw`^(?:<quote\b[^>]*?(?:/>|>.*</quote>))?[${blank}]*(\p{Nd}{1,3})[${blank}]*$`, "su")
const quoted = /^<quote\b[^>]*?\bid="([^"]*)"/

/** The button that an event presses, and the reserved place in its conversation. */
export interface Found<T> {
  readonly press: Press | undefined
  readonly place: Reservation<T>
}

/** Returns the conversation of an event, which is handled in order. */
export const conversationOf = ({spec: {name}}: Endpoint, {channel, user}: Incoming): string =>
  `${name}/${channel?.id ?? user?.id ?? ""}`

/** May one of these events press a button? Others need no read. */
export const mayAnyPress = (endpoint: Endpoint, incoming: readonly Incoming[]): boolean =>
  incoming.some(each => mayPress(endpoint, each))

const mayPress = ({spec}: Endpoint, {type, button, message, user}: Incoming): boolean => {
  if (type === pressType) return button !== undefined && readPlatformId(button.id) !== undefined
  if (type !== "message-created" || user === undefined || user.is_bot === true || hasButtons(spec)) return false
  return chosenIn(message?.content) > 0
}

/** Returns the number that a message is, in the digits of any script; 0 for another message. */
const chosenIn = (content = ""): number => {
  const digits = inAscii(number.exec(content)?.[1] ?? "")
  return digits.startsWith("0") ? 0 : Number(digits)
}

/** Returns the names of a user for `who: "asked"`: as an answered message's author, and as a message's recipient. */
const pressersOf = (user: User | undefined): readonly string[] =>
  user === undefined ? [] : [personOf(user), `to ${user.id}`]

/** Finds the buttons that events press. The batch that stores the press checks them again: see `pressing`. */
export class Presses<T> {
  readonly #database: Reader
  readonly #lanes: Lanes<T>
  readonly #clock: Pick<Clock, "now">

  constructor(database: Reader, lanes: Lanes<T>, clock: Pick<Clock, "now">) {
    this.#database = database
    this.#lanes = lanes
    this.#clock = clock
  }

  /** Finds what events that come together press. */
  async find(endpoint: Endpoint, incoming: readonly Incoming[]): Promise<readonly Found<T>[]> {
    // Later events of the conversation stay behind these during the lookup.
    const found = incoming.map(each => ({each, place: this.#lanes.expect(conversationOf(endpoint, each))}))
    try {
      return await Promise.all(
        found.map(async ({each, place}) => ({press: await this.#findOne(endpoint, each), place})),
      )
    } catch (error) {
      for (const {place} of found) place.release()
      throw error
    }
  }

  /** Returns the button that an event presses, if any. A press without effect has one of `refusals`. */
  async #findOne(endpoint: Endpoint, incoming: Incoming): Promise<Press | undefined> {
    if (!mayPress(endpoint, incoming)) return undefined
    return incoming.type === pressType
      ? this.#findButton(endpoint, incoming)
      : this.#findInList(endpoint.spec.name, incoming)
  }

  async #findButton({spec, opened}: Endpoint, incoming: Incoming): Promise<Press | undefined> {
    const id = readPlatformId(incoming.button?.id ?? "")
    if (id === undefined) return undefined
    const [row] = await this.#database.read(
      `SELECT handler, channel, user, expires_at, once = 1 AND pressed_seq IS NOT NULL AS taken FROM buttons
        WHERE message = ? AND n = ? AND endpoint = ?`,
      [id.message, id.n, spec.name],
    )
    if (row === undefined || Number(row.expires_at) <= this.#clock.now()) return {...id, handler: refusals.gone}
    const sent = String(row.channel)
    const handler = handlerOf(row, pressersOf(incoming.user))
    if (channelsOf(incoming).includes(sent)) return {...id, handler}
    const channel = spec.own(() => opened?.channelOf?.(sent, incoming))
    return channel === undefined ? {...id, handler: refusals.elsewhere} : {...id, handler, channel}
  }

  /** Returns the button of the list that the message quotes, or of the newest one that the user may answer. */
  async #findInList(endpoint: string, incoming: Incoming): Promise<Press | undefined> {
    const content = incoming.message?.content ?? ""
    const chosen = chosenIn(content)
    const quote = quoted.exec(content)?.[1] ?? null
    const rows = await this.#database.read(
      `SELECT b.message, b.n, b.handler, max(o.seq) OVER () = o.seq AS newest FROM buttons b JOIN ${shownMessages} o ON o.id = b.message
        WHERE b.endpoint = ?1 AND b.channel IN (SELECT value FROM json_each(?2)) AND b.expires_at > ?3
          AND (b.once = 0 OR b.pressed_seq IS NULL) AND (b.user IS NULL OR b.user IN (SELECT value FROM json_each(?4)))
          AND iif(?5 IS NULL, b.expires_at < ${lasting} OR b.expires_at - ?3 > ${lasting - longestList},
            ?5 IN (SELECT value FROM json_each(coalesce(o.platform_ids, '[]'))))`,
      [endpoint, toJson(channelsOf(incoming)), this.#clock.now(), toJson(pressersOf(incoming.user)), quote],
    )
    const row = rows.find(({newest, n}) => newest === 1 && n === chosen)
    return row && {message: String(row.message), n: chosen, handler: String(row.handler)}
  }
}

const handlerOf = (row: Row, pressers: readonly string[]): string => {
  if (row.user !== null && !pressers.includes(String(row.user))) return refusals.others
  return row.taken === 1 ? refusals.taken : String(row.handler)
}

/** Does the press belong to an action? */
export const hasAction = ({handler}: Press): boolean => !Object.values<string>(refusals).includes(handler)

/**
 * Returns the statements for the batch that stores the press with its mark. The first returns a row if this event
 * presses the button. It copies the button's data to the press, like an answered question. If a button that works once
 * was pressed meanwhile, the event is for the handlers in `otherwise`.
 */
export const pressing = (
  {message, n, handler}: Press,
  {endpoint, eventId, user}: {endpoint: string; eventId: string; user: User | undefined},
  otherwise: readonly string[],
): readonly Statement[] => {
  const event = [endpoint, eventId, handler] as const
  const id = `${platformIdOf(message, n)}:${uuid()}`
  return [
    {
      sql: `INSERT INTO prompts (id, handler, endpoint, channel, user, data, expires_at, asked_seq, answer_seq)
        SELECT ?, b.handler, b.endpoint, b.channel, ?, b.data, b.expires_at, e.seq, e.seq
        FROM buttons b, (SELECT i.seq ${unanswered}) e
        WHERE b.message = ? AND b.n = ? AND (b.once = 0 OR b.pressed_seq IS NULL) RETURNING id`,
      args: [id, user === undefined ? "" : personOf(user), ...event, message, n],
    },
    {
      sql: `UPDATE buttons SET pressed_seq = (SELECT answer_seq FROM prompts WHERE id = ?)
        WHERE message = ? AND handler = ? AND once = 1 AND EXISTS (SELECT 1 FROM prompts WHERE id = ?)`,
      args: [id, message, handler, id],
    },
    ...passingOn(event, otherwise),
  ]
}

import {toJson} from "../../../shared/json.ts"
import type {Log} from "../../../shared/log.ts"
import type {Incoming} from "../../../shared/sdk/adapter/incoming.ts"
import {channelType, type SatoriEvent, type User} from "../../../shared/sdk/content/satori.ts"
import type {Database, Row, Statement} from "../../database/database.ts"
import {persist, writeIf} from "../../database/persist.ts"
import {userLane} from "../../outbox/draft.ts"
import {type Clock, systemClock} from "../../runtime/flow/clock.ts"

/** Who is asked, and where. */
export type Asked = Pick<Question, "endpoint" | "channel" | "user">

/** A question to one user in one channel, and the continuation for its answer. */
export type Question = Readonly<ReturnType<typeof questionOf>>

const columns = "id, handler, endpoint, channel, user, data, expires_at"

/** The waiting mark of an event's handler, unless the event has become an answer. Its parameters are those of `passingOn`. */
export const unanswered = `FROM inbox i JOIN inbox_marks m USING (seq)
  WHERE i.endpoint = ? AND i.event_id = ? AND m.handler = ? AND m.state IN ('pending', 'held')
    AND NOT EXISTS (SELECT 1 FROM prompts p WHERE p.answer_seq = i.seq)`

/** Gives an event that has not become an answer to the handlers in `otherwise`. */
export const passingOn = (
  event: readonly [endpoint: string, eventId: string, handler: string],
  otherwise: readonly string[],
): readonly Statement[] => [
  {
    sql: `INSERT INTO inbox_marks (seq, handler, state, error)
      SELECT seq, value, state, error FROM (SELECT i.seq, m.state, m.error ${unanswered}), json_each(?) WHERE true ON CONFLICT DO NOTHING`,
    args: [...event, toJson(otherwise)],
  },
  {sql: `DELETE FROM inbox_marks WHERE handler = ? AND seq = (SELECT i.seq ${unanswered})`, args: [event[2], ...event]},
]

/**
 * The questions that wait for an answer: one for each user in a channel; a new question replaces the previous one. They
 * are durable, and also in memory, so that other messages need no read.
 */
export class Prompts {
  readonly #database: Database
  readonly #log: Log
  readonly #clock: Clock
  /** Each with its end by a monotonic clock: the stored time is trusted once. */
  readonly #open = new Map<string, {readonly question: Question; readonly until: number}>()

  constructor(database: Database, log: Log, clock: Clock = systemClock) {
    this.#database = database
    this.#clock = clock
    this.#log = log
  }

  /** Loads the questions of earlier runs. */
  async start(): Promise<void> {
    const over = "FROM prompts WHERE answer_seq IS NULL AND expires_at <= ?"
    const args = [this.#clock.now()]
    await writeIf(this.#database, `EXISTS (SELECT 1 ${over})`, [{sql: `DELETE ${over}`, args}], args)
    const rows = await this.#database.read(`SELECT ${columns} FROM prompts WHERE answer_seq IS NULL`)
    for (const question of rows.map(questionOf)) this.#keep(question)
  }

  /** Returns the question that a message may answer. */
  find(endpoint: string, event: SatoriEvent): Question | undefined {
    if (this.#open.size === 0 || event.type !== "message-created" || event.user === undefined) return undefined
    const user = personOf(event.user)
    // Newest first: their ids are in the order of time.
    const asked = channelsOf(event).flatMap(channel => this.#open.get(placeOf({endpoint, channel, user})) ?? [])
    const [open] = asked.sort((a, b) => (a.question.id < b.question.id ? 1 : -1))
    if (open === undefined || open.until > this.#clock.elapsed()) return open?.question
    this.#open.delete(placeOf(open.question))
    return this.find(endpoint, event)
  }

  /** Reserves the question for this answer. `recheck` releases it if storing the answer failed. */
  take(question: Question): void {
    this.#open.delete(placeOf(question))
  }

  /**
   * Returns the statements for the batch that stores the answer with its mark. The first returns a row if this event
   * has become the answer. If the question no longer exists, the event is for the handlers in `otherwise`.
   */
  answering({id, handler}: Question, endpoint: string, eventId: string, otherwise: readonly string[]) {
    const event = [endpoint, eventId, handler] as const
    return [
      {
        sql: `UPDATE prompts SET answer_seq = (SELECT i.seq ${unanswered})
          WHERE id = ? AND answer_seq IS NULL AND EXISTS (SELECT 1 ${unanswered}) RETURNING id`,
        args: [...event, id, ...event],
      },
      ...passingOn(event, otherwise),
    ] satisfies readonly Statement[]
  }

  /** Rereads a user's question after one was stored or ended, or an answer was not stored. */
  async recheck({endpoint, channel, user}: Asked): Promise<void> {
    const key = placeOf({endpoint, channel, user})
    const [row] = await persist("a question", this.#log, () =>
      this.#database.read(
        `SELECT ${columns} FROM prompts WHERE endpoint = ? AND channel = ? AND user = ? AND answer_seq IS NULL`,
        [endpoint, channel, user],
      ),
    )
    if (row === undefined) this.#open.delete(key)
    else this.#keep(questionOf(row))
  }

  #keep(question: Question): void {
    this.#open.set(placeOf(question), {question, until: this.#clock.elapsed() + question.expiresAt - this.#clock.now()})
  }

  /** Returns the statements that store a question, for the batch of the handler that asks it. */
  storing({id, handler, endpoint, channel, user, data, expiresAt}: Question, askedBy: number): readonly Statement[] {
    return [
      {
        sql: "DELETE FROM prompts WHERE answer_seq IS NULL AND (expires_at <= ? OR (endpoint = ? AND channel = ? AND user = ?))",
        args: [this.#clock.now(), endpoint, channel, user],
      },
      {
        sql: `INSERT INTO prompts (${columns}, asked_seq) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        args: [id, handler, endpoint, channel, user, data, expiresAt, askedBy],
      },
    ]
  }

  /** Returns the question that an event answers. */
  async answeredBy(seq: number, handler: string): Promise<Question | undefined> {
    const select = `SELECT ${columns} FROM prompts WHERE answer_seq = ? AND handler = ?`
    const [row] = await this.#database.read(select, [seq, handler])
    return row && questionOf(row)
  }
}

/** Returns the channels of the bot's messages that an event may mean: its own, and the lane of messages to its user. */
export const channelsOf = ({channel, user}: Pick<Incoming, "channel" | "user">): readonly string[] => {
  const isDirect = user !== undefined && (channel === undefined || channel.type === channelType.direct)
  return [channel?.id ?? user?.id ?? "", ...(isDirect ? [userLane(user.id)] : [])]
}

/** Returns the statement that deletes the question that an event has answered. */
export const forgetting = (seq: number, handler: string): Statement => ({
  sql: "DELETE FROM prompts WHERE answer_seq = ? AND handler = ?",
  args: [seq, handler],
})

/** Names the user who answers, by the platform's account if there is one, since anybody may take a name. */
export const personOf = ({id, account}: User): string => (account === undefined ? `id ${id}` : `account ${account}`)

const placeOf = ({endpoint, channel, user}: Asked): string => toJson([endpoint, channel, user])

const questionOf = (row: Row) => ({
  id: String(row.id),
  /** The id of the continuation: `root/<plugin>/prompt/<name>`. */
  handler: String(row.handler),
  endpoint: String(row.endpoint),
  channel: String(row.channel),
  /** In the form of `personOf`. */
  user: String(row.user),
  /** JSON. */
  data: String(row.data),
  /** Milliseconds since 1970. */
  expiresAt: Number(row.expires_at),
})

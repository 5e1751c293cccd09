import {toJson} from "../../shared/json.ts"
import type {Log} from "../../shared/log.ts"
import type {Row, Statement} from "../../shared/sdk/plugin/database.ts"
import type {SatoriEvent, User} from "../../shared/sdk/satori.ts"
import type {Database} from "../database/database.ts"
import {persist} from "../database/persist.ts"
import {writeIf} from "../database/write-if.ts"
import {type Clock, systemClock} from "../runtime/flow/clock.ts"

/** Who is asked, and where. */
export type Asked = Pick<Question, "endpoint" | "channel" | "user">

/** A question to one user in one channel, and what goes on when it is answered. */
export interface Question {
  readonly id: string
  /** The id of the continuation: `root/<plugin>/prompt/<name>`. */
  readonly handler: string
  readonly endpoint: string
  readonly channel: string
  /** As `personOf` names them. */
  readonly user: string
  /** JSON. */
  readonly data: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

const columns = "id, handler, endpoint, channel, user, data, expires_at"

/**
 * The questions that wait for an answer: one for each user in a channel, a new one replaces the one before. Durable, and
 * known in memory, so that a message that answers nothing costs no read.
 */
export class Prompts {
  readonly #database: Database
  readonly #log: Log
  readonly #clock: Clock
  /** Each with its end by a clock that does not go back: the time that is stored is believed once. */
  readonly #open = new Map<string, {readonly question: Question; readonly until: number}>()

  constructor(database: Database, log: Log, clock: Clock = systemClock) {
    this.#database = database
    this.#clock = clock
    this.#log = log
  }

  /** Takes over what earlier runs asked. */
  async start(): Promise<void> {
    const over = "FROM prompts WHERE answer_seq IS NULL AND expires_at <= ?"
    const args = [this.#clock.now()]
    await writeIf(this.#database, `EXISTS (SELECT 1 ${over})`, [{sql: `DELETE ${over}`, args}], args)
    const rows = await this.#database.read(`SELECT ${columns} FROM prompts WHERE answer_seq IS NULL`)
    for (const question of rows.map(questionOf)) this.#keep(question)
  }

  /** The question that a message may answer. */
  find(endpoint: string, event: SatoriEvent): Question | undefined {
    if (this.#open.size === 0 || event.type !== "message-created" || event.user === undefined) return undefined
    const key = placeOf({endpoint, channel: event.channel?.id ?? event.user.id, user: personOf(event.user)})
    const open = this.#open.get(key)
    if (open === undefined || open.until > this.#clock.elapsed()) return open?.question
    this.#open.delete(key)
    return undefined
  }

  /** From now on no other message answers it; `recheck` gives it back where that was not stored. */
  take(question: Question): void {
    this.#open.delete(placeOf(question))
  }

  /**
   * Belongs to the batch that stores the answer with its mark; the first returns a row where this event has become the
   * answer. Where the question is gone since, the event is for the handlers that it is for without one.
   */
  answering({id, handler}: Question, endpoint: string, eventId: string, otherwise: readonly string[]) {
    const unanswered = `FROM inbox i JOIN inbox_marks m USING (seq)
      WHERE i.endpoint = ? AND i.event_id = ? AND m.handler = ? AND m.state = 'pending'
        AND NOT EXISTS (SELECT 1 FROM prompts p WHERE p.answer_seq = i.seq)`
    const event = [endpoint, eventId, handler]
    return [
      {
        sql: `UPDATE prompts SET answer_seq = (SELECT i.seq ${unanswered})
          WHERE id = ? AND answer_seq IS NULL AND EXISTS (SELECT 1 ${unanswered}) RETURNING id`,
        args: [...event, id, ...event],
      },
      {
        sql: `INSERT INTO inbox_marks (seq, handler, state)
          SELECT seq, value, 'pending' FROM (SELECT i.seq ${unanswered}), json_each(?) WHERE true ON CONFLICT DO NOTHING`,
        args: [...event, toJson(otherwise)],
      },
      {
        sql: `DELETE FROM inbox_marks WHERE handler = ? AND seq = (SELECT i.seq ${unanswered})`,
        args: [handler, ...event],
      },
    ] satisfies readonly Statement[]
  }

  /** Asks the database which question its user has to answer now: after one was stored or ended, or an answer was not stored. */
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

  /** The statements that store a question, for the batch of the handler that asks it. */
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

  /** The question that an event answers. */
  async answeredBy(seq: number, handler: string): Promise<Question | undefined> {
    const [row] = await this.#database.read(`SELECT ${columns} FROM prompts WHERE answer_seq = ? AND handler = ?`, [
      seq,
      handler,
    ])
    return row === undefined ? undefined : questionOf(row)
  }
}

/** The statement that forgets the question that an event has answered. */
export const forgetting = (seq: number, handler: string): Statement => ({
  sql: "DELETE FROM prompts WHERE answer_seq = ? AND handler = ?",
  args: [seq, handler],
})

/** Who answers: an account of the platform's services where there is one, since anybody may take a name. */
export const personOf = ({id, account}: User): string => (account === undefined ? `id ${id}` : `account ${account}`)

const placeOf = ({endpoint, channel, user}: Asked): string => toJson([endpoint, channel, user])

const questionOf = (row: Row): Question => ({
  id: String(row.id),
  handler: String(row.handler),
  endpoint: String(row.endpoint),
  channel: String(row.channel),
  user: String(row.user),
  data: String(row.data),
  expiresAt: Number(row.expires_at),
})

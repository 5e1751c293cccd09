import {openDatabase} from "../../../server/database/database.ts"

/** What the database has of one event. */
export interface StoredMessage {
  readonly seq: number
  readonly endpoint: string
  /** The platform's id of it. */
  readonly id: string
  readonly text: string
  /** The states of its marks. */
  readonly states: string
}

/** What the database has of one message of the outbox, and of the event that it answers. */
export interface Answer {
  readonly seq: number
  readonly id: string
  readonly endpoint: string
  readonly text: string
  readonly state: string
  readonly attempt: number
}

export interface Ledger {
  readonly events: readonly StoredMessage[]
  readonly answers: readonly Answer[]
}

/** Every event with the states of its marks, and every answer, of a Host that has ended. */
export const readLedger = async (file: string): Promise<Ledger> => {
  const database = await openDatabase(
    {dialect: "sqlite", file},
    {runtimeId: "test", signal: new AbortController().signal, onLeaseLost: () => {}},
  )
  try {
    const events = await database.read(
      `SELECT i.seq, i.endpoint, i.event_id AS id, json_extract(i.event, '$.message.content') AS text,
        group_concat(m.state) AS states FROM inbox i LEFT JOIN inbox_marks m USING (seq) GROUP BY i.seq ORDER BY i.seq`,
    )
    const answers = await database.read(
      "SELECT inbox_seq AS seq, id, endpoint, json_extract(content, '$[0]') AS text, state, attempt FROM outbox",
    )
    return {
      events: events.map(({seq, endpoint, id, text, states}) => ({
        seq: Number(seq),
        endpoint: String(endpoint),
        id: String(id),
        text: String(text),
        states: String(states),
      })),
      answers: answers.map(({seq, id, endpoint, text, state, attempt}) => ({
        seq: Number(seq),
        id: String(id),
        endpoint: String(endpoint),
        text: String(text),
        state: String(state),
        attempt: Number(attempt),
      })),
    }
  } finally {
    await database.close()
  }
}

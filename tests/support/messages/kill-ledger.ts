import {readRows} from "./inbox-ledger.ts"

export interface StoredMessage {
  readonly seq: number
  readonly endpoint: string
  readonly id: string
  readonly type: string
  readonly text: string
  readonly states: string
}

/** A message of the outbox in the database, with the event that it answers. */
export interface Answer {
  readonly seq: number
  readonly id: string
  readonly endpoint: string
  /** `message`, or an act on one: `edit`, `delete`, `reaction`. */
  readonly kind: string
  readonly text: string
  /** JSON, as stored. */
  readonly content: string
  readonly state: string
  readonly attempt: number
  /** Empty if there is none. */
  readonly reason: string
}

export interface Ledger {
  readonly events: readonly StoredMessage[]
  readonly answers: readonly Answer[]
}

/** All events with the states of their marks, and all answers, of a stopped Host. */
export const readLedger = async (file: string): Promise<Ledger> => {
  const events = await readRows(
    file,
    `SELECT i.seq, i.endpoint, i.event_id AS id, i.type, json_extract(i.event, '$.message.content') AS text,
      group_concat(m.state) AS states FROM inbox i LEFT JOIN inbox_marks m USING (seq) GROUP BY i.seq ORDER BY i.seq`,
  )
  const answers = await readRows(
    file,
    `SELECT inbox_seq AS seq, id, endpoint, kind, json_extract(content, '$[0]') AS text, content, state, attempt,
      coalesce(reason, '') AS reason FROM outbox ORDER BY outbox.seq`,
  )
  return {
    events: events.map(({seq, endpoint, id, type, text, states}) => ({
      seq: Number(seq),
      endpoint: String(endpoint),
      id: String(id),
      type: String(type),
      text: String(text),
      states: String(states),
    })),
    answers: answers.map(({seq, id, endpoint, kind, text, content, state, attempt, reason}) => ({
      seq: Number(seq),
      id: String(id),
      endpoint: String(endpoint),
      kind: String(kind),
      text: String(text),
      content: String(content),
      state: String(state),
      attempt: Number(attempt),
      reason: String(reason),
    })),
  }
}

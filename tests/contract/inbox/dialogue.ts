import {expect} from "vitest"
import type {Database, Statement} from "../../../server/database/database.ts"

/** The continuation that every question of a history uses. */
export const continuation = "root/line/prompt/more"

/** Triggers that record every change of a question: the order in which questions were asked, answered and expired. */
export const dialogueTables: readonly Statement[] = [
  {
    sql: `CREATE TABLE dialogue (step INTEGER PRIMARY KEY, what TEXT NOT NULL, question TEXT NOT NULL, place TEXT NOT NULL,
      data TEXT NOT NULL, expires_at INTEGER NOT NULL, seq INTEGER NOT NULL)`,
  },
  {
    sql: `CREATE TRIGGER dialogue_asked AFTER INSERT ON prompts BEGIN
      INSERT INTO dialogue (what, question, place, data, expires_at, seq)
      VALUES ('asked', new.id, new.channel || ' ' || new.user, new.data, new.expires_at, new.asked_seq); END`,
  },
  {
    sql: `CREATE TRIGGER dialogue_answered AFTER UPDATE OF answer_seq ON prompts BEGIN
      INSERT INTO dialogue (what, question, place, data, expires_at, seq)
      VALUES ('answered', new.id, new.channel || ' ' || new.user, new.data, new.expires_at, new.answer_seq); END`,
  },
  {
    sql: `CREATE TRIGGER dialogue_expired AFTER UPDATE OF expires_at ON prompts BEGIN
      INSERT INTO dialogue (what, question, place, data, expires_at, seq)
      VALUES ('expired', new.id, new.channel || ' ' || new.user, new.data, new.expires_at, 0); END`,
  },
]

export const expireOpen: Statement = {sql: "UPDATE prompts SET expires_at = 1 WHERE answer_seq IS NULL"}

/** One question and its outcome, in the order of the steps. */
export interface Asked {
  readonly id: string
  readonly data: string
  /** Its channel and user. */
  readonly place: string
  readonly askedBy: number
  readonly isExpired: boolean
  /** The question waits: it is neither answered, nor replaced by a newer one in its place, nor expired. */
  readonly isOpen: boolean
  readonly answers: readonly number[]
}

/** Returns every stored question. Fails if one was answered while it was not open, or by no later event. */
export const readDialogue = async (database: Database): Promise<readonly Asked[]> => {
  const questions = new Map<string, Asked>()
  const open = new Map<string, string>()
  for (const row of await database.read("SELECT * FROM dialogue ORDER BY step")) {
    const [id, place, seq] = [String(row.question), String(row.place), Number(row.seq)]
    const known = questions.get(id)
    if (row.what === "asked") {
      const replaced = questions.get(open.get(place) ?? "")
      if (replaced !== undefined) questions.set(replaced.id, {...replaced, isOpen: false})
      const isExpired = Number(row.expires_at) < 2
      questions.set(id, {id, data: String(row.data), place, askedBy: seq, isExpired, isOpen: !isExpired, answers: []})
      open.set(place, id)
    } else if (known !== undefined && row.what === "expired")
      questions.set(id, {...known, isExpired: true, isOpen: false})
    else if (known !== undefined) {
      expect(open.get(place), `${known.data}: only the newest question of a user is answered, and once`).toBe(id)
      expect(known.isExpired, `${known.data}: no expired question is answered`).toBe(false)
      expect(seq, `${known.data}: the answer is later than the question`).toBeGreaterThan(known.askedBy)
      questions.set(id, {...known, isOpen: false, answers: [...known.answers, seq]})
      open.delete(place)
    }
  }
  return [...questions.values()]
}

/** Checks that each question is kept until it is answered, replaced or expired, and that one event answers it. */
export const checkDialogue = async (database: Database): Promise<void> => {
  const questions = await readDialogue(database)
  const rows = await database.read("SELECT id, answer_seq FROM prompts")
  const kept = new Map(rows.map(({id, answer_seq}) => [String(id), answer_seq]))
  for (const {id, data, isOpen} of questions) {
    if (isOpen) expect(kept.has(id) && kept.get(id) === null, `${data}: an open question is stored`).toBe(true)
  }
  const answers = questions.flatMap(({answers}) => answers)
  expect(new Set(answers).size, "an event answers one question").toBe(answers.length)
  const marks = await database.read(
    "SELECT i.seq, i.conversation, i.event, m.state FROM inbox_marks m JOIN inbox i USING (seq) WHERE m.handler = ?",
    [continuation],
  )
  expect(
    marks.map(({seq}) => Number(seq)).toSorted(inOrder),
    "an event that waits as an answer has a question",
  ).toEqual(answers.toSorted(inOrder))
  for (const {seq, event, state} of marks) {
    const question = questions.find(({answers}) => answers.includes(Number(seq)))
    const {channel, user} = JSON.parse(String(event))
    expect(question?.place, "the user who was asked answers, in the same channel").toBe(`${channel.id} id ${user.id}`)
    const isOver = state === "handled" || state === "discarded"
    expect(kept.get(question?.id ?? ""), `${question?.data}: an answer is kept until it is handled`).toBe(
      isOver ? undefined : seq,
    )
  }
}

const inOrder = (one: number, other: number) => one - other

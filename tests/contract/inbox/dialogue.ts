import {expect} from "vitest"
import type {Database} from "../../../server/database/database.ts"
import type {Statement} from "../../../server/database/engine.ts"

/** The continuation that every question of a history names. */
export const continuation = "root/line/prompt/more"

/** What the database says of its questions as they change: the order in which they were asked, answered and ran out. */
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

/** An hour passes for every question that is open. */
export const expireOpen: Statement = {sql: "UPDATE prompts SET expires_at = 1 WHERE answer_seq IS NULL"}

/** One question, and what became of it, in the order of the steps. */
export interface Asked {
  readonly id: string
  readonly data: string
  /** Its channel and user. */
  readonly place: string
  readonly askedBy: number
  readonly isExpired: boolean
  /** It waits: neither answered, nor replaced by a newer one of its place, nor over. */
  readonly isOpen: boolean
  readonly answers: readonly number[]
}

/** Every question that was stored. Fails where one was answered that was not open, or by an event that was not later. */
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
      expect(known.isExpired, `${known.data}: no question is answered whose time is over`).toBe(false)
      expect(seq, `${known.data}: the answer comes after the question`).toBeGreaterThan(known.askedBy)
      questions.set(id, {...known, isOpen: false, answers: [...known.answers, seq]})
      open.delete(place)
    }
  }
  return [...questions.values()]
}

/** The promise about questions: none is lost that is neither answered, replaced nor over, and an event answers one. */
export const checkDialogue = async (database: Database): Promise<void> => {
  const questions = await readDialogue(database)
  const rows = await database.read("SELECT id, answer_seq FROM prompts")
  const kept = new Map(rows.map(({id, answer_seq}) => [String(id), answer_seq]))
  for (const {id, data, isOpen} of questions) {
    if (isOpen) expect(kept.has(id) && kept.get(id) === null, `${data}: a question that waits is stored`).toBe(true)
  }
  const answers = questions.flatMap(({answers}) => answers)
  expect(new Set(answers).size, "an event answers one question").toBe(answers.length)
  const marks = await database.read(
    "SELECT i.seq, i.conversation, i.event, m.state FROM inbox_marks m JOIN inbox i USING (seq) WHERE m.handler = ?",
    [continuation],
  )
  expect(marks.map(({seq}) => Number(seq)).toSorted(inOrder), "what waits for an answer has one").toEqual(
    answers.toSorted(inOrder),
  )
  for (const {seq, event, state} of marks) {
    const question = questions.find(({answers}) => answers.includes(Number(seq)))
    const {channel, user} = JSON.parse(String(event))
    expect(question?.place, "who was asked answers, where it was asked").toBe(`${channel.id} id ${user.id}`)
    const isOver = state === "handled" || state === "discarded"
    expect(kept.get(question?.id ?? ""), `${question?.data}: an answer is kept until it is handled`).toBe(
      isOver ? undefined : seq,
    )
  }
}

const inOrder = (one: number, other: number) => one - other

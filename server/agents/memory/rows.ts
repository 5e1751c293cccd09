import {fromJson, toJson} from "../../../shared/json.ts"
import type {User} from "../../../shared/sdk/content/satori.ts"
import type {Row, Statement} from "../../../shared/sdk/session/database.ts"
import {spaced} from "../search/words.ts"
import {type MemoryPlace, type MemoryScope, marksOf, visibleAt} from "./places.ts"

/** The most memories of one author about one user or channel. The oldest make room. */
const mostOwn = 500

/** A memory, read from its row. */
export type Memory = Readonly<ReturnType<typeof memoryOf>>

export const memoryColumns = "seq, agent, scope, channel, author, text, since, created_at"

export const memoryOf = (row: Row) => ({
  id: Number(row.seq),
  agent: String(row.agent),
  scope: row.scope as MemoryScope,
  channel: String(row.channel),
  author: fromJson(String(row.author)) as User,
  text: String(row.text),
  isSummary: row.since !== null,
  createdAt: Number(row.created_at),
})

export interface NewMemory {
  readonly scope: MemoryScope
  readonly text: string
  /** The run that it comes from: of a summary, the last one. */
  readonly source: number
  /** The first run of a summary. */
  readonly since?: number
  readonly at: number
  /** How long it lives, in milliseconds. */
  readonly life: number
}

/** Stores a memory in place of an equal one of the author, and makes room for it. */
export const remembering = (place: MemoryPlace, memory: NewMemory): readonly Statement[] => {
  const {agent, endpoint, channel, user} = place
  const {scope, text, source, since, at, life} = memory
  const {owner, spot} = marksOf(place, scope)
  // What permissions and the quotation need, and no more.
  const {id, name, nick, account, roles} = user
  const author = toJson({id, name, nick, account, roles})
  return [
    {
      sql: "DELETE FROM agent_memories WHERE owner = ? AND spot = ? AND user = ? AND text = ?",
      args: [owner, spot, id, text],
    },
    {
      sql: `DELETE FROM agent_memories WHERE seq IN
        (SELECT seq FROM agent_memories WHERE owner = ? AND user = ? ORDER BY seq DESC LIMIT -1 OFFSET ${mostOwn - 1})`,
      args: [owner, id],
    },
    {
      sql: `INSERT INTO agent_memories (agent, scope, owner, spot, endpoint, channel, user, author, text, words, run, event, since, created_at, expires_at)
        SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, seq, inbox_seq, ?, ?, ? FROM agent_runs WHERE seq = ?`,
      args: [
        ...[agent, scope, owner, spot, endpoint, channel, id, author, text, spaced(text)],
        ...[since ?? null, at, at + life, source],
      ],
    },
  ]
}

/** Selects memories by their numbers. */
export const selectMemories = `SELECT ${memoryColumns} FROM agent_memories WHERE seq IN (SELECT value FROM json_each(?))`

/** Selects who led to the memories that a place finds. */
export const selectingAuthors = (place: MemoryPlace) => {
  const {column, marks} = visibleAt(place)
  return {sql: `SELECT DISTINCT author FROM agent_memories WHERE ${column} IN (?, ?)`, args: marks}
}

/** Selects the newest memories that a place finds, without those of hidden authors. */
export const selectingNewest = (place: MemoryPlace, hidden: readonly string[], limit: number) => {
  const {column, marks} = visibleAt(place)
  return {
    sql: `SELECT seq FROM agent_memories WHERE ${column} IN (?, ?)
      AND author NOT IN (SELECT value FROM json_each(?)) ORDER BY seq DESC LIMIT ?`,
    args: [...marks, toJson(hidden), limit],
  }
}

/** The most candidates of a search. */
const mostCandidates = 2000

/** Selects the memories that a place finds with each of these words: the word's index, and the number. */
export const selectingMatches = (place: MemoryPlace, hidden: readonly string[], words: readonly string[]) => {
  const {column, marks} = visibleAt(place)
  const marked = `${column} : (${marks.map(mark => `"${mark}"`).join(" OR ")})`
  const [owner, spot, authors] = [...marks, toJson(hidden)].map((_, index) => `?${words.length + index + 1}`)
  const shown =
    hidden.length === 0
      ? ""
      : `AND rowid NOT IN (SELECT seq FROM agent_memories WHERE ${column} IN (${owner}, ${spot})
          AND author IN (SELECT value FROM json_each(${authors})))`
  const one = (index: number) => `SELECT * FROM (SELECT ${index} AS word, rowid AS seq FROM memory_index
    WHERE memory_index MATCH ?${index + 1} ${shown} ORDER BY rowid DESC LIMIT ${mostCandidates})`
  return {
    sql: words.map((_, index) => one(index)).join(" UNION ALL "),
    args: [...words.map(word => `${marked} AND words : ${word}`), ...(shown === "" ? [] : [...marks, toJson(hidden)])],
  }
}

/** Counts the memories that a place finds. */
export const countingVisible = (place: MemoryPlace) => {
  const {column, marks} = visibleAt(place)
  return {sql: `SELECT count(*) AS n FROM agent_memories WHERE ${column} IN (?, ?)`, args: marks}
}

import {toJson} from "../../../shared/json.ts"
import type {Row, SqlValue, Statement} from "../../../shared/sdk/session/database.ts"
import {type MemoryPlace, visibleAt} from "./places.ts"

/** The most memories that a question is compared with: the newest. */
const mostCompared = 2000

/** Selects the next memories of an agent that have no vector of the model. */
export const selectMissing = `SELECT m.seq, m.text FROM agent_memories m LEFT JOIN agent_vectors v ON v.memory = m.seq
  WHERE m.seq > ?1 AND m.agent = ?2 AND v.source IS NOT ?3 ORDER BY m.seq LIMIT ?4`

/** Stores the vector of a memory that still exists. */
export const storingVector = (memory: number, source: string, vector: Float32Array<ArrayBuffer>): Statement => ({
  sql: `INSERT INTO agent_vectors (memory, source, vector) SELECT seq, ?2, ?3 FROM agent_memories WHERE seq = ?1
    ON CONFLICT (memory) DO UPDATE SET source = excluded.source, vector = excluded.vector`,
  args: [memory, source, new Uint8Array(vector.buffer)],
})

/** Selects the vectors of the memories that a place finds, newest first, without those of hidden authors. */
export const selectingVectors = (place: MemoryPlace, hidden: readonly string[], source: string) => {
  const {column, marks} = visibleAt(place)
  return {
    sql: `SELECT m.seq, v.vector FROM (SELECT seq FROM agent_memories WHERE ${column} IN (?, ?)
        AND author NOT IN (SELECT value FROM json_each(?)) ORDER BY seq DESC LIMIT ${mostCompared}) m
      CROSS JOIN agent_vectors v ON v.memory = m.seq WHERE v.source = ?`,
    args: [...marks, toJson(hidden), source],
  }
}

const fromBlob = (value: SqlValue | undefined): Float32Array => {
  const bytes = value instanceof Uint8Array ? Uint8Array.from(value).buffer : value
  return bytes instanceof ArrayBuffer && bytes.byteLength % 4 === 0 ? new Float32Array(bytes) : new Float32Array()
}

/** Returns the numbers of the memories that are closest to a question. A vector of another length is none. */
export const nearest = (rows: readonly Row[], question: Float32Array, most: number): readonly number[] =>
  rows
    .flatMap(({seq, vector}) => {
      const own = fromBlob(vector)
      return own.length === question.length ? [{id: Number(seq), likeness: dot(own, question)}] : []
    })
    .sort((a, b) => b.likeness - a.likeness || b.id - a.id)
    .slice(0, most)
    .map(({id}) => id)

const dot = (a: Float32Array, b: Float32Array): number => {
  let sum = 0
  for (let n = 0; n < a.length; n++) sum += (a[n] ?? 0) * (b[n] ?? 0)
  return sum
}

/** How little the first places count more than later ones. */
const flatness = 60

/** Merges rankings by reciprocal rank fusion. */
export const fused = (rankings: readonly (readonly number[])[]): readonly number[] => {
  const scores = new Map<number, number>()
  for (const ranking of rankings)
    for (const [rank, id] of ranking.entries()) scores.set(id, (scores.get(id) ?? 0) + 1 / (flatness + rank))
  return byScore(scores)
}

/** Returns the numbers with the highest scores; of equal ones, the newest first. */
export const byScore = (scores: ReadonlyMap<number, number>): readonly number[] =>
  [...scores].sort(([a, one], [b, other]) => other - one || b - a).map(([id]) => id)

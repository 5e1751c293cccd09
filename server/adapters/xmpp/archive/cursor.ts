/** The message of an archive after which the adapter resumes. */
export interface Position {
  /** The archive's id of the message; empty if the archive was empty. */
  readonly id: string
  /** When the message was stored, in milliseconds since 1970, for an archive that no longer knows the id. */
  readonly at: number
}

/** Positions, by the address of the archive. */
export type Positions = ReadonlyMap<string, Position>

/** Reads the text of `writePositions`. Returns no positions for any other text. */
export const readPositions = (cursor: string | undefined): Positions => {
  if (cursor === undefined) return new Map()
  try {
    const {archives}: {archives?: unknown} = JSON.parse(cursor)
    if (typeof archives !== "object" || archives === null) return new Map()
    return new Map(Object.entries(archives).filter((entry): entry is [string, Position] => isPosition(entry[1])))
  } catch {
    return new Map()
  }
}

const isPosition = (value: unknown): value is Position =>
  typeof value === "object" &&
  value !== null &&
  "id" in value &&
  typeof value.id === "string" &&
  "at" in value &&
  typeof value.at === "number"

export const writePositions = (positions: Positions): string =>
  JSON.stringify({archives: Object.fromEntries([...positions].sort(([one], [other]) => (one < other ? -1 : 1)))})

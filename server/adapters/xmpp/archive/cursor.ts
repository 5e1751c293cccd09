/** Behind which message of an archive the adapter goes on. */
export interface Position {
  /** The archive's id of the message; empty where the archive had none. */
  readonly id: string
  /** When it was stored, in milliseconds since 1970: for an archive that does not know the id any more. */
  readonly at: number
}

/** By the address of the archive. */
export type Positions = ReadonlyMap<string, Position>

/** What `writePositions` made; nothing of what is no such text. */
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

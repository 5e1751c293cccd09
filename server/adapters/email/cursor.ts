/** How far a folder was read. */
export interface Cursor {
  /** The folder's `UIDVALIDITY`: with another one, its uids are others. */
  readonly validity: string
  /** Everything up to this uid was stored, or left out. */
  readonly uid: number
  /** When the newest mail of those reached the server, in milliseconds since 1970. */
  readonly at: number
  /** When the account began: older mail is nobody's business. In milliseconds since 1970. */
  readonly from: number
  /** Uids of the newest batch, which may not have been marked yet. */
  readonly stored: readonly number[]
  /** Up to this uid a renumbered folder is read again. */
  readonly again?: number
}

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value)

/** Undefined for what `formatCursor` has not made. */
export const parseCursor = (text: string | undefined): Cursor | undefined => {
  try {
    const {validity, uid, at, from, stored, again} = JSON.parse(text ?? "null") ?? {}
    const isWhole = typeof validity === "string" && [uid, at, from].every(isNumber)
    if (!isWhole || !Array.isArray(stored) || !stored.every(isNumber)) return undefined
    return {validity, uid, at, from, stored, ...(isNumber(again) ? {again} : {})}
  } catch {
    return undefined
  }
}

export const formatCursor = (cursor: Cursor): string => JSON.stringify(cursor)

/** What a server says of a folder that was opened. */
export interface FolderState {
  readonly uidValidity: bigint
  readonly uidNext: number
}

/** Where an account begins that has stored nothing yet: behind what is there. */
export const firstCursor = ({uidValidity, uidNext}: FolderState, now: number): Cursor => ({
  validity: String(uidValidity),
  uid: uidNext - 1,
  at: now,
  from: now,
  stored: [],
})

/** `SINCE` asks for days, in whatever time zone the server has. */
const margin = 2 * 86_400_000

/** From when on a renumbered folder is read again. */
export const againSince = ({at, from}: Cursor): Date => new Date(Math.max(from, at) - margin)

/** The cursor in a renumbered folder: before the mails that may be missing, in their new numbers. */
export const movedCursor = (cursor: Cursor, {uidValidity, uidNext}: FolderState, found: readonly number[]): Cursor => ({
  ...cursor,
  validity: String(uidValidity),
  uid: found.reduce((least, uid) => Math.min(least, uid), uidNext) - 1,
  stored: [],
  again: uidNext - 1,
})

/** Is a mail older than the account, in a renumbered folder? IMAP dates arrivals by the second. */
export const isFromBefore = ({again = 0, from}: Cursor, uid: number, arrived: number): boolean =>
  uid <= again && arrived < Math.floor(from / 1000) * 1000

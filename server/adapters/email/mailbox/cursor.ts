/** The reading position in a folder. */
export interface Cursor {
  /** The folder's `UIDVALIDITY`. If it changes, all uids have changed. */
  readonly validity: string
  /** Every mail up to this uid was stored or skipped. */
  readonly uid: number
  /** When the newest of those mails reached the server, in milliseconds since 1970. */
  readonly at: number
  /** When the account began, in milliseconds since 1970. Older mail is ignored. */
  readonly from: number
  /** The uids of the newest batch, which may not be marked yet. */
  readonly stored: readonly number[]
  /** In a renumbered folder, mails up to this uid are read again. */
  readonly again?: number
}

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value)

/** Returns undefined for text that `formatCursor` did not write. */
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

/** The server's answer on opening a folder. */
export interface FolderState {
  readonly uidValidity: bigint
  readonly uidNext: number
}

/** Returns the cursor of a new account: after the existing mail. */
export const firstCursor = ({uidValidity, uidNext}: FolderState, now: number): Cursor => ({
  validity: String(uidValidity),
  uid: uidNext - 1,
  at: now,
  from: now,
  stored: [],
})

/** `SINCE` has a resolution of days, in the server's time zone. */
const margin = 2 * 86_400_000

/** Returns the time from which a renumbered folder is read again. */
export const againSince = ({at, from}: Cursor): Date => new Date(Math.max(from, at) - margin)

/** Returns the cursor for a renumbered folder: before the mails that may be missing, in their new numbers. */
export const movedCursor = (cursor: Cursor, {uidValidity, uidNext}: FolderState, found: readonly number[]): Cursor => ({
  ...cursor,
  validity: String(uidValidity),
  uid: found.reduce((least, uid) => Math.min(least, uid), uidNext) - 1,
  stored: [],
  again: uidNext - 1,
})

/** Whether a mail in a renumbered folder is older than the account. IMAP dates arrivals by the second. */
export const isFromBefore = ({again = 0, from}: Cursor, uid: number, arrived: number): boolean =>
  uid <= again && arrived < Math.floor(from / 1000) * 1000

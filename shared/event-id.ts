/** A position in the event log: `<epoch>-<offset>`. Offsets grow, and an epoch never reuses one. */
export interface EventId {
  readonly epoch: string
  readonly offset: number
}

/** Returns the short form of an authority, which all ids of one history share. */
export const epochOf = (authority: string): string =>
  authority
    .toLowerCase()
    .replace(/[^0-9a-z]/g, "")
    .slice(0, 12)

export const eventId = (epoch: string, offset: number): string => `${epoch}-${offset}`

/** Parses an id in its canonical form. Undefined for any other text. */
export const parseEventId = (text: string): EventId | undefined => {
  const [, epoch, digits] = /^([0-9a-z]{1,12})-(0|[1-9][0-9]{0,15})$/.exec(text) ?? []
  const offset = Number(digits)
  return epoch === undefined || !Number.isSafeInteger(offset) ? undefined : {epoch, offset}
}

import {fromJson, toJson} from "../../../shared/json.ts"
import {Problem} from "../../../shared/problems.ts"
import type {Incoming} from "../../../shared/sdk/adapter/incoming.ts"
import type {SqlValue} from "../../../shared/sdk/session/database.ts"
import type {RawEvent} from "../../../shared/sdk/session/session.ts"
import {readJson} from "../../../shared/sdk/session/values.ts"

/** The longest stored event of a platform, and the longest texts of one that is cut, in UTF-16 code units. */
const longest = 64 * 1024
const longestText = 1024

/** Fields that are secrets or numbers of people, whatever their value. */
const isPrivate = /token|secret|password|authorization|signature|phone/i

const masking = (key: string, value: unknown): unknown =>
  isPrivate.test(key) && (typeof value === "string" || typeof value === "number") ? "[masked]" : value

const cutting = (key: string, value: unknown): unknown =>
  typeof value === "string" && value.length > longestText
    ? `${value.slice(0, longestText).toWellFormed()}…`
    : masking(key, value)

/**
 * Returns the platform's own event as JSON to store: masked, and at most 64 KiB. Long texts in a longer one are cut, and
 * its data is left out if that does not suffice. `scrub` hides the values of secrets. Throws `event_invalid`.
 */
export const rawToStore = ({type, data}: NonNullable<Incoming["raw"]>, scrub: (json: string) => string): string => {
  readJson("raw", data, "event_invalid")
  const texts = [
    () => toJson({type, data} satisfies RawEvent, masking),
    () => toJson({type, data, isCut: true} satisfies RawEvent, cutting),
    () => toJson({type, data: undefined, isCut: true} satisfies RawEvent),
  ]
  for (const text of texts) {
    const json = scrub(text())
    if (json.length <= longest) return json
  }
  throw new Problem("event_invalid", "raw.type is too long")
}

/** Reads what `rawToStore` returned. */
export const readRaw = (stored: SqlValue | undefined): RawEvent | undefined =>
  typeof stored === "string" ? fromJson(stored) : undefined

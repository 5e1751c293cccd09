import {toJson} from "../../../shared/json.ts"
import {fieldsOf} from "../../../shared/sdk/session/values.ts"
import type {ZonedDate} from "../../../shared/sdk/text/values.ts"
import {BoundedMap} from "../bounded-map.ts"

/** How many formatters of a kind are kept. */
const most = 100

/** Returns a function that makes a formatter once for equal arguments. */
const kept = <Given extends readonly unknown[], Made>(make: (...given: Given) => Made) => {
  const known = new BoundedMap<string, Made>(most)
  return (...given: Given): Made => {
    const key = toJson(given)
    const made = known.get(key) ?? make(...given)
    if (!known.has(key)) known.set(key, made)
    return made
  }
}

export const isZoned = (value: unknown): value is ZonedDate => {
  const {at, timezone} = fieldsOf(value)
  return typeof timezone === "string" && (typeof at === "number" || at instanceof Date)
}

const dates = kept((...given: ConstructorParameters<typeof Intl.DateTimeFormat>) => new Intl.DateTimeFormat(...given))

/** Returns what formats a date in its own timezone, else in UTC. */
const datesOf = (...[locales, options]: ConstructorParameters<typeof Intl.DateTimeFormat>): Intl.DateTimeFormat => {
  const inZone = (timeZone: string) => dates(locales, {...options, timeZone})
  const format = (value: number | Date | ZonedDate): string =>
    isZoned(value) ? inZone(value.timezone).format(value.at) : inZone("UTC").format(value)
  return Object.defineProperty(new Intl.DateTimeFormat(locales, options), "format", {value: format})
}

export const formatters = {
  getNumberFormat: kept((locales?: string | string[], options?: object) => new Intl.NumberFormat(locales, options)),
  getDateTimeFormat: kept(datesOf),
  getPluralRules: kept((...given: ConstructorParameters<typeof Intl.PluralRules>) => new Intl.PluralRules(...given)),
}

import {formsOf, shortestForm} from "./forms.ts"

export const masked = "[secret]"

/** Which of so many places a pair of characters has in the tables. */
const places = 2 ** 16

const placeOf = (first: number, second: number): number => ((first << 8) ^ second) & (places - 1)

/** Credentials that nobody has named: of headers, and in an address. */
const credentials =
  /(\bBearer\s+)[\w.~+/=-]{16,}|(authorization["']?\s*[:=]\s*["']?(?:(?:basic|bearer|digest|token)\s+)?)[^\s"',;]+|(:\/\/[^\s/:@"']{0,200}:)[^\s/@"']{1,200}(?=@)/gi

const isQuick = (text: string): boolean =>
  !text.includes("://") && !text.includes("earer") && !text.includes("uthorization") && !text.includes("EARER")

/**
 * Replaces hidden values in text, in every form of `formsOf`, by one pass that looks at every seventh character or so
 * however many values there are (Wu and Manber's search: shortest form of 8 characters, pairs of them in a table).
 */
export class Mask {
  readonly #secrets = new Set<string>()
  #shifts = new Uint8Array()
  /** The forms by the place of the last pair that the search looks at, the longest first. */
  #forms = new Map<number, readonly string[]>()
  #reach = 0

  /** Values that are not to appear from now on; those of fewer than 8 characters are left out. */
  hide(secrets: readonly string[]): void {
    const fresh = secrets.filter(secret => secret.length >= shortestForm && !this.#secrets.has(secret))
    if (fresh.length === 0) return
    for (const secret of fresh) this.#secrets.add(secret)
    this.#compile([...new Set([...this.#secrets].flatMap(formsOf))])
  }

  /** The length of the longest form: who cuts a text gives so many characters more to the mask, and drops them after. */
  get reach(): number {
    return this.#reach
  }

  /** A text without hidden values, nor credentials that can be told by what stands before them. */
  text(text: string): string {
    const hidden = this.#replace(text, false)
    if (hidden.length < shortestForm || isQuick(hidden)) return hidden
    return hidden.replace(credentials, (_, ...groups) => `${groups.slice(0, 3).find(Boolean) ?? ""}${masked}`)
  }

  /** The same of JSON, which stays JSON; credentials that nobody has named stay as well. */
  json(text: string): string {
    return this.#replace(text, true)
  }

  #compile(forms: readonly string[]): void {
    this.#shifts = new Uint8Array(places).fill(shortestForm - 1)
    this.#forms = new Map()
    for (const form of [...forms].sort((one, other) => other.length - one.length)) {
      this.#reach = Math.max(this.#reach, form.length)
      for (let at = 1; at < shortestForm; at++) {
        const place = placeOf(form.charCodeAt(at - 1), form.charCodeAt(at))
        this.#shifts[place] = Math.min(this.#shifts[place] ?? 0, shortestForm - 1 - at)
        if (at === shortestForm - 1) this.#forms.set(place, [...(this.#forms.get(place) ?? []), form])
      }
    }
  }

  #replace(text: string, isJson: boolean): string {
    if (this.#forms.size === 0) return text
    const shifts = this.#shifts
    let result = ""
    let done = 0
    let end = shortestForm - 1
    while (end < text.length) {
      const place = placeOf(text.charCodeAt(end - 1), text.charCodeAt(end))
      const shift = shifts[place] ?? 0
      if (shift > 0) {
        end += shift
        continue
      }
      const begin = end - shortestForm + 1
      const found = this.#formAt(text, begin, place, isJson)
      if (found === undefined) {
        end++
        continue
      }
      result += text.slice(done, begin) + masked
      done = begin + found.length
      end = done + shortestForm - 1
    }
    return done === 0 ? text : result + text.slice(done)
  }

  #formAt(text: string, begin: number, place: number, isJson: boolean): string | undefined {
    const found = this.#forms.get(place)?.find(form => text.startsWith(form, begin) && !(isJson && isBroken(form)))
    return found !== undefined && isJson && isEscaped(text, begin) ? undefined : found
  }
}

/** It could not stand in JSON text as it is: what looks like it there is something else. */
const isBroken = (form: string): boolean => {
  for (let at = 0; at < form.length; at++) {
    const sign = form[at]
    if (sign === '"' || (sign === "\\" && ++at === form.length)) return true
  }
  return false
}

/** Is the character the second of an escape? */
const isEscaped = (text: string, at: number): boolean => {
  let slashes = 0
  while (text[at - 1 - slashes] === "\\") slashes++
  return slashes % 2 === 1
}

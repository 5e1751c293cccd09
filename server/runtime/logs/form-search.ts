import {shortestForm} from "./forms.ts"

/** A text to look for, of at least `shortestForm` characters. */
export interface Form {
  readonly text: string
}

export interface Hit<F extends Form> {
  readonly begin: number
  readonly form: F
}

/** Does a form count at this position of a text? */
export type Accepts = (form: string, text: string, begin: number) => boolean

export const anywhere: Accepts = () => true

/** The number of places that pairs of characters share in the tables. */
const places = 2 ** 16

const placeOf = (first: number, second: number): number => ((first << 8) ^ second) & (places - 1)

/**
 * Finds any number of forms in one pass over a text, looking at about every seventh character (Wu and Manber's search:
 * shortest form of 8 characters, pairs of them in a table). If several forms begin at the same position, the first in
 * the list is found.
 */
export class FormSearch<F extends Form> {
  readonly #shifts = new Uint8Array(places).fill(shortestForm - 1)
  /** The forms by the place of the last pair that the search looks at. */
  readonly #forms = new Map<number, readonly F[]>()

  constructor(forms: readonly F[]) {
    for (const form of forms) this.#add(form)
  }

  get isEmpty(): boolean {
    return this.#forms.size === 0
  }

  /** Returns the first accepted form in a text at or behind `from`. */
  find(text: string, from: number, accepts: Accepts): Hit<F> | undefined {
    if (this.isEmpty) return undefined
    const shifts = this.#shifts
    let end = from + shortestForm - 1
    while (end < text.length) {
      const place = placeOf(text.charCodeAt(end - 1), text.charCodeAt(end))
      const shift = shifts[place] ?? 0
      if (shift > 0) {
        end += shift
        continue
      }
      const begin = end - shortestForm + 1
      const found = this.#forms
        .get(place)
        ?.find(form => text.startsWith(form.text, begin) && accepts(form.text, text, begin))
      if (found !== undefined) return {begin, form: found}
      end++
    }
    return undefined
  }

  #add(form: F): void {
    for (let at = 1; at < shortestForm; at++) {
      const place = placeOf(form.text.charCodeAt(at - 1), form.text.charCodeAt(at))
      this.#shifts[place] = Math.min(this.#shifts[place] ?? 0, shortestForm - 1 - at)
      if (at === shortestForm - 1) this.#forms.set(place, [...(this.#forms.get(place) ?? []), form])
    }
  }
}

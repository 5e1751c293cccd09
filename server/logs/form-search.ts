import {shortestForm} from "./forms.ts"

/** A text that is looked for; of `shortestForm` characters and more. */
export interface Form {
  readonly text: string
}

/** Where a form stands. */
export interface Hit<F extends Form> {
  readonly begin: number
  readonly form: F
}

/** Does a form that stands in a text here count? */
export type Accepts = (form: string, text: string, begin: number) => boolean

export const anywhere: Accepts = () => true

/** Which of so many places a pair of characters has in the tables. */
const places = 2 ** 16

const placeOf = (first: number, second: number): number => ((first << 8) ^ second) & (places - 1)

/**
 * Finds forms in a text by one pass that looks at every seventh character or so, however many there are (Wu and Manber's
 * search: shortest form of 8 characters, pairs of them in a table). Of forms that begin at one place, the first given is found.
 */
export class FormSearch<F extends Form> {
  readonly #shifts = new Uint8Array(places).fill(shortestForm - 1)
  /** The forms by the place of the last pair that the search looks at. */
  readonly #forms = new Map<number, readonly F[]>()

  constructor(forms: readonly F[]) {
    for (const form of forms) this.#add(form)
  }

  /** Nothing is looked for. */
  get isEmpty(): boolean {
    return this.#forms.size === 0
  }

  /** The first form that stands in a text at `from` or behind it, and that is accepted. */
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

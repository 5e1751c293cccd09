import {formsOf, shortestForm} from "../logs/forms.ts"

/** Names of secrets and their values. */
export type SecretValues = Readonly<Record<string, string>>

interface Form {
  readonly text: string
  readonly name: string
}

const places = 2 ** 16

const placeOf = (first: number, second: number): number => ((first << 8) ^ second) & (places - 1)

/**
 * Looks for the values of secrets (8 characters and more) in every form of `formsOf`: one pass over a text, however many
 * there are, that looks at every seventh character or so (Wu and Manber's search).
 */
export class SecretSearch {
  readonly #shifts = new Uint8Array(places).fill(shortestForm - 1)
  readonly #forms = new Map<number, readonly Form[]>()

  constructor(secrets: SecretValues) {
    for (const [name, value] of Object.entries(secrets)) {
      if (value.length < shortestForm) continue
      for (const form of formsOf(value)) {
        this.#add({text: form, name})
        // Bytes are searched as Latin-1.
        const bytes = Buffer.from(form).toString("latin1")
        if (bytes !== form) this.#add({text: bytes, name})
      }
    }
  }

  /** Nothing is looked for. */
  get isEmpty(): boolean {
    return this.#forms.size === 0
  }

  /** The name of the first secret that the text holds. */
  find(text: string): string | undefined {
    if (this.isEmpty) return undefined
    const shifts = this.#shifts
    let end = shortestForm - 1
    while (end < text.length) {
      const place = placeOf(text.charCodeAt(end - 1), text.charCodeAt(end))
      const shift = shifts[place] ?? 0
      if (shift === 0) {
        const begin = end - shortestForm + 1
        const found = this.#forms.get(place)?.find(form => text.startsWith(form.text, begin))
        if (found !== undefined) return found.name
      }
      end += Math.max(shift, 1)
    }
    return undefined
  }

  /** Of a file's bytes. */
  findIn(bytes: Uint8Array): string | undefined {
    return this.find(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1"))
  }

  #add(form: Form): void {
    for (let at = 1; at < shortestForm; at++) {
      const place = placeOf(form.text.charCodeAt(at - 1), form.text.charCodeAt(at))
      this.#shifts[place] = Math.min(this.#shifts[place] ?? 0, shortestForm - 1 - at)
      if (at === shortestForm - 1) this.#forms.set(place, [...(this.#forms.get(place) ?? []), form])
    }
  }
}

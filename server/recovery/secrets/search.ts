import {anywhere, type Form, FormSearch} from "../../runtime/logs/form-search.ts"
import {formsOf, shortestForm} from "../../runtime/logs/forms.ts"

/** The values of secrets, by their names. */
export type SecretValues = Readonly<Record<string, string>>

interface NamedForm extends Form {
  readonly name: string
}

/** How many characters of a form to search in halves: fewer than SQLite's smallest page of 512 bytes has. */
const longestBegin = 64

/** Searches for the values of secrets (8 characters and more) in every form of `formsOf`. */
export class SecretSearch {
  readonly #forms: readonly NamedForm[]
  readonly #search: FormSearch<NamedForm>

  constructor(secrets: SecretValues) {
    const values = Object.entries(secrets).filter(([, value]) => value.length >= shortestForm)
    this.#forms = values.flatMap(([name, value]) => textsOf(value).map(text => ({text, name})))
    this.#search = new FormSearch(this.#forms)
  }

  /** Returns a search for both halves of each form's start: a cut form has one. Undefined if a half is too short. */
  halves(): FormSearch<Form> | undefined {
    const begins = this.#forms.map(({text}) => text.slice(0, longestBegin))
    if (begins.some(({length}) => length < 2 * shortestForm)) return undefined
    return new FormSearch(
      begins.flatMap(begin => {
        const middle = Math.ceil(begin.length / 2)
        return [{text: begin.slice(0, middle)}, {text: begin.slice(middle)}]
      }),
    )
  }

  get isEmpty(): boolean {
    return this.#search.isEmpty
  }

  /** The length of the longest form, in characters. */
  get longest(): number {
    return Math.max(0, ...this.#forms.map(({text}) => text.length))
  }

  /** Returns the name of the first secret in a text. */
  find(text: string): string | undefined {
    return this.#search.find(text, 0, anywhere)?.form.name
  }

  /** Returns the name of the first secret in bytes. */
  findIn(bytes: Uint8Array): string | undefined {
    return this.find(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1"))
  }
}

/** Returns every form as text, and as bytes in Latin-1 if they differ. */
const textsOf = (value: string): string[] => {
  const forms = formsOf(value)
  return [...new Set([...forms, ...forms.map(form => Buffer.from(form).toString("latin1"))])]
}

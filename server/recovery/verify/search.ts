import {anywhere, type Form, FormSearch} from "../../logs/form-search.ts"
import {formsOf, shortestForm} from "../../logs/forms.ts"

/** Names of secrets and their values. */
export type SecretValues = Readonly<Record<string, string>>

interface NamedForm extends Form {
  readonly name: string
}

/** So many characters of a form are looked for in halves: fewer than a page of SQLite's has, the smallest of which is of 512 bytes. */
const longestBegin = 64

/** Looks for the values of secrets (8 characters and more) in every form of `formsOf`. */
export class SecretSearch {
  readonly #forms: readonly NamedForm[]
  readonly #search: FormSearch<NamedForm>

  constructor(secrets: SecretValues) {
    const values = Object.entries(secrets).filter(([, value]) => value.length >= shortestForm)
    this.#forms = values.flatMap(([name, value]) => textsOf(value).map(text => ({text, name})))
    this.#search = new FormSearch(this.#forms)
  }

  /** Both halves of each form's beginning: a form that is cut in two has one of them whole. Undefined where one would be too short. */
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

  /** Nothing is looked for. */
  get isEmpty(): boolean {
    return this.#search.isEmpty
  }

  /** The characters of the longest form. */
  get longest(): number {
    return Math.max(0, ...this.#forms.map(({text}) => text.length))
  }

  /** The name of the first secret that the text holds. */
  find(text: string): string | undefined {
    return this.#search.find(text, 0, anywhere)?.form.name
  }

  /** Of a file's bytes. */
  findIn(bytes: Uint8Array): string | undefined {
    return this.find(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1"))
  }
}

/** Every form as text, and as bytes where they differ: those are searched as Latin-1. */
const textsOf = (value: string): string[] => {
  const forms = formsOf(value)
  return [...new Set([...forms, ...forms.map(form => Buffer.from(form).toString("latin1"))])]
}

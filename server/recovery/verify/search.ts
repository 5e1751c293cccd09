import {anywhere, type Form, FormSearch} from "../../logs/form-search.ts"
import {formsOf, shortestForm} from "../../logs/forms.ts"

/** Names of secrets and their values. */
export type SecretValues = Readonly<Record<string, string>>

interface NamedForm extends Form {
  readonly name: string
}

/** Looks for the values of secrets (8 characters and more) in every form of `formsOf`. */
export class SecretSearch {
  readonly #search: FormSearch<NamedForm>

  constructor(secrets: SecretValues) {
    const values = Object.entries(secrets).filter(([, value]) => value.length >= shortestForm)
    this.#search = new FormSearch(values.flatMap(([name, value]) => textsOf(value).map(text => ({text, name}))))
  }

  /** Nothing is looked for. */
  get isEmpty(): boolean {
    return this.#search.isEmpty
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

import {hideCredentials, masked} from "./credentials.ts"
import {type Accepts, anywhere, type Form, FormSearch} from "./form-search.ts"
import {formsOf, shortestForm} from "./forms.ts"

/** Replaces hidden values in text, in every form of `formsOf`, in one pass for any number of values. */
export class Mask {
  readonly #secrets = new Set<string>()
  #search = new FormSearch<Form>([])
  /** The length of the longest form: who cuts a text passes that many more characters to the mask, then drops them. */
  reach = 0

  /** Hides more values. Skips those of fewer than 8 characters. */
  hide(secrets: readonly string[]): void {
    const fresh = secrets.filter(secret => secret.length >= shortestForm && !this.#secrets.has(secret))
    if (fresh.length === 0) return
    for (const secret of fresh) this.#secrets.add(secret)
    const forms = [...new Set([...this.#secrets].flatMap(formsOf))].sort((one, other) => other.length - one.length)
    this.#search = new FormSearch(forms.map(text => ({text})))
    this.reach = forms[0]?.length ?? 0
  }

  /** Returns a text without hidden values, and without credentials that the text before them identifies. */
  text(text: string): string {
    return hideCredentials(this.#replace(text, anywhere))
  }

  /** The same for JSON, which stays valid. Keeps credentials that were not registered. */
  json(text: string): string {
    return this.#replace(text, (form, text, begin) => !isBroken(form) && !isEscaped(text, begin))
  }

  #replace(text: string, accepts: Accepts): string {
    let result = ""
    let done = 0
    for (;;) {
      const hit = this.#search.find(text, done, accepts)
      if (hit === undefined) return done === 0 ? text : result + text.slice(done)
      result += text.slice(done, hit.begin) + masked
      done = hit.begin + hit.form.text.length
    }
  }
}

/** True if the form cannot appear unescaped in JSON text: a match there is something else. */
const isBroken = (form: string): boolean => {
  for (let at = 0; at < form.length; at++) {
    const sign = form[at]
    if (sign === '"' || (sign === "\\" && ++at === form.length)) return true
  }
  return false
}

/** Is the character the second one of an escape? */
const isEscaped = (text: string, at: number): boolean => {
  let slashes = 0
  while (text[at - 1 - slashes] === "\\") slashes++
  return slashes % 2 === 1
}

import type {Element} from "../../../../shared/sdk/sdk.ts"

/** How many of the newest forms are kept. */
const most = 1000

/** The sent forms, by the ids of their buttons, because Discord does not keep their fields. */
export class SentForms {
  readonly #forms = new Map<string, Element>()

  add(forms: readonly Element[]): void {
    for (const form of forms) this.#forms.set(String(form.attrs.id), form)
    for (const id of this.#forms.keys()) {
      if (this.#forms.size <= most) break
      this.#forms.delete(id)
    }
  }

  readonly find = (id: string): Element | undefined => this.#forms.get(id)
}

import {tick} from "svelte"
import {Refusal} from "../../../host/client.ts"
import {describeRefusal} from "../../../host/explain.ts"
import {getSession} from "../../../state/session.svelte.ts"
import {texts} from "../../../texts/texts.ts"
import type {Check} from "./check.svelte.ts"

export interface SavingOptions {
  /** The number of findings of the page. */
  readonly own: () => number
  /** The number of findings of the page and the Host together. */
  readonly all: () => number
  readonly check: Check
  readonly form: () => HTMLFormElement | undefined
}

export interface Save {
  /** The title of the notice. */
  readonly title: string
  store(): Promise<unknown>
  /** The notice once it is stored. */
  readonly said: string
  done(): Promise<void> | void
  /** Handles a refusal by its code. Returns true if it needs no other message. */
  refused?(refusal: Refusal): Promise<boolean> | boolean
}

/** Saves a form, one attempt at a time. A form with findings focuses the first of them instead. */
export class Saving {
  /** From the first attempt on, empty fields show their errors too. */
  isTried = $state(false)
  isSaving = $state(false)
  /** Why the attempt failed; empty if it did not. */
  failure = $state("")
  readonly #options: SavingOptions
  readonly #notices = getSession().notices

  constructor(options: SavingOptions) {
    this.#options = options
  }

  async save(save: Save): Promise<void> {
    if (this.isSaving) return
    this.isSaving = true
    this.isTried = true
    this.failure = ""
    let isDone = false
    try {
      if (await this.#hasFindings()) return
      let refused: unknown
      isDone = await this.#notices.perform({
        title: save.title,
        run: () =>
          save.store().catch((error: unknown) => {
            refused = error
            throw error
          }),
        say: () => save.said,
      })
      if (isDone) await save.done()
      else await this.fail(refused, save.refused)
    } finally {
      // A saved form is about to close; its own change is not a conflict.
      this.isSaving = isDone
    }
  }

  async fail(error: unknown, refused: Save["refused"] = () => false): Promise<void> {
    const {kept} = texts.scheduling
    if (!(error instanceof Refusal)) this.failure = `${error instanceof Error ? error.message : String(error)}. ${kept}`
    else if (!(await refused(error))) this.failure = describeRefusal(error)
    await this.#show("[role=alert]", alert => alert.scrollIntoView({block: "nearest"}))
  }

  async #hasFindings(): Promise<boolean> {
    const {own, all, check} = this.#options
    if (own() === 0 && ((await check.now())?.findings.length ?? 0) === 0) return false
    this.failure = texts.scheduling.correct(all())
    await this.#show('[aria-invalid="true"]', field => field.focus())
    return true
  }

  async #show(selector: string, how: (found: HTMLElement) => void): Promise<void> {
    await tick()
    const found = this.#options.form()?.querySelector<HTMLElement>(selector)
    if (found) how(found)
  }
}

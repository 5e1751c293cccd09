import {tick} from "svelte"
import {Refusal} from "../../../host/client.ts"
import {describeRefusal} from "../../../host/explain.ts"
import {getSession} from "../../../state/session.svelte.ts"
import {texts} from "../../../texts.ts"
import type {Check} from "./check.svelte.ts"

export interface SavingOptions {
  /** How many findings the page has by itself. */
  readonly own: () => number
  /** How many findings page and Host have together. */
  readonly all: () => number
  readonly check: Check
  readonly form: () => HTMLFormElement | undefined
}

export interface Save {
  /** Names the deed in the notices. */
  readonly title: string
  store(): Promise<unknown>
  /** What the notice says once it is stored. */
  readonly said: string
  done(): Promise<void> | void
  /** What a form does about a refusal by its code. True where nothing more is to be said of it. */
  refused?(refusal: Refusal): Promise<boolean> | boolean
}

/** Saves what a form holds, one attempt at a time: a form that has findings shows the first of them instead. */
export class Saving {
  /** From the first attempt on, fields that nobody filled in are wrong too. */
  isTried = $state(false)
  isSaving = $state(false)
  /** Why nothing was saved; empty where nothing went wrong. */
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
      // A form that is done goes: what it would show of its own change is no conflict.
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

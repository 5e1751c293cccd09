import type {ConfigApplied, ConfigChange, ConfigPreview} from "../../../../../../shared/api/configuration/file.ts"
import {type HostClient, Refusal} from "../../../host/client.ts"
import {describeRefusal} from "../../../host/explain.ts"

/** Previews one change, then applies it. The input itself is kept elsewhere, so a failed attempt never loses it. */
export class Review {
  preview = $state.raw<ConfigPreview>()
  applied = $state.raw<ConfigApplied>()
  /** Has the file changed since it was read? */
  isConflict = $state(false)
  failure = $state("")
  isBusy = $state(false)
  readonly #client: HostClient
  #hash = ""
  /** The hashes of the last write, before and after: the page may not have read the file again yet. */
  #written = {from: "", to: ""}

  constructor(client: HostClient) {
    this.#client = client
  }

  /** `hash` is the hash of the file on which the changes are based. */
  look(hash: string, changes: readonly ConfigChange[]): Promise<void> {
    return this.#do(async () => {
      this.applied = undefined
      this.preview = undefined
      this.#hash = hash === this.#written.from ? this.#written.to : hash
      const asked = {hash: this.#hash, changes, draft: true}
      this.preview = await this.#client.post("/api/config/preview", {body: asked})
    })
  }

  /** Resolves to whether the file was written. */
  async apply(): Promise<boolean> {
    const {preview} = this
    if (preview === undefined) return false
    await this.#do(async () => {
      const restart = preview.restart.length > 0 ? {restart: true} : {}
      const sent = {hash: this.#hash, text: preview.text, ...restart}
      this.applied = await this.#client.post("/api/config", {body: sent})
      if (this.applied.written) this.#written = {from: this.#hash, to: this.applied.hash}
      this.preview = undefined
    })
    return this.applied?.written === true
  }

  close(): void {
    this.preview = undefined
    this.failure = ""
  }

  async #do(ask: () => Promise<void>): Promise<void> {
    this.isBusy = true
    this.isConflict = false
    this.failure = ""
    try {
      await ask()
    } catch (error) {
      if (error instanceof Refusal && error.code === "config_changed") {
        this.isConflict = true
        this.preview = undefined
      } else this.failure = describeRefusal(error)
    }
    this.isBusy = false
  }
}

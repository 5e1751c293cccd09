import {fromJson} from "../../../shared/json.ts"
import {messageOf} from "../../../shared/problems.ts"
import {withDeadline} from "../../../shared/sdk/adapter/deadline.ts"
import {type Content, nodesOf} from "../../../shared/sdk/content/elements.ts"
import {markdown} from "../../../shared/sdk/content/shorthands.ts"
import type {Reader} from "../../database/database.ts"
import {longestMarkdown, messageDraft, type OutboxDraft, shownBy} from "../../outbox/draft.ts"
import {findMessage} from "../../outbox/look-ups.ts"
import {readMarkdown} from "../../outbox/read-markdown.ts"
import {uuid} from "../../runtime/uuid.ts"
import type {Attempt} from "./attempt.ts"
import {type AgentRun, shownIn} from "./run-rows.ts"

/** When the first text is shown after it arrives, and how often it is updated, in milliseconds. */
const firstAfter = 1000
const every = 1500

/** The time limit for an intermediate edit, in milliseconds. */
const editLimit = 10_000

/** A longer text is shown only once it is complete, unless the platform's limit is lower. */
const longestShown = 3500

/** The mark after text that is not complete. */
const more = " …"

/** Returns a run's message to its conversation, if any: an edit of the one that it streams to. */
export const sayingOf = (
  run: Pick<AgentRun, "endpoint" | "channel" | "item" | "isSummary" | "message">,
  content: Content,
): readonly OutboxDraft[] => {
  const place = shownIn(run)
  if (place === undefined) return []
  const {message} = run
  if (message === undefined) return [messageDraft(place, content)]
  return [{id: uuid(), ...place, kind: "edit", content: {message: {outbox: message}, content: nodesOf(content)}}]
}

/** Returns a model's Markdown as content; as text if it is too long to be read. */
export const answerOf = (text: string): Content => (text.length > longestMarkdown ? text : markdown(text))

/**
 * Shows an answer while the model writes it, if the platform can edit messages. The message is a row before it is sent.
 * Edits in between are best effort, without rows. The last edit is again a row, stored with the run's end.
 */
export class StreamedAnswer {
  readonly #attempt: Attempt
  /** Undefined if nothing is shown before the end. */
  readonly #place: ReturnType<typeof shownIn>
  #text = ""
  #shown = ""
  #timer: (() => void) | undefined
  #showing: Promise<void> | undefined
  #isOver = false

  constructor(attempt: Attempt) {
    this.#attempt = attempt
    const place = shownIn(attempt.run)
    this.#place = place !== undefined && attempt.engine.endpoints.hasFeature(place.endpoint, "edit") ? place : undefined
  }

  readonly add = (text: string): void => {
    this.#text += text
    if (this.#place !== undefined) this.#wake(this.#attempt.run.message === undefined ? firstAfter : every)
  }

  /** Stops showing text. */
  async end(): Promise<void> {
    this.#isOver = true
    this.#timer?.()
    await this.#showing
  }

  #wake(pause: number): void {
    if (this.#timer !== undefined || this.#showing !== undefined || this.#isOver) return
    const {clock, log} = this.#attempt.engine
    this.#timer = clock.wait(pause, () => {
      this.#timer = undefined
      this.#showing = this.#show()
        .catch(error => log.debug(`could not stream an answer: ${messageOf(error)}`))
        .finally(() => {
          this.#showing = undefined
          if (this.#text !== this.#shown) this.#wake(every)
        })
    })
  }

  async #show(): Promise<void> {
    if (this.#place === undefined) return
    const {endpoint, channel} = this.#place
    const {engine, run} = this.#attempt
    const text = engine.hide(this.#text)
    const found = engine.endpoints.get(endpoint)
    const longest = Math.min(longestShown, found?.spec.limits.text ?? longestShown)
    if (text.trim() === "" || text.length + more.length > longest) return
    this.#shown = this.#text
    if (run.message === undefined) return this.#begin({endpoint, channel}, text)
    const row = await findMessage(engine.database, run.message)
    const [message] = row?.state === "sent" ? (fromJson(String(row.platform_ids ?? "[]")) as string[]) : []
    if (message === undefined || this.#isOver) return
    const draft = await readMarkdown(messageDraft({endpoint, channel}, answerOf(text + more)))
    const edit = {id: uuid(), channel, message, content: shownBy(draft)}
    await withDeadline(editLimit, signal => found?.sender?.edit?.(edit, signal))
  }

  async #begin(address: {endpoint: string; channel: string}, text: string): Promise<void> {
    const draft = await readMarkdown(messageDraft(address, answerOf(text + more)))
    const isStored = async (database: Reader) => (await findMessage(database, draft.id)) !== undefined
    await this.#attempt.write({run: {message: draft.id}, sends: [draft]}, isStored)
  }
}

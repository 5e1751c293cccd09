import {expect} from "vitest"
import type {Answer, Ledger, StoredMessage} from "../messages/kill-ledger.ts"
import {actFor} from "./bot.ts"
import type {KillPlatform, Shown} from "./platform.ts"

export interface Answers {
  readonly handled: number
  readonly answered: number
  readonly unknown: number
  readonly repeats: number
  /** Repetitions that the platform dropped, or that a receiver recognizes by id. */
  readonly toldApart: number
  /** Messages that are `sent` and not shown. */
  readonly lost: readonly string[]
  /** Messages that are shown more often than promised. */
  readonly doubled: readonly string[]
}

/** The kinds of messages that the bot sends for each act, in order. */
const kinds = {
  answer: ["message"],
  edit: ["message", "edit"],
  react: ["reaction", "message"],
  delete: ["message", "delete", "message"],
} as const

/** Each event is handled, or dead after two kills. Handled, it left its messages exactly once; dead, none. */
const checkLeft = (platform: KillPlatform, {text, states}: StoredMessage, left: readonly Answer[]) => {
  expect({text, states}).toEqual({text, states: expect.stringMatching(/^(handled|dead)$/)})
  const wanted = states === "dead" ? [] : kinds[actFor(platform, text)]
  expect({text, left: left.map(({kind}) => kind)}).toEqual({text, left: wanted})
}

/** Nothing is pending. What may have arrived is `unknown` where repetitions are not dropped; an act on it fails. */
const checkStates = ({dropsRepeats}: KillPlatform, left: readonly Answer[]) => {
  const first = left[0]
  const isAct = ({kind}: Answer) => kind === "edit" || kind === "delete"
  const fits = (answer: Answer) =>
    answer.state === "sent" ||
    (!dropsRepeats && answer.state === "unknown" && answer.reason === "host_ended") ||
    (isAct(answer) && answer.state === "failed" && answer.reason === "message_not_sent" && first?.state === "unknown")
  expect(left.filter(answer => !fits(answer))).toEqual([])
}

/**
 * The wrong findings. No connection ends while a Host runs, so only a message that a kill interrupted is sent again, on
 * a platform that drops repetitions: each message is shown at most once (docs/outbox.md, Failures).
 */
class Findings {
  readonly lost: string[] = []
  readonly doubled: string[] = []
  toldApart = 0
  readonly #platform: KillPlatform
  readonly #shown: readonly Shown[]

  constructor(platform: KillPlatform, shown: readonly Shown[]) {
    this.#platform = platform
    this.#shown = shown
  }

  /** `texts` are the past texts of the message; `deletion` is the act that deleted it. */
  count(answer: Answer, texts: readonly string[], quote: string | undefined, deletion?: Answer): void {
    const found = this.#shown.filter(({text}) => texts.includes(text))
    const times = this.#platform.tellsRepeats ? new Set(found.map(({id}) => id)).size : found.length
    const about = JSON.stringify({answer, deletion, found})
    if (times === 0 && answer.state === "sent" && deletion === undefined) this.lost.push(about)
    if (times > (deletion?.state === "sent" ? 0 : 1)) this.doubled.push(about)
    this.toldApart += found.length - times
    if (quote !== undefined) expect(found.map(({quotes}) => quotes)).toEqual(found.map(() => quote))
  }

  /** Checks everything that the bot sent about one text. */
  check(text: string, left: readonly Answer[]): void {
    const [first, second] = left.filter(({kind}) => kind === "message")
    const act = left.find(({kind}) => kind === "edit" || kind === "delete")
    const quote = this.#platform.name === "irc" ? undefined : text
    if (first === undefined) return
    if (act?.kind === "delete") this.count(first, [`gone ${text}`], undefined, act)
    else this.count(first, act === undefined ? [`to ${text}`] : [`draft ${text}`, `to ${text}`], quote)
    if (second !== undefined) this.count(second, [`to ${text}`], quote)
    const isEdited = () => this.#shown.some(each => each.text === `to ${text}`)
    if (act?.kind === "edit" && act.state === "sent" && !isEdited()) this.lost.push(`the edit to ${text}`)
  }
}

/** Compares what the Host stored with what the platform shows. */
export const checkAnswers = async (platform: KillPlatform, {events, answers}: Ledger): Promise<Answers> => {
  const endpoint = `${platform.name}~one`
  const messages = events.filter(event => event.endpoint === endpoint && event.type === "message-created")
  const own = answers.filter(answer => answer.endpoint === endpoint)
  const bySeq = Map.groupBy(own, ({seq}) => seq)
  const [shown, liked] = await Promise.all([platform.shown(), platform.liked()])
  const findings = new Findings(platform, shown)
  for (const event of messages) {
    const left = bySeq.get(event.seq) ?? []
    checkLeft(platform, event, left)
    checkStates(platform, left)
    findings.check(event.text, left)
    const reaction = left.find(({kind}) => kind === "reaction")
    const likes = liked.filter(text => text === event.text).length
    if (reaction?.state === "sent" && likes === 0) findings.lost.push(`the reaction to ${event.text}`)
    if (likes > (reaction === undefined ? 0 : 1)) findings.doubled.push(`the reaction to ${event.text}`)
  }
  // The bot sent nothing else, and every message belongs to an event.
  const texts = new Set(messages.flatMap(({text}) => ["to", "draft", "gone"].map(word => `${word} ${text}`)))
  expect(shown.filter(({text}) => !texts.has(text))).toEqual([])
  const seqs = new Set(messages.map(({seq}) => seq))
  expect(own.filter(({seq}) => !seqs.has(seq))).toEqual([])
  const repeats = own.reduce((sum, {attempt}) => sum + Math.max(0, attempt - 1), 0)
  const toldApart = findings.toldApart + (platform.dropped?.() ?? 0)
  expect(toldApart).toBeLessThanOrEqual(repeats)
  const handled = messages.filter(({states}) => states === "handled")
  return {
    handled: handled.length,
    answered: handled.filter(({text}) => shown.some(each => each.text === `to ${text}`)).length,
    unknown: own.filter(({state}) => state === "unknown").length,
    repeats,
    toldApart,
    lost: findings.lost,
    doubled: findings.doubled,
  }
}

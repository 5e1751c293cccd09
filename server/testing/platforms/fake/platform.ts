/** A request that a fake has received. */
export interface PlatformRequest {
  /** `sendMessage` of Telegram, `chat.postMessage` of Slack, `POST /channels/600/messages` of Discord. */
  readonly method: string
  /** The fields of the request, from its query, form or JSON. */
  readonly body: Readonly<Record<string, unknown>>
}

/** An answer in place of the fake's own. */
export interface Refusal {
  /** The HTTP status. */
  readonly status: number
  /** The JSON of the answer, in the platform's form. */
  readonly body?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
}

/** An answer that a test orders: a refusal, or a result in the platform's form. */
type Ordered = Refusal | {readonly result: unknown}

/** Matches a method; `:id` stands for any part of a path. */
export const patternOf = (method: string): RegExp =>
  new RegExp(`^${method.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/:\w+/g, "([^/]+)")}$`)

/** The requests that a fake has received, and the answers to those to come that a test has ordered. */
export class Requests {
  /** The methods that the fake answers on its own. */
  readonly known: readonly string[]
  readonly received: PlatformRequest[] = []
  readonly #platform: string
  readonly #ordered: {readonly method: RegExp; readonly answer: Ordered}[] = []

  constructor(platform: string, methods: object) {
    this.#platform = platform
    this.known = Object.keys(methods)
  }

  /** Orders the answer to the next request of a method. */
  order(method: string, answer: Ordered): void {
    this.#ordered.push({method: patternOf(method), answer})
  }

  /** Records a request. Returns its ordered answer. */
  take(method: string, body: PlatformRequest["body"]): Ordered | undefined {
    this.received.push({method, body})
    const index = this.#ordered.findIndex(ordered => ordered.method.test(method))
    return index < 0 ? undefined : this.#ordered.splice(index, 1)[0]?.answer
  }

  /** Returns why the fake cannot answer. Tells it on standard error too, because a platform's error may have no text. */
  unknown(method: string): string {
    const text = `the protocol fake of ${this.#platform} does not know ${method}: order its answer with answerNext(), or call one of ${this.known.join(", ")}`
    process.stderr.write(`svc-runtime/test/platforms: ${text}\n`)
    return text
  }
}

/** A message of a person. */
export interface Said {
  readonly text: string
  /** Digits. */
  readonly user?: string
  /** Digits; defaults to the user's direct chat. */
  readonly chat?: string
}

/** A message of the bot in its current form on the platform. */
export interface Sent {
  readonly id: string
  readonly chat: string
  readonly text: string
  readonly edits: number
}

/** The common interface of the fake platforms, so that one test covers them all. */
export interface FakePlatform {
  readonly url: string
  /** Delivers messages of people together. */
  say(...said: readonly Said[]): void
  /** Delivers a person's last message again, with the same id. */
  repeat(): void
  /** The bot's messages, oldest first. */
  sent(): readonly Sent[]
  /** Refuses the next `times` sends with 429 and one second to wait. */
  limit(times: number): void
  /** The number of sends refused with 429. */
  limited(): number
  /** While true, each send loses its connection without an answer, and is not shown. */
  loseSends(isLost: boolean): void
  /** The number of sends that lost their connection. */
  lost(): number
  /** How often a bot has polled or connected. */
  arrivals(): number
}

/** The troubles of a fake: the sends that it refuses or loses, and their control for tests. */
export const createTroubles = () => {
  const counts = {limit: 0, limited: 0, lost: 0}
  let isLosing = false
  const controls: Pick<FakePlatform, "limit" | "limited" | "loseSends" | "lost"> = {
    limit: times => {
      counts.limit = times
    },
    limited: () => counts.limited,
    loseSends: isLost => {
      isLosing = isLost
    },
    lost: () => counts.lost,
  }
  return {
    controls,
    /** Whether this send is refused with 429. */
    refuses: (): boolean => {
      if (counts.limit === 0) return false
      counts.limit--
      counts.limited++
      return true
    },
    /** Whether this send is lost without an answer. */
    loses: (): boolean => {
      if (isLosing) counts.lost++
      return isLosing
    },
  }
}

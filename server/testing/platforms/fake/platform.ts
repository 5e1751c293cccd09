/** A request that a fake has received. */
export interface PlatformRequest {
  /** `sendMessage` of Telegram, `chat.postMessage` of Slack, `POST /channels/600/messages` of Discord. */
  readonly method: string
  /** The fields of the request, from its query, form or JSON. */
  readonly body: Readonly<Record<string, unknown>>
}

/** An HTTP answer of a fake. */
export interface FakeAnswer {
  readonly status: number
  /** JSON in the platform's form; a text is sent as it is. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** An answer in place of the fake's own. */
export interface Refusal extends FakeAnswer {
  readonly body?: Readonly<Record<string, unknown>> | string
}

/** Matches a method; `:id` stands for any part of a path. */
export const patternOf = (method: string): RegExp =>
  new RegExp(`^${method.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/:\w+/g, "([^/]+)")}$`)

/** The requests that a fake has received, and the answers to those to come that a test has ordered. */
export class Requests {
  /** The methods that the fake answers on its own. */
  readonly known: readonly string[]
  readonly received: PlatformRequest[] = []
  readonly #platform: string
  /** While true, each send loses its connection without an answer, and is not shown. */
  isLosing = false
  readonly #orders = new Set<{readonly method: RegExp; readonly answer: FakeAnswer; behind: number; times: number}>()

  constructor(platform: string, methods: object) {
    this.#platform = platform
    this.known = Object.keys(methods)
  }

  /** Orders the answer to the next requests of a method, or to those after the next `behind` ones. */
  order(method: string | RegExp, answer: FakeAnswer, {behind = 0, times = 1} = {}): void {
    this.#orders.add({method: typeof method === "string" ? patternOf(method) : method, answer, behind, times})
  }

  /** Forgets the ordered answers. */
  clear(): void {
    this.#orders.clear()
  }

  /** Records a request. Returns its ordered answer. */
  take(method: string, body: PlatformRequest["body"]): FakeAnswer | undefined {
    this.received.push({method, body})
    for (const order of this.#orders) {
      if (!order.method.test(method) || order.behind-- > 0) continue
      if (--order.times <= 0) this.#orders.delete(order)
      return order.answer
    }
    return undefined
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

/** Who presses which message's button. */
export interface Act {
  readonly user?: string | undefined
  readonly message?: string | undefined
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
  /** Refuses the next send, with this many milliseconds to wait. */
  slowDown(milliseconds: number): void
  readonly requests: Requests
  /** How often a bot has polled or connected. */
  arrivals(): number
}

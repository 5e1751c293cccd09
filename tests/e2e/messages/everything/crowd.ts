import {setTimeout as sleep} from "node:timers/promises"
import {type TestHost, until} from "../../../support/host/host.ts"
import {type Wish, wishes} from "./bot.ts"

/** What a person said to the bot; the word is the event's id. */
export interface Said {
  readonly wish: Wish
  readonly word: string
}

export interface Crowd {
  /** Everything that was said, oldest first. After `stop`, the Host has acknowledged all of it. */
  readonly said: readonly Said[]
  /** Sets the Host to which they speak. Undefined while it is offline. */
  aim(host: TestHost | undefined): void
  /** Waits until the Host has acknowledged this many more events. */
  untilAcknowledged(more: number): Promise<unknown>
  stop(): Promise<void>
}

/** People who ask the bot for one thing after another in the sandbox. They repeat each event until it is acknowledged. */
export const startCrowd = (count: number): Crowd => {
  const said: Said[] = []
  let host: TestHost | undefined
  let acknowledged = 0
  let stopped = false

  /** Repeats a request until a Host answers it. */
  const insist = async <T>(request: (host: TestHost) => Promise<T | false>): Promise<T> => {
    for (;;) {
      const answer = host === undefined ? false : await request(host).catch(() => false as const)
      if (answer !== false) return answer
      await sleep(10)
    }
  }

  const send = async (path: string, event: object): Promise<number> => {
    const {sn} = await insist(at => at.plugin<{sn: number}>(`/api/plugins/sandbox/${path}`, event))
    acknowledged++
    return sn
  }

  const person = async (channel: string, first: number) => {
    for (let n = first; !stopped; n++) {
      const wish = wishes[n % wishes.length] ?? "ask"
      const word = `${channel}.${n}`
      said.push({wish, word})
      const sn = await send("messages", {id: word, text: `/${wish} ${word}`, channel, user: channel})
      if (wish === "ask") {
        const message = await insist(async at => {
          const {replies} = await at.get("/api/inbox/:seq", {seq: sn})
          return replies[0] ?? false
        })
        await send("press", {id: `press ${word}`, button: `${message}:1`, message, channel, user: channel})
      }
      await sleep(30)
    }
  }

  const running = Promise.all(Array.from({length: count}, (_, n) => person(`c${n}`, n)))
  return {
    said,
    aim: next => {
      host = next
    },
    untilAcknowledged: more => {
      const enough = acknowledged + more
      return until(`${more} events to be acknowledged`, () => acknowledged >= enough, 300_000)
    },
    stop: async () => {
      stopped = true
      await running
    },
  }
}

import {setTimeout as sleep} from "node:timers/promises"
import {openDatabase} from "../../server/database/database.ts"
import type {TestHost} from "./host.ts"
import {pluginWith} from "./plugin-sources.ts"
import {until} from "./process.ts"
import {deliver, secretOf} from "./webhooks.ts"

export const killSecret = secretOf("kill loop")

/**
 * Answers each message twice: to its partner, whose platform drops repetitions, and to the sandbox, whose does not. Its
 * route tells how many marks and messages have not ended.
 */
export const twofoldPlugin = pluginWith(`
    plugin.on("message-created", async session => {
      await session.send("to " + session.text)
      await session.send("log " + session.text, {endpoint: "sandbox", channel: "log"})
    })
    plugin.route({
      method: "GET",
      path: "/open",
      scope: "full",
      summary: "What has not ended",
      handle: async (_, call) => {
        const [row] = await plugin.database.read(
          "SELECT (SELECT count(*) FROM inbox_marks WHERE state IN ('pending', 'running')) AS marks,"
            + " (SELECT count(*) FROM outbox WHERE state IN ('queued', 'sending')) AS messages")
        return call.json(Type.Object({}), {marks: Number(row!.marks), messages: Number(row!.messages)})
      },
    })`)

export const killConfig = (receiver: string): string => `log_level: warn
http:
  port: 0
  token: \${HTTP_TOKEN}
plugins:
  sandbox: {}
  twofold: {}
  webhook:
    endpoints:
      - id: shop
        url: ${receiver}
        secrets:
          - \${KILL_SECRET}
`

interface Open {
  readonly marks: number
  readonly messages: number
}

/** Waits until no handler waits or runs, and, where asked, no message either. */
export const drained = (host: TestHost, what: "marks" | "all"): Promise<unknown> =>
  until(
    "the backlog to be handled",
    async () => {
      const {marks, messages} = await host.get<Open>("/api/plugins/twofold/open")
      return marks === 0 && (what === "marks" || messages === 0)
    },
    60_000,
  )

export interface Partners {
  /** The ids that a 2xx was answered for. */
  readonly acknowledged: ReadonlySet<string>
  /** Where they post to from now on; undefined while the Host is away. */
  aim(host: TestHost | undefined): void
  stop(): Promise<void>
}

/** Partners that post signed webhooks all the time, and deliver each again, under its id, until it is acknowledged. */
export const startPartners = (count: number): Partners => {
  const acknowledged = new Set<string>()
  let hook: string | undefined
  let stopped = false
  const post = async (id: string, channel: string): Promise<boolean> => {
    if (hook === undefined) return false
    const body = JSON.stringify({text: id, channel})
    const response = await deliver(hook, body, {id, secret: killSecret}).catch(() => undefined)
    if (response?.ok !== true) return false
    acknowledged.add(id)
    return true
  }
  const partner = async (name: string) => {
    for (let n = 0; !stopped; n++) while (!stopped && !(await post(`${name}.${n}`, name))) await sleep(5)
  }
  const running = Promise.all(Array.from({length: count}, (_, n) => partner(`p${n}`)))
  return {
    acknowledged,
    aim: host => {
      hook = host === undefined ? undefined : `${host.url}/hooks/webhook/webhook~shop`
    },
    stop: async () => {
      stopped = true
      await running
    },
  }
}

/** What the database has of one message of the outbox, and of the event that it answers. */
export interface Answer {
  readonly event: string
  readonly id: string
  readonly endpoint: string
  readonly state: string
  readonly attempt: number
}

/** Every event with the states of its marks, and every answer, of a Host that has ended. */
export const readAnswers = async (
  file: string,
): Promise<{events: ReadonlyMap<string, string>; answers: readonly Answer[]}> => {
  const database = await openDatabase(
    {dialect: "sqlite", file},
    {runtimeId: "test", signal: new AbortController().signal, onLeaseLost: () => {}},
  )
  try {
    const events = await database.read(
      "SELECT i.event_id AS id, group_concat(m.state) AS states FROM inbox i LEFT JOIN inbox_marks m USING (seq) GROUP BY i.seq",
    )
    const answers = await database.read(
      "SELECT i.event_id AS event, o.id, o.endpoint, o.state, o.attempt FROM outbox o LEFT JOIN inbox i ON i.seq = o.inbox_seq",
    )
    return {
      events: new Map(events.map(({id, states}) => [String(id), String(states)])),
      answers: answers.map(({event, id, endpoint, state, attempt}) => ({
        event: String(event),
        id: String(id),
        endpoint: String(endpoint),
        state: String(state),
        attempt: Number(attempt),
      })),
    }
  } finally {
    await database.close()
  }
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export const createRandom = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

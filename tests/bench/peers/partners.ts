import {setTimeout as sleep} from "node:timers/promises"
import {type BotRequest, bytesOf, type Door, requestOf} from "./requests.ts"

/**
 * The platform and its users, in a separate process (on Bun). It receives the bots' replies as three stand-ins: the
 * receiver of svc's webhooks, Telegram's `sendMessage`, and the plain interface of the bench. `/control/…` controls it.
 * Argument: its port.
 */
const [port = ""] = process.argv.slice(2)
const run = process.pid.toString(36)

const partners = 64

interface Bot {
  readonly door: Door
  readonly port: number
}

let count = 0
/** Callbacks for pending replies, by the id of their message. */
const waiting = new Map<string, () => void>()

const heard = (text: string) => {
  const id = text.replace(/^pong /, "")
  waiting.get(id)?.()
  waiting.delete(id)
}

const next = (partner: number) => ({id: `${run}.${++count}`, partner})

const post = async ({port}: Bot, {path, headers, body}: BotRequest): Promise<boolean> => {
  const address = `http://127.0.0.1:${port}${path}`
  const response = await fetch(address, {method: "POST", headers, body}).catch(() => undefined)
  await response?.arrayBuffer().catch(() => {})
  return response?.ok === true
}

/** Sends a message repeatedly until the bot accepts it, then waits for the reply. */
const first = async (bot: Bot): Promise<void> => {
  for (;;) {
    const message = next(0)
    const replied = new Promise<void>(done => waiting.set(message.id, done))
    if (await post(bot, requestOf(bot.door, message))) return replied
    waiting.delete(message.id)
    await sleep(4)
  }
}

/** Partners send each message once the bot has replied to the last one. Resolves to the number of messages. */
const load = async (bot: Bot, {seconds, most}: {seconds: number; most: number}): Promise<number> => {
  const until = performance.now() + seconds * 1000
  let said = 0
  const talk = async (partner: number) => {
    let taken: (() => void) | undefined
    let failed: (cause: Error) => void = () => {}
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port: bot.port,
      socket: {
        data: (_, chunk) => {
          const head = chunk.toString("latin1", 0, 15)
          if (!head.startsWith("HTTP/1.1 ")) return
          if (/^HTTP\/1.1 2/.test(head)) taken?.()
          else failed(new Error(chunk.toString("latin1", 0, 500)))
        },
        close: () => failed(new Error("the bot closed a connection")),
      },
    })
    while (performance.now() < until && said < most) {
      said++
      const message = next(partner)
      const replied = new Promise<void>(done => waiting.set(message.id, done))
      const accepted = new Promise<void>((done, fail) => {
        taken = done
        failed = fail
      })
      socket.write(bytesOf(requestOf(bot.door, message)))
      await Promise.all([replied, accepted])
    }
    failed = () => {}
    socket.end()
  }
  await Promise.all(Array.from({length: partners}, (_, partner) => talk(partner)))
  return said
}

/** The number of accepted messages, and the ids of accepted messages without an answer. */
const ledger = {accepted: 0, unanswered: new Set<string>()}

/** Sends messages at a fixed rate, whatever happens to them, and keeps the ledger. */
const steady = async (bot: Bot, rate: number, seconds: number): Promise<void> => {
  ledger.accepted = 0
  ledger.unanswered.clear()
  const begun = performance.now()
  for (let nth = 0; nth < rate * seconds; nth++) {
    await sleep(Math.max(0, begun + (nth * 1000) / rate - performance.now()))
    const message = next(nth % partners)
    let isAnswered = false
    waiting.set(message.id, () => {
      isAnswered = true
      ledger.unanswered.delete(message.id)
    })
    void post(bot, requestOf(bot.door, message)).then(isAccepted => {
      if (!isAccepted) return waiting.delete(message.id)
      ledger.accepted++
      if (!isAnswered) ledger.unanswered.add(message.id)
      return true
    })
  }
}

interface Order {
  readonly bot: Bot
  readonly seconds: number
  readonly most: number
  readonly rate: number
}

const controls: Readonly<Record<string, (order: Order) => unknown>> = {
  "/control/first": ({bot}) => first(bot),
  "/control/load": ({bot, ...limits}) => load(bot, limits),
  "/control/steady": ({bot, rate, seconds}) => void steady(bot, rate, seconds),
  "/control/ledger": () => ({accepted: ledger.accepted, unanswered: ledger.unanswered.size}),
}

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(port),
  idleTimeout: 0,
  fetch: async request => {
    const {pathname} = new URL(request.url)
    if (pathname === "/ready") return new Response()
    const told = await request.json()
    const control = controls[pathname]
    if (control !== undefined) return Response.json((await control(told)) ?? {})
    heard(told.text)
    if (!pathname.endsWith("/sendMessage")) return Response.json({})
    const chat = {id: told.chat_id, type: "private"}
    return Response.json({ok: true, result: {message_id: ++count, date: 0, chat, text: told.text}})
  },
})

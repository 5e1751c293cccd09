import {createHmac} from "node:crypto"
import {createFlights, type Flight, hearReplies} from "./flights.ts"

export interface Delivery extends Flight {
  readonly port: number
  readonly token: string
  /** Signed webhooks, or messages of the sandbox. */
  readonly door: "webhook" | "sandbox"
  readonly secret: string
  /** A message ends with its answer, or when the Host reports that the platform has the reply. */
  readonly ends: "answered" | "replied"
}

/** The partners, in a separate process (on Bun). The argument is a delivery; prints its results as JSON. */
const delivery = JSON.parse(process.argv[2] ?? "{}") as Delivery
const {port, token, door, ends} = delivery
const key = Buffer.from(delivery.secret.replace(/^whsec_/, ""), "base64")

const fail = (message: string): never => {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

const doors = {
  webhook: (id: string, lane: number) => {
    const body = JSON.stringify({text: id, channel: `c${lane}`, user: "till"})
    const timestamp = Math.floor(Date.now() / 1000)
    const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")
    const headers = [`webhook-id: ${id}`, `webhook-timestamp: ${timestamp}`, `webhook-signature: v1,${signature}`]
    return {path: "/hooks/webhook/webhook~shop", body, headers}
  },
  sandbox: (id: string, lane: number) => ({
    path: "/api/plugins/sandbox/messages",
    body: JSON.stringify({text: id, channel: `c${lane}`, group: true}),
    headers: [`Authorization: Bearer ${token}`],
  }),
} as const

const requestOf = (id: string, lane: number): string => {
  const {path, body, headers} = doors[door](id, lane)
  const common = ["Host: 127.0.0.1", "Content-Type: application/json", `Content-Length: ${body.length}`]
  return [`POST ${path} HTTP/1.1`, ...common, ...headers, "", body].join("\r\n")
}

/** Each lane has a connection: the next message is sent once the last one has ended. */
const open = (onAnswer: (lane: number) => void) => (_: unknown, lane: number) =>
  Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      data: (_, chunk) => {
        const head = chunk.toString("latin1", 0, 300)
        if (!head.startsWith("HTTP/1.1 202 ")) fail(`unexpected answer: ${head}`)
        onAnswer(lane)
      },
      error: (_, error) => fail(error.message),
      close: () => fail("the server closed a connection"),
    },
  })

const main = async () => {
  const latest: string[] = []
  const flights = createFlights(delivery, (id, lane) => {
    latest[lane] = id
    sockets[lane]?.write(requestOf(id, lane))
  })
  const onAnswer = ends === "answered" ? (lane: number) => flights.complete(latest[lane] ?? "") : () => {}
  const sockets = await Promise.all(Array.from({length: delivery.flying}, open(onAnswer)))
  if (ends === "replied") await hearReplies(port, token, flights.complete)
  return flights.fly()
}

const flown = await main().catch(error => fail(error.message))
process.stdout.write(`${JSON.stringify(flown)}\n`)
process.exit(0)

import {createHmac} from "node:crypto"

/**
 * The partners, a process of its own (on Bun): keeps so many signed webhooks under way, each from its delivery until the
 * Host tells that the reply to it was handed to the platform, then prints messages per second, the times in
 * milliseconds, and how many there were from the first to the last. Arguments: port, token, secret, in flight, seconds. The first half second is for the compiler.
 */
const [port, token = "", secret = "", flying = "1", seconds = "1"] = process.argv.slice(2)
const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64")
const warmUp = 500

const fail = (message: string) => {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

let count = 0
let isMeasuring = false
let isOver = false
const started = new Map<string, number>()
const senders = new Map<string, () => void>()
const times: number[] = []
const run = process.pid.toString(36)

const requestOf = (id: string, channel: string): string => {
  const body = JSON.stringify({text: id, channel, user: "till"})
  const timestamp = Math.floor(Date.now() / 1000)
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")
  return [
    "POST /hooks/webhook/webhook~shop HTTP/1.1",
    "Host: 127.0.0.1",
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    `webhook-id: ${id}`,
    `webhook-timestamp: ${timestamp}`,
    `webhook-signature: v1,${signature}`,
    "",
    body,
  ].join("\r\n")
}

/** One partner on a connection of its own: the next webhook leaves once the one before is answered. */
const open = (_: unknown, index: number) =>
  Bun.connect({
    hostname: "127.0.0.1",
    port: Number(port),
    socket: {
      open: socket => {
        const send = () => {
          if (isOver) return
          const id = `${run}.${++count}`
          started.set(id, performance.now())
          senders.set(id, send)
          socket.write(requestOf(id, `c${index}`))
        }
        send()
      },
      data: (_, chunk) => {
        const head = chunk.toString("latin1", 0, 300)
        if (!head.startsWith("HTTP/1.1 202 ")) fail(`unexpected answer: ${head}`)
      },
      error: (_, error) => fail(error.message),
    },
  })

const complete = (id: string) => {
  const begun = started.get(id)
  if (begun === undefined) return
  started.delete(id)
  if (isMeasuring) times.push(performance.now() - begun)
  const next = senders.get(id)
  senders.delete(id)
  next?.()
}

const listen = async () => {
  const replies = await fetch(`http://127.0.0.1:${port}/api/plugins/sink/replies`, {
    headers: {authorization: `Bearer ${token}`},
  })
  if (replies.body === null) return fail("the sink tells nothing")
  void (async () => {
    let rest = ""
    for await (const chunk of replies.body ?? []) {
      const lines = (rest + Buffer.from(chunk).toString("latin1")).split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) complete(line)
    }
  })()
}

await listen()
await Promise.all(Array.from({length: Number(flying)}, open))
await Bun.sleep(warmUp)
isMeasuring = true
const begun = performance.now()
await Bun.sleep(Number(seconds) * 1000)
isMeasuring = false
const rate = times.length / ((performance.now() - begun) / 1000)
isOver = true
// What is under way comes to its end before the next sample.
for (let waited = 0; started.size > 0; waited += 10) {
  if (waited > 10_000) fail(`${started.size} replies are missing`)
  await Bun.sleep(10)
}
times.sort((one, other) => one - other)
const at = (share: number) => times[Math.max(0, Math.ceil(times.length * share) - 1)]
process.stdout.write(`${JSON.stringify({rate, p50: at(0.5), p99: at(0.99), all: count})}\n`)
process.exit(0)

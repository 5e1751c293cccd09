/**
 * Clients of an event stream in a separate process (on Bun). Once all are connected, it serves a control port: GET
 * returns the figures so far, POST resets them. Each client checks that offsets are consecutive; the age of an event is
 * the time of its chunk minus the time in its envelope. Arguments: port of the server, control port, token, number of
 * clients.
 */
const [port, control, token = "", count = "1"] = process.argv.slice(2)

const request = [
  "GET /api/events HTTP/1.1",
  "Host: 127.0.0.1",
  `Authorization: Bearer ${token}`,
  "Accept: text/event-stream",
  "",
  "",
].join("\r\n")

interface Client {
  rest: string
  offset: number
}

/** The time of the event at an offset, in milliseconds since 1970; the first client that gets it parses it. */
const happened = new Map<number, number>()
/** The number of deliveries by their age in milliseconds. */
const ages: number[] = []
let received = 0
let bytes = 0
let holes = 0
let opened = 0
let closed = 0

const idMark = "\nid: "
const eventMark = "\nevent: "
const timeMark = '"at":"'

const take = (client: Client, text: string, now: number) => {
  const all = client.rest + text
  let at = all.indexOf(idMark)
  while (at >= 0) {
    const end = all.indexOf("\n\n", at + 1)
    if (end < 0) break
    takeFrame(client, all, at, now)
    at = all.indexOf(idMark, end)
  }
  client.rest = at >= 0 ? all.slice(at) : all.slice(-idMark.length)
}

const takeFrame = (client: Client, all: string, at: number, now: number) => {
  const name = all.indexOf(eventMark, at + 1)
  const offset = Number(all.slice(all.indexOf("-", at + idMark.length) + 1, name))
  const isFirst = client.offset === 0
  if (!isFirst && offset !== client.offset + 1) holes++
  client.offset = offset
  // `hello` contains the client's first offset.
  if (all.startsWith("hello\n", name + eventMark.length)) return
  received++
  let time = happened.get(offset)
  if (time === undefined) {
    const from = all.indexOf(timeMark, name) + timeMark.length
    time = Date.parse(all.slice(from, from + 24))
    happened.set(offset, time)
  }
  const age = Math.max(0, now - time)
  ages[age] = (ages[age] ?? 0) + 1
}

const open = () =>
  new Promise<void>((done, fail) => {
    const client: Client = {rest: "", offset: 0}
    let isOpen = false
    Bun.connect({
      hostname: "127.0.0.1",
      port: Number(port),
      socket: {
        open: socket => {
          socket.write(request)
        },
        data: (_, chunk) => {
          bytes += chunk.length
          if (!isOpen) {
            isOpen = true
            opened++
            const head = chunk.toString("latin1", 0, 12)
            if (head !== "HTTP/1.1 200") fail(new Error(chunk.toString("latin1")))
            done()
          }
          take(client, chunk.toString("latin1"), Date.now())
        },
        close: () => {
          closed++
        },
        error: (_, error) => fail(error),
      },
    }).catch(fail)
  })

const percentile = (share: number): number => {
  const wanted = share * received
  let sum = 0
  for (let age = 0; age < ages.length; age++) {
    sum += ages[age] ?? 0
    if (sum >= wanted && sum > 0) return age
  }
  return Number.NaN
}

const figures = () => ({received, holes, bytes, opened, closed, p50: percentile(0.5), p99: percentile(0.99)})

const clear = () => {
  ages.length = 0
  received = 0
  return {}
}

// A few at a time, because a server's queue of connections is limited.
const together = 50
for (let index = 0; index < Number(count); index += together) {
  const many = Math.min(together, Number(count) - index)
  await Promise.all(Array.from({length: many}, open))
}

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(control),
  fetch: request => Response.json(request.method === "POST" ? clear() : figures()),
})

export {}

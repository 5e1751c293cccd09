import {connect, type Socket} from "node:net"
import {setTimeout as sleep} from "node:timers/promises"
import type {Chance} from "../../support/machine/chance.ts"

/** The target, the duration and the force of an attack. */
export interface Aim {
  readonly port: number
  readonly token: string
  /** The end of the attack, by `performance.now()`. */
  readonly until: number
  /** 1 is the full attack. */
  readonly scale: number
  readonly chance: Chance
}

/** An attacker's observations. Only malformed requests count. */
export interface Seen {
  readonly sent: number
  /** The number of 2xx answers. */
  readonly accepted: number
  /** The number of accepted requests with an invalid Host. */
  readonly acceptedHosts: number
  /** The number of 5xx answers other than 501 and 505. */
  readonly failed: number
}

type Attack = (aim: Aim, seen: {-readonly [key in keyof Seen]: Seen[key]}) => Promise<void>

const isOver = ({until}: Aim) => performance.now() >= until

const open = ({port}: Aim, opened: (socket: Socket) => void = () => {}): Socket => {
  const socket = connect(port, "127.0.0.1", () => opened(socket))
  return socket.on("error", () => {})
}

const closed = (socket: Socket): Promise<void> =>
  socket.destroyed ? Promise.resolve() : new Promise(done => void socket.once("close", () => done()))

const get = (path: string, ...headers: readonly string[]) =>
  `GET ${path} HTTP/1.1\r\n${["Host: a", ...headers].join("\r\n")}\r\n\r\n`

/** Runs `count` attackers in parallel, each repeatedly until the end. */
const many = async (aim: Aim, count: number, one: (index: number) => Promise<void>): Promise<void> => {
  const run = async (index: number) => {
    while (!isOver(aim)) await one(index)
  }
  await Promise.all(Array.from({length: Math.max(1, Math.round(count * aim.scale))}, (_, index) => run(index)))
}

/** Keeps a connection until the server closes it or the attack ends, then cuts it. */
const hold = async (aim: Aim, socket: Socket): Promise<void> => {
  await Promise.race([closed(socket), sleep(Math.max(0, aim.until - performance.now()))])
  socket.destroy()
  await sleep(50)
}

/** Writes the parts one after another, with a pause before each. */
const dribble = async (aim: Aim, parts: readonly string[], pause: () => number): Promise<void> => {
  const socket = open(aim)
  socket.resume()
  for (const part of parts) {
    if (socket.destroyed || isOver(aim)) break
    socket.write(part)
    await sleep(pause())
  }
  socket.destroy()
}

const badHosts = [
  "a@b/c",
  "u:p@a",
  "a/b",
  "a,b",
  "a b",
  "[zz",
  "[::1",
  "a\\b",
  "a\x01b",
  "a:99999",
  "a\r\nHost: b",
  "%zz",
  "",
]

const badHeads = [
  "GET /pub/health\r\n\r\n",
  "GET  /pub/health HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET /pub/health HTTP/9.9\r\nHost: a\r\n\r\n",
  "G@T /pub/health HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET /pub/health HTTP/1.1\r\n\r\n",
  "GET /pub/health HTTP/1.1\r\nHost : a\r\n\r\n",
  "GET /pub/health HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n",
  "GET /pub/he\0alth HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET * HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET\r\nHost: a\r\n\r\n",
  "GET /\r\nHost: a\r\n\r\n",
  "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n",
  "POST /pub/health HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
  "POST /pub/health HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
  "POST /pub/health HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
  "POST /pub/health HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  "POST /pub/health HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
  "\0\x01\x02\x03\r\n\r\n",
] as const

/** The status of the answer; 0 if there is none within 2 s. */
const statusOf = async (aim: Aim, head: string): Promise<number> => {
  let answer = ""
  const socket = open(aim, () => socket.write(head, "latin1"))
  socket.on("data", chunk => {
    answer += chunk
    socket.destroy()
  })
  await Promise.race([closed(socket), sleep(2000)])
  socket.destroy()
  return Number(answer.slice(9, 12))
}

export const attacks = {
  idle: aim => many(aim, 5000, index => sleep(index / 10).then(() => hold(aim, open(aim)))),
  parallel: aim =>
    many(aim, 200, async () => {
      const socket = open(aim, () => socket.write(request))
      const request = get("/api/session", `Authorization: Bearer ${aim.token}`)
      socket.on("data", () => void (isOver(aim) || socket.write(request)))
      await hold(aim, socket)
    }),
  "slow-headers": aim =>
    many(aim, 500, () =>
      dribble(aim, ["GET / HTTP/1.1\r\nHost: a\r\n", ...Array<string>(200).fill("X: y\r\n")], () =>
        aim.chance.below(1000),
      ),
    ),
  "slow-bodies": aim => {
    const head = `POST /hooks/none HTTP/1.1\r\nHost: a\r\nContent-Length: ${1024 * 1024}\r\n\r\n`
    const parts = [head, "x".repeat(1000 * 1024), ...Array<string>(200).fill("x")]
    return many(aim, 300, () => dribble(aim, parts, () => aim.chance.below(1000)))
  },
  "unread-streams": aim =>
    many(aim, 200, async () => {
      const socket = open(aim, () => socket.write(get("/api/events", `Authorization: Bearer ${aim.token}`)))
      await hold(aim, socket.pause())
    }),
  pipelined: aim =>
    many(aim, 40, async () => {
      const socket = open(aim, () => socket.write(get("/console/").repeat(200)))
      socket.pause()
      await sleep(600)
      socket.destroy()
    }),
  malformed: (aim, seen) =>
    many(aim, 20, async () => {
      const isHost = aim.chance.below(2) === 0
      const status = await statusOf(
        aim,
        isHost ? `GET /pub/health HTTP/1.1\r\nHost: ${aim.chance.pick(badHosts)}\r\n\r\n` : aim.chance.pick(badHeads),
      )
      const isAccepted = status >= 200 && status < 300
      seen.sent++
      if (isAccepted) seen.accepted++
      if (isAccepted && isHost) seen.acceptedHosts++
      if (status >= 500 && status !== 501 && status !== 505) seen.failed++
    }),
} as const satisfies Readonly<Record<string, Attack>>

export type AttackName = keyof typeof attacks

export const attackNames = Object.keys(attacks) as readonly AttackName[]

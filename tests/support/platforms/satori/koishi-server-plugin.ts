/**
 * A Satori server plugin for Koishi 4.18, written for the tests because no npm package serves Satori from it. Based on
 * the public documentation (https://satori.chat): WebSocket and HTTP use Koishi's own server, events are Koishi's own
 * sessions, and methods go to Koishi's own bots by its own table. It keeps the last 1,000 events for clients that
 * resume.
 */
interface Session {
  readonly type: string
  toJSON(): {readonly sn: number}
}

interface Socket {
  send(text: string): void
  close(code: number, reason: string): void
  on(name: "message", listener: (data: unknown) => void): void
  on(name: "close", listener: () => void): void
}

interface Koa {
  status: number
  body: unknown
  readonly params: {readonly name: string}
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly request: {readonly body: Readonly<Record<string, unknown>>}
}

interface KoishiContext {
  readonly server: {
    ws(path: string, open: (socket: Socket) => void): void
    post(path: string, handle: (koa: Koa) => Promise<void>): void
  }
  on(name: "internal/session", listener: (session: Session) => void): void
}

interface Universal {
  readonly Methods: Readonly<
    Record<string, {readonly name: string; readonly fields: readonly {readonly name: string}[]} | undefined>
  >
  transformKey(value: unknown, change: (key: string) => string): unknown
}

type KoishiBot = Readonly<Record<string, unknown>> & {toJSON?(): object}

const snake = (key: string) => key.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
const camel = (key: string) => key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Serves Satori below `/satori`. */
export const startKoishiServer = (
  ctx: KoishiContext,
  {Methods, transformKey}: Universal,
  token: string,
  bot: () => unknown,
): void => {
  const {server} = ctx
  const clients = new Set<Socket>()
  const kept: {readonly sn: number}[] = []
  const told = (op: number, body: object) => JSON.stringify({op, body})
  const login = () => transformKey((bot() as KoishiBot | undefined)?.toJSON?.(), snake)

  ctx.on("internal/session", session => {
    if (session.type === "internal") return
    const event = transformKey(session.toJSON(), snake) as {readonly sn: number}
    kept.push(event)
    kept.splice(0, kept.length - 1000)
    for (const client of clients) client.send(told(0, event))
  })

  server.ws("/satori/v1/events", socket => {
    socket.on("close", () => clients.delete(socket))
    socket.on("message", data => {
      const {op, body = {}} = JSON.parse(String(data)) as {op: number; body?: {token?: string; sn?: number}}
      if (op === 1) socket.send(told(2, {}))
      if (op !== 3) return
      if (body.token !== token) return socket.close(4004, "invalid token")
      socket.send(told(4, {logins: [login()], proxy_urls: []}))
      const {sn} = body
      if (sn !== undefined) for (const event of kept) if (event.sn > sn) socket.send(told(0, event))
      clients.add(socket)
    })
  })

  server.post("/satori/v1/:name", async koa => {
    const method = Methods[koa.params.name]
    koa.status = koa.headers.authorization === `Bearer ${token}` ? 404 : 403
    if (koa.status === 403) return
    const acting = bot() as KoishiBot | undefined
    const act = method === undefined ? undefined : acting?.[method.name]
    if (method === undefined || typeof act !== "function") return
    const given = transformKey(koa.request.body, camel) as Readonly<Record<string, unknown>>
    const answer: unknown = await act.apply(
      acting,
      method.fields.map(({name}) => given[camel(name)]),
    )
    koa.status = 200
    koa.body = transformKey(answer ?? {}, snake)
  })
}

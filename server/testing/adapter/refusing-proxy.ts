import {once} from "node:events"
import {createServer, type IncomingMessage, request, type ServerResponse} from "node:http"
import {type AddressInfo, connect, type Socket} from "node:net"

const page = "<!doctype html><title>Log in</title><form action=/login><input name=user></form>"

const html = {"content-type": "text/html", "content-length": String(page.length)} as const

/** What stands between a platform and its clients may answer, by name: a status and headers, always with a page. */
const statuses = [400, 401, 403, 404, 408, 409, 429, 451, 500, 502, 503]

export const faults: Readonly<Record<string, readonly [status: number, headers: Readonly<Record<string, string>>]>> = {
  ...Object.fromEntries(statuses.map(status => [status, [status, status === 429 ? {"retry-after": "1"} : {}]])),
  "a login page": [200, {}],
  "a redirect to a login page": [302, {location: "/login"}],
}

/** A proxy in front of a platform that is asked over HTTP or WebSockets. */
export interface RefusingProxy {
  readonly port: number
  /**
   * Answers one request in the platform's place: a pending one, otherwise the next. Ends the open WebSockets. Returns
   * false if there were none of either.
   */
  refuse(fault: string): boolean
  /** Has it answered since `refuse`? */
  readonly hasRefused: boolean
  close(): void
}

/** Starts a proxy on this machine that passes everything on to the origin, such as `http://127.0.0.1:8080`. */
export const startRefusingProxy = async (origin: URL): Promise<RefusingProxy> => {
  const sockets = new Set<Socket>()
  const tunnels = new Set<Socket>()
  const pending = new Set<ServerResponse>()
  let next: string | undefined
  const refusal = () => {
    const [status, headers] = faults[next ?? ""] ?? [500, {}]
    next = undefined
    return {status, headers: {...html, ...headers, connection: "close"}}
  }
  const answer = (response: ServerResponse) => {
    const {status, headers} = refusal()
    response.writeHead(status, headers).end(page)
  }
  const pass = (asked: IncomingMessage, response: ServerResponse) => {
    const {method, url, headers} = asked
    const to = request({host: origin.hostname, port: origin.port, method, path: url, headers}, from => {
      if (!pending.delete(response)) return void from.destroy()
      response.writeHead(from.statusCode ?? 502, from.headers)
      from.pipe(response)
    })
    to.on("error", () => response.destroy())
    response.on("close", () => to.destroy())
    pending.add(response)
    asked.pipe(to)
  }
  const server = createServer((asked, response) => {
    if (asked.url === "/login") response.writeHead(200, html).end(page)
    else if (next === undefined) pass(asked, response)
    else answer(response)
  })
  server.on("connection", socket => {
    sockets.add(socket.on("error", () => {}))
    socket.on("close", () => sockets.delete(socket))
  })
  server.on("upgrade", (asked: IncomingMessage, socket: Socket) => {
    const lines = (first: string, headers: readonly string[]) => `${[first, ...headers].join("\r\n")}\r\n\r\n`
    if (next !== undefined) {
      const {status, headers} = refusal()
      const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
      return void socket.end(lines(`HTTP/1.1 ${status} Refused`, fields) + page)
    }
    const names = asked.rawHeaders.flatMap((name, index, all) =>
      index % 2 === 0 ? [`${name}: ${all[index + 1]}`] : [],
    )
    const to = connect(Number(origin.port), origin.hostname, () => {
      to.write(lines(`GET ${asked.url} HTTP/1.1`, names))
      socket.pipe(to).pipe(socket)
    })
    tunnels.add(socket)
    to.on("error", () => socket.destroy()).on("close", () => socket.destroy())
    socket.on("close", () => {
      tunnels.delete(socket)
      to.destroy()
    })
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  return {
    port: (server.address() as AddressInfo).port,
    refuse: fault => {
      next = fault
      const [waiting] = pending
      const isUsed = waiting !== undefined || tunnels.size > 0
      for (const socket of tunnels) socket.destroy()
      if (waiting !== undefined) {
        pending.delete(waiting)
        answer(waiting)
      }
      return isUsed
    },
    get hasRefused() {
      return next === undefined
    },
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

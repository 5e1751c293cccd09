import {once} from "node:events"
import {type AddressInfo, connect, createServer, type Socket} from "node:net"

const page = "<!doctype html><title>Log in</title><form action=/login><input name=user></form>"

/** What stands between a platform and its clients may answer, by name: a status, and a header. The body is a page. */
const faults: Readonly<Record<string, string>> = {
  ...Object.fromEntries([400, 401, 403, 404, 408, 409, 451, 500, 502, 503].map(status => [status, `${status} No`])),
  429: "429 Later\r\nretry-after: 1",
  "a login page": "200 OK",
  "a redirect to a login page": "302 Found\r\nlocation: /login",
}

export const faultNames: readonly string[] = Object.keys(faults)

/** A proxy in front of a platform that is asked over HTTP or WebSockets. */
export interface RefusingProxy {
  readonly port: number
  /**
   * Answers one request in the platform's place: a pending one, otherwise the next. Ends the other connections. Returns
   * false if there is neither a pending request nor a WebSocket. With `isLasting`, answers all until `recover`.
   */
  refuse(fault: string, isLasting?: boolean): boolean
  recover(): void
  /** Has it answered since `refuse`? */
  readonly hasRefused: boolean
  close(): void
}

interface Passed {
  readonly socket: Socket
  readonly isWebSocket: boolean
  /** Does the client wait for an answer? */
  isAsking: boolean
}

/** Starts a proxy on this machine that passes everything on to the origin, such as `http://127.0.0.1:8080`. */
export const startRefusingProxy = async (origin: URL): Promise<RefusingProxy> => {
  const open = new Set<Socket>()
  const passed = new Set<Passed>()
  let next: string | undefined
  let lasts = false
  const answer = (socket: Socket, fault = faults["a login page"]) => {
    const head = [`HTTP/1.1 ${fault}`, "content-type: text/html", `content-length: ${page.length}`, "connection: close"]
    socket.end(`${head.join("\r\n")}\r\n\r\n${page}`)
  }
  const refuseNow = (socket: Socket) => {
    answer(socket, faults[next ?? ""])
    if (!lasts) next = undefined
  }
  const pass = (socket: Socket, start: Buffer) => {
    const one: Passed = {socket, isWebSocket: /^upgrade: *websocket/im.test(start.toString("latin1")), isAsking: true}
    passed.add(one)
    const to = connect(Number(origin.port), origin.hostname)
    to.on("error", () => socket.destroy()).on("close", () => socket.destroy())
    to.on("data", data => {
      one.isAsking = false
      if (socket.writable) socket.write(data)
    })
    to.write(start)
    socket.on("data", data => {
      one.isAsking = true
      to.write(data)
    })
    socket.on("close", () => {
      passed.delete(one)
      to.destroy()
    })
  }
  const server = createServer(socket => {
    open.add(socket.on("error", () => {}))
    socket.on("close", () => open.delete(socket))
    socket.once("data", start => {
      if (/^\S+ \/login /.test(start.toString("latin1"))) answer(socket)
      else if (next === undefined) pass(socket, start)
      else refuseNow(socket)
    })
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  return {
    port: (server.address() as AddressInfo).port,
    refuse: (fault, isLasting = false) => {
      next = fault
      lasts = isLasting
      const asking = [...passed].find(({isAsking, isWebSocket}) => isAsking && !isWebSocket)
      const isUsed = asking !== undefined || [...passed].some(({isWebSocket}) => isWebSocket)
      if (asking !== undefined) refuseNow(asking.socket)
      for (const {socket} of passed) if (socket !== asking?.socket) socket.destroy()
      return isUsed
    },
    recover: () => {
      next = undefined
    },
    get hasRefused() {
      return next === undefined
    },
    close: () => {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}

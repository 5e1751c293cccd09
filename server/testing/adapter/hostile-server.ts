import {createHash} from "node:crypto"
import {once} from "node:events"
import {type AddressInfo, createServer, type Socket} from "node:net"
import {gzipSync} from "node:zlib"

/** What a client speaks, by the first bytes that it sends. A client of `lines` may wait for the server. */
export type Spoken = "http" | "websocket" | "xml" | "mqtt" | "lines" | "tls"

type Assault = (socket: Socket, request: string) => void

const megabyte = 1024 * 1024

/** The length of an announced message, in bytes. */
const huge = 1024 * megabyte

/** Writes at the pace of the reader, without an end. */
const flood = (socket: Socket, piece: string | Buffer = "x".repeat(65_536)): void => {
  const write = () => {
    while (!socket.destroyed && socket.write(piece));
    socket.once("drain", write)
  }
  write()
}

/** Writes a megabyte a second. */
const drip = (socket: Socket, piece: Buffer): void => {
  const timer = setInterval(() => socket.write(piece), (piece.length / megabyte) * 1000)
  socket.on("close", () => clearInterval(timer))
}

const head = ["HTTP/1.1 200 OK", "content-type: application/json"] as const

const answer = (socket: Socket, ...headers: readonly string[]): void =>
  void socket.write(`${[...head, ...headers].join("\r\n")}\r\n\r\n`)

const upgrade = (socket: Socket, request: string): void => {
  const [, key = ""] = /^sec-websocket-key: *(\S+)/im.exec(request) ?? []
  const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64")
  const headers = ["upgrade: websocket", "connection: Upgrade", `sec-websocket-accept: ${accept}`]
  socket.write(`HTTP/1.1 101 Switching Protocols\r\n${headers.join("\r\n")}\r\n\r\n`)
}

/** Returns the head of a frame of this length (RFC 6455, section 5.2). The first byte has its kind. */
const frameHead = (first: number, length: number): Buffer => {
  const head = Buffer.from([first, 127, 0, 0, 0, 0, 0, 0, 0, 0])
  head.writeBigUInt64BE(BigInt(length), 2)
  return head
}

const framed = (first: number, content: string): Buffer =>
  Buffer.concat([frameHead(first, content.length), Buffer.from(content)])

const openXml = (socket: Socket): void =>
  void socket.write("<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' id='1'>")

/** A part of a bomb: gzip joins as many as follow one another. Packed at its first use, which takes 0.2 s. */
let packed: Buffer | undefined
const packedZeros = (): Buffer => {
  packed ??= gzipSync(Buffer.alloc(64 * megabyte))
  return packed
}

const deep = "[".repeat(4 * megabyte)

const junk = "{}\n:\0<>\r\n".repeat(1000)

const redirect: Assault = (socket, request) =>
  void socket.end(`HTTP/1.1 307 Temporary Redirect\r\nlocation: ${request.split(" ")[1]}\r\ncontent-length: 0\r\n\r\n`)

const endlessHeader: Assault = socket => {
  socket.write("HTTP/1.1 200 OK\r\nx: ")
  flood(socket)
}

/** The attacks by name, each in the protocols that have it. */
const assaults: Readonly<Record<string, Partial<Readonly<Record<Spoken, Assault>>>>> = {
  "an endless answer": {
    http: socket => {
      answer(socket)
      flood(socket)
    },
    websocket: (socket, request) => {
      upgrade(socket, request)
      socket.write(framed(0x01, "x"))
      flood(socket, framed(0x00, "x".repeat(65_000)))
    },
    xml: socket => {
      openXml(socket)
      socket.write("<message>")
      flood(socket, "<a>x</a>".repeat(8000))
    },
  },
  "a line without an end": {
    xml: socket => {
      openXml(socket)
      flood(socket)
    },
    lines: socket => {
      void socket.write("* OK ")
      flood(socket)
    },
  },
  "an endless header": {http: endlessHeader, websocket: endlessHeader},
  "a huge frame": {
    websocket: (socket, request) => {
      upgrade(socket, request)
      socket.write(frameHead(0x81, huge))
      flood(socket)
    },
    mqtt: socket => {
      // CONNACK, then the longest PUBLISH (MQTT 5, section 1.5.5).
      socket.write(Buffer.from([0x20, 3, 0, 0, 0, 0x30, 0xff, 0xff, 0xff, 0x7f]))
      flood(socket)
    },
    lines: socket => {
      socket.write(`* OK hello\r\n* 1 FETCH (BODY[] {${huge}}\r\n`)
      flood(socket)
    },
  },
  "a gzip bomb": {
    http: socket => {
      answer(socket, "content-encoding: gzip")
      for (let part = 0; part < 16; part++) socket.write(packedZeros())
    },
  },
  "deep JSON": {
    http: socket => {
      answer(socket, `content-length: ${deep.length}`, "connection: close")
      socket.end(deep)
    },
    websocket: (socket, request) => {
      upgrade(socket, request)
      socket.write(framed(0x81, deep))
    },
    xml: socket => {
      openXml(socket)
      flood(socket, "<a>".repeat(20_000))
    },
  },
  "a megabyte a second of junk": {
    http: socket => {
      answer(socket)
      drip(socket, Buffer.from(junk))
    },
    websocket: (socket, request) => {
      upgrade(socket, request)
      drip(socket, framed(0x81, junk))
    },
    xml: socket => drip(socket, Buffer.from(junk)),
    mqtt: socket => drip(socket, Buffer.from(junk)),
    lines: socket => drip(socket, Buffer.from(junk)),
  },
  "a redirect to itself": {http: redirect, websocket: redirect},
  // A record of 200 bytes with the beginning of a ServerHello (RFC 8446, section 4).
  "half a TLS handshake": {tls: socket => void socket.write(Buffer.from([22, 3, 3, 0, 200, 2, 0, 0, 196, 3, 3]))},
}

export const attacks: readonly string[] = Object.keys(assaults)

/** Returns whether a client of this protocol can suffer the attack. */
export const suits = (attack: string, spoken: Spoken): boolean => assaults[attack]?.[spoken] !== undefined

const spokenIn = (start: Buffer): Spoken => {
  if (start[0] === 22) return "tls"
  if (start[0] === 0x10) return "mqtt"
  const text = start.toString("latin1")
  if (text.startsWith("<")) return "xml"
  if (!/^[A-Z]+ \S+ HTTP/.test(text)) return "lines"
  return /^upgrade: *websocket/im.test(text) ? "websocket" : "http"
}

/** A server on this machine that attacks each of its clients. */
export interface HostileServer {
  readonly port: number
  /** What the clients that it attacked spoke, in order. */
  readonly attacked: readonly Spoken[]
  close(): void
}

/** How long a client may wait for the server's first line, in milliseconds. */
const shy = 300

/** Starts a server for one attack. It answers properly to requests for paths that end with a key of `answers`. */
export const startHostileServer = async (
  attack: string,
  answers: (port: number) => Readonly<Record<string, unknown>> | undefined,
): Promise<HostileServer> => {
  const attacked: Spoken[] = []
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket.on("error", () => {}))
    socket.on("close", () => sockets.delete(socket))
    const begin = (start: Buffer) => {
      clearTimeout(waiting)
      const text = start.toString("latin1")
      const path = text.split(" ")[1]?.split("?")[0] ?? ""
      const spoken = spokenIn(start)
      const known = Object.entries(answers(port) ?? {}).find(([end]) => spoken === "http" && path.endsWith(end))
      if (known !== undefined) {
        const body = JSON.stringify(known[1])
        return void socket.end(
          `${[...head, `content-length: ${body.length}`, "connection: close"].join("\r\n")}\r\n\r\n${body}`,
        )
      }
      attacked.push(spoken)
      socket.resume()
      assaults[attack]?.[spoken]?.(socket, text)
    }
    const waiting = setTimeout(() => begin(Buffer.alloc(0)), shy)
    socket.once("data", begin)
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const {port} = server.address() as AddressInfo
  const close = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  return {port, attacked, close}
}

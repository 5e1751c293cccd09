import {once} from "node:events"
import {type AddressInfo, createServer} from "node:net"
import {createInterface} from "node:readline"
import {setTimeout as sleep} from "node:timers/promises"
import {Problem} from "../../../shared/problems.ts"

/** How long svc waits for the browser, in milliseconds: as long as the Host accepts its answer. */
const patience = 600_000

export interface SignInAnswer {
  readonly state: string
  readonly code: string
  readonly iss?: string
}

/** Reads the address to which a sign-in led. Throws `mcp_sign_in` if it has no code. */
export const answerIn = (address: string): SignInAnswer => {
  const query = URL.canParse(address, "http://127.0.0.1")
    ? new URL(address, "http://127.0.0.1").searchParams
    : new URLSearchParams()
  const [state, code, iss, error] = ["state", "code", "iss", "error"].map(name => query.get(name) ?? undefined)
  if (state !== undefined && code !== undefined) return {state, code, ...(iss === undefined ? {} : {iss})}
  throw new Problem("mcp_sign_in", error === undefined ? "the address has no code and state" : `it says: ${error}`)
}

const page = "The browser is done here: svc continues in the terminal."
const reply = (status: string) =>
  `HTTP/1.1 ${status}\r\ncontent-type: text/plain\r\ncontent-length: ${page.length}\r\nconnection: close\r\n\r\n${page}`

/**
 * Waits on this machine alone for the browser that comes back from a sign-in (RFC 8252), or for the person who pastes
 * its last address. `begin` gets the address that waits, and resolves to where the sign-in starts.
 */
export const awaitAnswer = async (
  port: number,
  begin: (redirect: string) => Promise<string>,
  tell: (text: string) => void,
): Promise<SignInAnswer> => {
  const arrived = Promise.withResolvers<string>()
  const server = createServer(socket => {
    let head = ""
    socket.setEncoding("latin1").setTimeout(10_000, () => socket.destroy())
    socket.on("error", () => {})
    socket.on("data", (text: string) => {
      head += text
      const [, path] = /^GET (\/callback\?\S*) HTTP\/1\.[01]\r\n/.exec(head) ?? []
      if (path === undefined && !head.includes("\r\n") && head.length < 16_384) return
      socket.end(reply(path === undefined ? "404 Not Found" : "200 OK"))
      if (path !== undefined) arrived.resolve(path)
    })
  })
  const ended = new AbortController()
  server.listen(port, "127.0.0.1")
  await once(server, "listening")
  const lines = process.stdin.isTTY ? createInterface({input: process.stdin}) : undefined
  lines?.on("line", line => line.trim() !== "" && arrived.resolve(line.trim()))
  try {
    const {port: opened} = server.address() as AddressInfo
    const url = await begin(`http://127.0.0.1:${opened}/callback`)
    tell(`Open this address, and sign in:\n${url}\nIf the browser is on another machine, paste its last address here.`)
    const late = sleep(patience, undefined, {signal: ended.signal}).then(() => {
      throw new Problem("mcp_sign_in", "nobody signed in within ten minutes")
    })
    return answerIn(await Promise.race([arrived.promise, late]))
  } finally {
    ended.abort()
    lines?.close()
    server.close()
  }
}

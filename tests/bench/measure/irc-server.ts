import {createServer, type Socket} from "node:net"

export interface IrcServer {
  readonly port: number
  /** Sends a line to the client: to a channel, or to its nick. */
  say(nick: string, target: string, text: string): void
  close(): void
}

/** A stand-in for an IRC server: enough for one client to join a channel. It sends as fast as the client reads. */
export const startIrcServer = async (): Promise<IrcServer> => {
  let client: Socket | undefined
  let lines: string[] = []
  const server = createServer(socket => {
    client = socket
    let nick = "bot"
    let rest = ""
    const answers: Readonly<Record<string, (word: string) => string>> = {
      CAP: word => (word === "LS" ? ":s CAP * LS :\r\n" : ""),
      NICK: word => {
        nick = word
        return ""
      },
      USER: () =>
        `:s 001 ${nick} :Welcome\r\n:s 005 ${nick} CASEMAPPING=ascii :are supported\r\n:s 376 ${nick} :End\r\n`,
      PING: word => `:s PONG s ${word}\r\n`,
      JOIN: word => `:${nick}!u@h JOIN ${word}\r\n:s 366 ${nick} ${word} :End\r\n`,
    }
    socket.on("error", () => {})
    socket.on("data", chunk => {
      const whole = `${rest}${chunk}`.split("\r\n")
      rest = whole.pop() ?? ""
      for (const line of whole) {
        const [command = "", word = ""] = line.split(" ")
        socket.write(answers[command]?.(word) ?? "")
      }
    })
  })
  await new Promise<void>(done => server.listen(0, "127.0.0.1", done))
  const address = server.address()
  const flush = () => {
    client?.write(lines.join(""))
    lines = []
  }
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    say: (nick, target, text) => {
      if (lines.push(`:${nick}!u@h PRIVMSG ${target} :${text}\r\n`) === 1) setImmediate(flush)
    },
    close: () => {
      client?.destroy()
      server.close()
    },
  }
}

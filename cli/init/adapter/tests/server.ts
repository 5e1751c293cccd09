import {createServer, type Socket} from "node:net"
import {createInterface} from "node:readline"
import {fileURLToPath} from "node:url"

export const password = "the-right-one"

interface Message {
  readonly id: string
  readonly at: number
  readonly user: string
  readonly text: string
}

/** The platform of the tests. It redelivers a message to each new connection until the bot has acknowledged it. */
export class LineServer {
  /** The bot's messages, in order. */
  readonly heard: {readonly text: string; readonly at: number}[] = []
  readonly sockets = new Set<Socket>()
  readonly #server = createServer(socket => this.#accept(socket))
  readonly #bots = new Set<Socket>()
  readonly #taken = new Set<string>()
  #messages: Message[] = []
  #last: Message | undefined
  #pause: number | undefined
  #onHeard: (text: string) => void = () => {}

  /** Resolves to the port; 0 chooses a free one. */
  listen(port = 0): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject)
      this.#server.listen(port, "127.0.0.1", () => {
        const address = this.#server.address()
        resolve(typeof address === "object" && address !== null ? address.port : port)
      })
    })
  }

  close(): void {
    this.#server.close()
    this.cut()
  }

  /** Breaks all connections. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy()
  }

  /** Sends a user's message. Returns its id; `isAcknowledged` tells whether the bot has stored it. */
  say(user: string, text: string): string {
    this.#last = {id: `${Date.now()}-${Math.random()}`, at: Date.now(), user, text}
    this.#messages.push(this.#last)
    this.#deliver(this.#last)
    return this.#last.id
  }

  isAcknowledged(id: string): boolean {
    return !this.#messages.some(message => message.id === id)
  }

  /** Redelivers the last message. */
  repeat(): void {
    if (this.#last !== undefined) this.#deliver(this.#last)
  }

  /** Rejects the bot's next message, and asks it to wait for this number of milliseconds. */
  slowDown(milliseconds: number): void {
    this.#pause = milliseconds
  }

  onHeard(listener: (text: string) => void): void {
    this.#onHeard = listener
  }

  #accept(socket: Socket): void {
    this.sockets.add(socket)
    socket.on("error", () => {})
    socket.on("close", () => {
      this.sockets.delete(socket)
      this.#bots.delete(socket)
    })
    createInterface({input: socket})
      .on("error", () => {})
      .on("line", line => this.#answer(socket, JSON.parse(line)))
  }

  #answer(socket: Socket, line: {password?: string; acknowledge?: string; send?: string; text?: string}): void {
    if (line.password !== undefined) this.#welcome(socket, line.password === password)
    if (line.acknowledge !== undefined) this.#messages = this.#messages.filter(({id}) => id !== line.acknowledge)
    if (line.send !== undefined) this.#take(socket, line.send, line.text ?? "")
  }

  #welcome(socket: Socket, welcome: boolean): void {
    write(socket, {welcome})
    if (!welcome) return
    this.#bots.add(socket)
    for (const message of this.#messages) write(socket, message)
  }

  /** Ignores a repeated message by its id: `idempotent` promises that. */
  #take(socket: Socket, id: string, text: string): void {
    const wait = this.#pause
    this.#pause = undefined
    if (wait === undefined && !this.#taken.has(id)) {
      this.#taken.add(id)
      this.heard.push({text, at: Date.now()})
      this.#onHeard(text)
    }
    write(socket, {taken: id, ...(wait === undefined ? {} : {wait})})
  }

  #deliver(message: Message): void {
    for (const socket of this.#bots) write(socket, message)
  }
}

const write = (socket: Socket, line: object) => void socket.write(`${JSON.stringify(line)}\n`)

// Run by hand, this is a chat in the terminal: each line that you type is a message to the bot.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = new LineServer()
  const print = (text: string) => void process.stdout.write(`${text}\n`)
  server.onHeard(text => print(`bot: ${text}`))
  print(`listening on port ${await server.listen(7000)}, password ${password}; type, for example, !help`)
  createInterface({input: process.stdin}).on("line", text => void server.say("you", text))
}

import {createServer, type Socket} from "node:net"
import {createInterface} from "node:readline"
import {fileURLToPath} from "node:url"
import type {AdapterUnderTest, FileUnderTest, Heard} from "../../../server/testing/adapter/conformance.ts"
import {listen} from "../../../server/testing/platforms/fake/serve.ts"
import {until} from "../host/process.ts"
import type {Fault, Said} from "./queue-adapter.ts"

export type {Fault}

interface Line {
  readonly hello?: string
  /** Messages sent while nobody is connected are never delivered. */
  readonly live?: boolean
  readonly from?: string
  readonly ack?: number
  readonly send?: string
  readonly text?: string
  /** An act, with the id of its answer and the id of its message. */
  readonly act?: "edit" | "delete" | "react" | "unreact" | "history" | "typing" | "commands" | "mute" | "file"
  readonly id?: string
  readonly message?: string
  readonly files?: readonly {readonly name: string; readonly data: string}[]
}

interface Kept extends Heard {
  readonly id: string
  readonly reactions: readonly string[]
}

/** A stand-in for a platform with a queue: it delivers unacknowledged messages to each new connection. */
class Queue {
  heard: readonly Kept[] = []
  readonly sockets = new Set<Socket>()
  readonly #sent = new Set<string>()
  readonly #all: Said[] = []
  readonly #data = new Map<string, string>()
  #messages: Said[] = []
  #last: Said = {sn: 0, text: ""}
  isLive = false
  pause: number | undefined
  commands: readonly string[] = []
  typing = 0

  say(text: string, file?: FileUnderTest): number {
    const sn = this.#last.sn + 1
    const {name = "", type = "", bytes} = file ?? {}
    if (bytes !== undefined) this.#data.set(String(sn), Buffer.from(bytes).toString("base64"))
    this.#last = {sn, text, ...(bytes === undefined ? {} : {file: {name, type, size: bytes.length}})}
    this.#messages.push(this.#last)
    this.#all.push(this.#last)
    this.#deliver(this.#last)
    return this.#last.sn
  }

  repeat(): void {
    this.#deliver(this.#last)
  }

  isTaken(sn: number): boolean {
    return this.isLive || !this.#messages.some(message => message.sn === sn)
  }

  accept(socket: Socket): void {
    socket.on("error", () => {})
    socket.on("close", () => this.sockets.delete(socket))
    const lines = createInterface({input: socket})
    lines.on("error", () => {})
    lines.on("line", line => this.#answer(socket, JSON.parse(line)))
  }

  #answer(socket: Socket, line: Line): void {
    const {hello, ack, send} = line
    if (hello !== undefined) {
      write(socket, {welcome: hello === "the-right-one"})
      if (hello !== "the-right-one") return
      this.sockets.add(socket)
      this.isLive = line.live === true
      if (!this.isLive) for (const message of this.#messages) write(socket, message)
    }
    if (ack !== undefined) this.#messages = this.#messages.filter(({sn}) => sn !== ack)
    if (send !== undefined) this.#take(socket, send, line)
    if (line.act === undefined) return
    const isGone = line.act === "delete" && !this.heard.some(({id}) => id === line.message)
    const data = line.act === "file" ? this.#data.get(line.message ?? "") : undefined
    write(socket, {sent: line.id, all: this.#act(line), isGone, data})
  }

  #act({act, message, text = ""}: Line): unknown {
    const change = (to: (kept: Kept) => Kept) => {
      this.heard = this.heard.map(kept => (kept.id === message ? to(kept) : kept))
    }
    if (act === "edit") change(kept => ({...kept, text}))
    if (act === "delete") this.heard = this.heard.filter(({id}) => id !== message)
    if (act === "react") change(kept => ({...kept, reactions: [...kept.reactions, text]}))
    if (act === "unreact") change(kept => ({...kept, reactions: kept.reactions.filter(each => each !== text)}))
    if (act === "commands") this.commands = text.split(" ")
    if (act === "typing") this.typing++
    return act === "history" ? this.#all : undefined
  }

  #take(socket: Socket, id: string, {text = "", files: sent = []}: Line): void {
    const wait = this.pause
    this.pause = undefined
    if (wait === undefined && !this.#sent.has(id)) {
      const files = sent.map(({name, data}) => ({name, bytes: Buffer.from(data, "base64")}))
      this.heard = [...this.heard, {id, text, at: Date.now(), reactions: [], files}]
      this.#sent.add(id)
    }
    write(socket, {sent: id, ...(wait === undefined ? {} : {wait})})
  }

  #deliver(message: object): void {
    for (const socket of this.sockets) write(socket, message)
  }
}

const write = (socket: Socket, line: object) => void socket.write(`${JSON.stringify(line)}\n`)

/** The adapter of the tests' queue, with or without a fault. With \`none\` it never redelivers, and has a history. */
export const queue = (fault: Fault = "none", history: "replay" | "none" = "replay"): AdapterUnderTest => ({
  use: fileURLToPath(new URL("queue-adapter.ts", import.meta.url)),
  name: "queue",
  config: {fault, history},
  platform: async defer => {
    const queue = new Queue()
    const open = new Set<Socket>()
    const server = createServer(socket => {
      open.add(socket)
      socket.on("close", () => open.delete(socket))
      queue.accept(socket)
    })
    const port = await listen(server, defer)
    return {
      account: {id: "one", port, password: "the-right-one"},
      refused: {id: "one", port, password: "another"},
      channel: "room",
      user: "ann",
      calls: {"guild.member.mute": {guild_id: "all", user_id: "ann", duration: 1000}},
      say: async text => {
        const sn = queue.say(text)
        await until("an acknowledgement", () => queue.isTaken(sn) || undefined)
      },
      sayFile: async file => {
        const sn = queue.say("", file)
        await until("an acknowledgement", () => queue.isTaken(sn) || undefined)
      },
      repeat: async () => queue.repeat(),
      heard: () => queue.heard,
      cut: () => {
        for (const socket of open) socket.destroy()
      },
      connections: () => open.size,
      commands: () => queue.commands,
      typing: () => queue.typing,
      slowDown: milliseconds => {
        queue.pause = milliseconds
      },
    }
  },
})

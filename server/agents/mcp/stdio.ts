import {type ChildProcess, spawn} from "node:child_process"
import {Writable} from "node:stream"
import {setTimeout as sleep} from "node:timers/promises"
import {toJson} from "../../../shared/json.ts"
import type {McpTransport} from "./package.ts"

/** The most characters of one message of a server: of a line, or of an answer over HTTP. */
export const longestMessage = 4 * 1024 * 1024

/**
 * The shell starts a watcher in the program's process group, then becomes the program. The watcher reads file 3, which
 * the Host alone holds open. Its end, also by the Host's death, kills the group.
 */
const script = '(exec </dev/null >/dev/null 2>&1; read -r _ <&3; kill -9 -$$) & exec "$@" 3<&-'

/** How long a server may take to end once its input has ended, in milliseconds. */
const patience = 1000

export interface Program {
  readonly command: readonly string[]
  /** All of its environment. */
  readonly env: Readonly<Record<string, string>>
  readonly folder: string
  /** Reads a message. Throws for anything else. */
  readonly read: (line: string) => unknown
  /** Receives what the program prints to stderr. */
  readonly onLog: (text: string) => void
  readonly onEnd: () => void
}

/** A server as a child process that reads and prints one JSON message a line (MCP's transport *stdio*). */
export class StdioTransport implements McpTransport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: unknown) => void
  readonly #program: Program
  #child: ChildProcess | undefined
  #parts: string[] = []
  #length = 0

  constructor(program: Program) {
    this.#program = program
  }

  async start(): Promise<void> {
    const {command, env, folder, onLog} = this.#program
    const stdio = ["pipe", "pipe", "pipe", "pipe"] as const
    const child = spawn("/bin/sh", ["-c", script, "sh", ...command], {
      cwd: folder,
      env,
      detached: true,
      stdio: [...stdio],
    })
    this.#child = child
    const {promise, resolve, reject} = Promise.withResolvers<void>()
    child.once("spawn", resolve).once("error", reject)
    child.stdin.on("error", () => {})
    child.stdio[3]?.on("error", () => {})
    child.stdout.setEncoding("utf8").on("data", (text: string) => this.#hear(text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => onLog(text.slice(0, 2000)))
    child.once("exit", () => this.#ended(child))
    await promise
  }

  async send(message: unknown): Promise<void> {
    const input = this.#child?.stdin
    if (!input?.writable) throw new Error("the server has ended")
    if (!input.write(`${toJson(message)}\n`))
      await new Promise<void>(resolve => input.once("drain", resolve).once("close", resolve))
  }

  /** Ends the server and its own children. */
  async close(): Promise<void> {
    const child = this.#child
    if (child === undefined) return
    const ended = new Promise<void>(resolve => child.once("exit", () => resolve()))
    child.stdin?.end()
    await Promise.race([ended, sleep(patience, undefined, {ref: false})])
    this.#ended(child)
  }

  #ended(child: ChildProcess): void {
    const watched = child.stdio[3]
    if (watched instanceof Writable) watched.destroy()
    if (this.#child !== child) return
    this.#child = undefined
    this.#parts = []
    this.#program.onEnd()
    this.onclose?.()
  }

  /** Keeps the parts of a line apart until it ends: joining them each time would take time by their square. */
  #hear(text: string): void {
    for (const [index, part] of text.split("\n").entries()) {
      if (index > 0) this.#take()
      if (this.#child === undefined) return
      this.#parts.push(part)
      this.#length += part.length
      if (this.#length > longestMessage) this.#fail(`a message of more than ${longestMessage} characters`)
    }
  }

  #take(): void {
    const line = this.#parts.join("").trim()
    ;[this.#parts, this.#length] = [[], 0]
    if (line === "") return
    try {
      this.onmessage?.(this.#program.read(line))
    } catch {
      this.#fail(`a line that is no message: ${line.slice(0, 200)}`)
    }
  }

  #fail(why: string): void {
    this.onerror?.(new Error(`the server printed ${why}`))
    if (this.#child !== undefined) this.#ended(this.#child)
  }
}

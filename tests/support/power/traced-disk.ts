import {readFileSync} from "node:fs"
import {basename} from "node:path"
import {type Running, startProcess} from "../host/process.ts"
import {tool} from "../machine/tools.ts"

/** A process's file operations, in order. What was written before a sync's begin is on the disk after its end. */
export type DiskEvent =
  | {readonly is: "write"; readonly file: string; readonly at: number; readonly bytes: Uint8Array}
  | {readonly is: "truncate"; readonly file: string; readonly size: number}
  | {readonly is: "sync begun"; readonly file: string; readonly thread: string}
  | {readonly is: "sync ended"; readonly thread: string; readonly isDone: boolean}
  | {readonly is: "said"; readonly text: string}

const calls = "pwrite64,write,writev,pwritev,pwritev2,fallocate,ftruncate,fsync,fdatasync"

/** Starts a process, and notes its writes and syncs, for `readDisk`. One fdatasync of each thread may fail. */
export const startNotingDisk = (
  command: readonly string[],
  notes: string,
  env: Readonly<Record<string, string>>,
  failing?: number,
): Running => {
  const {path, env: own} = tool("strace")
  const inject = failing === undefined ? [] : ["-e", `inject=fdatasync:error=EIO:when=${failing}`]
  const args = ["-f", "-y", "-xx", "-s", "2000000", "-o", notes, "-e", `trace=${calls}`, ...inject]
  return startProcess([path, ...args, ...command], {env: {...own, ...env, UV_THREADPOOL_SIZE: "1"}})
}

const bytesOf = (hex: string): Uint8Array => Buffer.from(hex.replaceAll("\\x", ""), "hex")

const textOf = (hex: string): string => Buffer.from(bytesOf(hex)).toString()

/** The noted operations on a database and its log. Throws for a change in a way unknown to the model. */
export const readDisk = (notes: string, database: string): readonly DiskEvent[] => {
  const events: DiskEvent[] = []
  const known = new Set([database, `${database}-wal`].map(path => basename(path)))
  for (const line of readFileSync(notes, "latin1").split("\n")) {
    const [, thread = "", call = ""] = /^(\d+) +(.*)$/.exec(line) ?? []
    const resumed = /^<\.\.\. (?:fsync|fdatasync) resumed>.* = (-?\d+)/.exec(call)
    if (resumed !== null) events.push({is: "sync ended", thread, isDone: resumed[1] === "0"})
    const [, name = "", number = "", path = "", rest = ""] = /^(\w+)\((\d+)<([^>]*)>(.*)$/.exec(call) ?? []
    const file = basename(textOf(path))
    if (name === "write" && number === "1") {
      events.push({is: "said", text: textOf(/"([^"]*)"/.exec(rest)?.[1] ?? "")})
      continue
    }
    if (!known.has(file)) continue
    if (name === "pwrite64") {
      const [, hex = "", length, at] = /^, "([^"]*)", (\d+), (\d+)/.exec(rest) ?? []
      const bytes = bytesOf(hex)
      if (bytes.length !== Number(length)) throw new Error(`a write was not noted whole: ${line.slice(0, 200)}`)
      events.push({is: "write", file, at: Number(at), bytes})
    } else if (name === "ftruncate") {
      events.push({is: "truncate", file, size: Number(/^, (\d+)/.exec(rest)?.[1])})
    } else if (name === "fsync" || name === "fdatasync") {
      events.push({is: "sync begun", file, thread})
      const ended = / = (-?\d+)/.exec(rest)
      if (ended !== null) events.push({is: "sync ended", thread, isDone: ended[1] === "0"})
    } else throw new Error(`not known to the model: ${line.slice(0, 200)}`)
  }
  return events
}

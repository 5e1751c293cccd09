import {type FileHandle, open} from "node:fs/promises"
import {dirname} from "node:path"
import {Check} from "typebox/schema"
import {ReleaseEntry} from "../../../shared/api/release.ts"
import {fromJson, toJson} from "../../../shared/json.ts"
import {Problem} from "../../../shared/problems.ts"
import {readFileIfExists, syncFolder} from "../../runtime/files.ts"

type Without<T, K extends string> = T extends unknown ? Omit<T, K> : never

/** A new entry; the record adds its number and time. */
export type NewEntry = Without<ReleaseEntry, "seq" | "at">

/**
 * `.svc/releases.jsonl`: the append-only record of releases, one entry per line. No restore replaces it. The holder of the
 * project writes it: the Host while it runs, otherwise a command.
 */
export class ReleaseRecord {
  readonly #file: string
  readonly #now: () => number

  constructor(file: string, now: () => number = Date.now) {
    this.#file = file
    this.#now = now
  }

  /**
   * Reads the entries, oldest first. Ignores an incomplete last line: its process died before it acknowledged the entry. Throws
   * `release_record_damaged`.
   */
  async read(): Promise<readonly ReleaseEntry[]> {
    return this.#parse((await readFileIfExists(this.#file)) ?? "")
  }

  /** Appends an entry, which is durable when this resolves. Throws `release_record_damaged`. */
  async append(fresh: NewEntry): Promise<ReleaseEntry> {
    const text = (await readFileIfExists(this.#file)) ?? ""
    const entries = this.#parse(text)
    const entry: ReleaseEntry = {seq: entries.length + 1, at: new Date(this.#now()).toISOString(), ...fresh}
    const file = await open(this.#file, "a", 0o600)
    try {
      await cutTail(file, text)
      await file.writeFile(`${toJson(entry)}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    if (text === "") await syncFolder(dirname(this.#file))
    return entry
  }

  #parse(text: string): readonly ReleaseEntry[] {
    const lines = text
      .slice(0, text.lastIndexOf("\n") + 1)
      .split("\n")
      .slice(0, -1)
    return lines.map((line, index) => {
      const entry = parseLine(line)
      if (entry?.seq === index + 1) return entry
      throw new Problem("release_record_damaged", `${this.#file}:${index + 1} is damaged`)
    })
  }
}

const cutTail = async (file: FileHandle, text: string): Promise<void> => {
  if (text !== "" && !text.endsWith("\n"))
    await file.truncate(Buffer.byteLength(text.slice(0, text.lastIndexOf("\n") + 1)))
}

const parseLine = (line: string): ReleaseEntry | undefined => {
  try {
    const json: unknown = fromJson(line)
    // A parser has just proved it.
    return Check(ReleaseEntry, json) ? (json as ReleaseEntry) : undefined
  } catch {
    return undefined
  }
}

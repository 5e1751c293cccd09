import {type FileHandle, open} from "node:fs/promises"
import {dirname} from "node:path"
import {Check} from "typebox/schema"
import {ReleaseEntry, type ReleaseView} from "../../../shared/api/release.ts"
import {toJson, tryFromJson} from "../../../shared/json.ts"
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

  constructor(file: string) {
    this.#file = file
  }

  /** Reads the entries, oldest first, without an incomplete last line. Throws `release_record_damaged`. */
  async read(): Promise<readonly ReleaseEntry[]> {
    return this.#parse((await readFileIfExists(this.#file)) ?? "")
  }

  /** Appends an entry, which is durable when this resolves. Throws `release_record_damaged`. */
  async append(fresh: NewEntry): Promise<ReleaseEntry> {
    const text = (await readFileIfExists(this.#file)) ?? ""
    const entries = this.#parse(text)
    const entry: ReleaseEntry = {seq: entries.length + 1, at: new Date().toISOString(), ...fresh}
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
  const json = tryFromJson(line)
  // A parser has just proved it.
  return Check(ReleaseEntry, json) ? (json as ReleaseEntry) : undefined
}

const begun = (id: string, at: string): ReleaseView => ({
  id,
  state: "beginning",
  beganAt: at,
  endedAt: null,
  restorePoint: null,
  problem: null,
  verification: null,
  build: null,
  acceptedBy: null,
  unverified: null,
  windowEnds: null,
  windowLeft: 0,
  reason: null,
})

const after = (view: ReleaseView, entry: ReleaseEntry): ReleaseView => {
  switch (entry.is) {
    case "beginning":
      return {...view, problem: null}
    case "begin_failed":
      return {...view, problem: {code: entry.code, detail: entry.detail}}
    case "begun":
      return {...view, state: "begun", restorePoint: entry.restorePoint, problem: null}
    case "verified":
      return {...view, verification: entry.verification}
    case "completed": {
      const {acceptedBy, unverified, windowEnds, at, build} = entry
      return {...view, state: "complete", endedAt: at, build: build?.id ?? null, acceptedBy, unverified, windowEnds}
    }
    case "aborted":
      return {...view, state: "aborted", endedAt: entry.at, reason: entry.reason}
    case "rolled_back":
      return {...view, state: "rolled_back", endedAt: entry.at}
    case "ingress_resumed":
      return view
  }
}

/** Returns the releases in the record, newest first, with their states at `now` (milliseconds since 1970). */
export const releasesOf = (entries: readonly ReleaseEntry[], now: number): readonly ReleaseView[] => {
  const views = new Map<string, ReleaseView>()
  for (const entry of entries) {
    const known = views.get(entry.release)
    // A rollback without a release under way counts as a separate release.
    if (known === undefined && entry.is !== "beginning" && entry.is !== "rolled_back") continue
    views.set(entry.release, after(known ?? begun(entry.release, entry.at), entry))
  }
  return [...views.values()].reverse().map(view => withWindow(view, now))
}

const withWindow = (view: ReleaseView, now: number): ReleaseView => {
  const left = view.windowEnds === null ? 0 : Math.ceil((Date.parse(view.windowEnds) - now) / 1000)
  return view.state === "complete" && left > 0 ? {...view, state: "observing", windowLeft: left} : view
}

/** Returns the release under way: begun, but neither completed nor aborted. */
export const underWay = (entries: readonly ReleaseEntry[]): ReleaseView | undefined =>
  releasesOf(entries, 0).find(({state}) => state === "beginning" || state === "begun")

/** Returns the checkpoints of the release under way and of each open observation window. */
export const neededCheckpoints = (entries: readonly ReleaseEntry[], now: number): ReadonlySet<string> =>
  new Set(
    releasesOf(entries, now)
      .filter(({state}) => state === "begun" || state === "observing")
      .flatMap(({restorePoint}) => (restorePoint === null ? [] : [restorePoint.checkpoint])),
  )

/** Returns an ended release whose pause of ingress still remains, because the Host died before it resumed ingress. */
export const stillPausing = (entries: readonly ReleaseEntry[]): string | undefined => {
  const last = entries.at(-1)
  return last?.is === "completed" || last?.is === "aborted" ? last.release : undefined
}

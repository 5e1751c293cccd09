import {readFileSync, renameSync, rmSync, writeFileSync} from "node:fs"
import {uptime} from "node:os"
import {dirname} from "node:path"
import {fromJson, toJson} from "../../shared/json.ts"
import {startLimit} from "../../shared/start-limit.ts"
import {makePrivateFolderSync} from "../runtime/files.ts"

/** One start of a Host's process. */
export interface Start {
  /** For people: no judgement is made by a clock that can be set. */
  readonly at: string
  /** Which boot of the machine this was; empty where the system does not tell. */
  readonly boot: string
  /** Seconds since that boot: a clock that all processes share and nobody sets back. */
  readonly uptime: number
  /** Who made it. */
  readonly owner: string
}

export type Moment = Pick<Start, "boot" | "uptime">

/** Why one more start now would be one too many. */
export interface TooMany {
  /** How many starts count. */
  readonly starts: number
  /** Until one more fits, in whole seconds. */
  readonly wait: number
}

/** Owners that stop starting the Host at the limit. All others only pause between two starts, and go on. */
const limited: ReadonlySet<string> = new Set(["daemon", "systemd"])

/** More than the limit has, so that the file also tells a person what happened before. */
const kept = startLimit.starts * 2

/** Some systems count `uptime` in whole seconds: what may be missing of one counts as not over. */
const tolerance = 1

/**
 * Appends this process's start to the record, before anything can fail; returns the starts as they are then. Never throws:
 * a new record takes the place of a damaged one.
 */
export const recordStart = (file: string, supervisor: string, now = currentMoment()): readonly Start[] => {
  const own = {at: new Date().toISOString(), ...now, owner: ownerOf(supervisor)}
  const starts = [...readStarts(file), own].slice(-kept)
  writeStarts(file, starts)
  return starts
}

/**
 * Replaces the record wholly or not at all. Never throws: where nothing can be written, this process alone knows of its start. Not
 * synced: after a power cut no earlier start counts.
 */
export const writeStarts = (file: string, starts: readonly Start[]): void => {
  const temporary = `${file}.tmp`
  try {
    makePrivateFolderSync(dirname(file))
    writeFileSync(temporary, toJson({starts}), {mode: 0o600})
    renameSync(temporary, file)
  } catch {
    // A full disk, or a folder that may not be written: the start itself meets it next, and says so.
    discard(temporary)
  }
}

const discard = (file: string): void => {
  try {
    rmSync(file, {force: true})
  } catch {
    // It was never written.
  }
}

/** What the record holds; nothing where there is none, or one that is damaged. */
export const readStarts = (file: string): readonly Start[] => {
  try {
    const json: unknown = fromJson(readFileSync(file, "utf8"))
    return typeof json === "object" && json !== null && "starts" in json && isStarts(json.starts) ? json.starts : []
  } catch {
    return []
  }
}

/** By hand: a schema takes its first check longer than all the rest of this. */
const isStarts = (json: unknown): json is readonly Start[] =>
  Array.isArray(json) &&
  json.every(
    each =>
      typeof each?.at === "string" &&
      typeof each.boot === "string" &&
      typeof each.owner === "string" &&
      Number.isFinite(each.uptime),
  )

/**
 * Would one more start now hit the limit of who starts the Host? Undefined where it would not. Each start of the same owner since
 * the boot counts, however it was asked for and however it ended. What the owner itself forgets (`systemctl reset-failed`) still
 * counts here: this view is the careful one.
 */
export const tooManyStarts = (
  starts: readonly Start[],
  supervisor: string,
  now = currentMoment(),
): TooMany | undefined => {
  if (!limited.has(supervisor)) return undefined
  const window = startLimit.within / 1000 + tolerance
  const ages = starts
    .filter(({owner, boot}) => owner === ownerOf(supervisor) && boot === now.boot)
    // One of the future belongs to an earlier boot.
    .map(start => now.uptime - start.uptime)
    .filter(age => age >= -tolerance && age < window)
    .sort((one, other) => one - other)
  const oldest = ages[startLimit.starts - 1]
  return oldest === undefined ? undefined : {starts: ages.length, wait: Math.ceil(window - oldest)}
}

/** Each daemon counts for itself. */
const ownerOf = (supervisor: string): string => (supervisor === "daemon" ? `daemon ${process.ppid}` : supervisor)

const currentMoment = (): Moment => ({boot: readBoot(), uptime: uptime()})

/** Linux's id of the boot; a hardened unit may not see it, and other systems have none. */
const readBoot = (): string => {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
  } catch {
    return ""
  }
}

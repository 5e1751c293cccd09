import {readFileSync, renameSync, rmSync, writeFileSync} from "node:fs"
import {uptime} from "node:os"
import {dirname} from "node:path"
import {fromJson, isObject, toJson} from "../../shared/json.ts"
import {startLimit} from "../../shared/start-limit.ts"
import {tryOr} from "../../shared/try-or.ts"
import {makePrivateFolderSync} from "../runtime/files.ts"

export interface Start {
  /** Only for people: svc decides nothing by a clock that can be set. */
  readonly at: string
  /** The id of the machine's boot; empty if the system has none. */
  readonly boot: string
  /** Seconds since that boot, by a clock that all processes share and nobody can set back. */
  readonly uptime: number
  /** The supervisor that made the start. */
  readonly owner: string
}

export type Moment = Pick<Start, "boot" | "uptime">

/** Why another start now would exceed the limit. */
export interface TooMany {
  /** The number of starts that count. */
  readonly starts: number
  /** The seconds until another start is possible, rounded up. */
  readonly wait: number
}

/** The owners that give up at the limit. All others only pause between starts and continue. */
const limited: ReadonlySet<string> = new Set(["daemon", "systemd"])

/** How many starts the record keeps: more than the limit, so that it also shows earlier starts to people. */
const kept = startLimit.starts * 2

/** In seconds. Some systems round `uptime` down to a second, so the last second counts as not over. */
const tolerance = 1

/** Records this start, and returns all recorded ones. Call it first. Never throws: replaces a damaged record. */
export const recordStart = (file: string, supervisor: string, now = currentMoment()): readonly Start[] => {
  const own = {at: new Date().toISOString(), ...now, owner: ownerOf(supervisor)}
  const starts = [...readStarts(file), own].slice(-kept)
  writeStarts(file, starts)
  return starts
}

/**
 * Replaces the record atomically. Never throws: if it cannot write, only this process knows of its start. It does not sync,
 * because after a power cut no earlier start counts.
 */
export const writeStarts = (file: string, starts: readonly Start[]): void => {
  const temporary = `${file}.tmp`
  try {
    makePrivateFolderSync(dirname(file))
    writeFileSync(temporary, toJson({starts}), {mode: 0o600})
    renameSync(temporary, file)
  } catch {
    // A full disk or a read-only folder. The start fails for the same reason next, and reports it.
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

/** Returns the recorded starts; none if the record is missing or damaged. */
export const readStarts = (file: string): readonly Start[] => {
  const json: unknown = tryOr(() => fromJson(readFileSync(file, "utf8")), undefined)
  return isObject(json) && isStarts(json.starts) ? json.starts : []
}

/** Checks by hand: the first check with a schema would take longer than everything else here. */
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
 * Returns why another start now would exceed the supervisor's limit, or undefined if it would not. Each start by the same
 * owner since the boot counts, regardless of its reason and its end. Starts that the owner itself forgets
 * (`systemctl reset-failed`) still count here, to be on the safe side.
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
    // A start in the future belongs to an earlier boot.
    .map(start => now.uptime - start.uptime)
    .filter(age => age >= -tolerance && age < window)
    .sort((one, other) => one - other)
  const oldest = ages[startLimit.starts - 1]
  return oldest === undefined ? undefined : {starts: ages.length, wait: Math.ceil(window - oldest)}
}

/** Returns the owner's name; each daemon counts separately. */
const ownerOf = (supervisor: string): string => (supervisor === "daemon" ? `daemon ${process.ppid}` : supervisor)

const currentMoment = (): Moment => ({boot: readBoot(), uptime: uptime()})

/** Returns Linux's boot id. A hardened unit may not see it, and other systems have none. */
const readBoot = (): string => tryOr(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(), "")

import {createReadStream} from "node:fs"
import {createInterface} from "node:readline"
import {tryFromJson} from "../../../shared/json.ts"
import {Problem} from "../../../shared/problems.ts"
import {fits, type HistoryFilter} from "./history.ts"
import type {LogRecord} from "./record.ts"
import {listSegments, lookAt, type Segment} from "./runs/names.ts"

/** A run whose log is kept. Times are in milliseconds since 1970. */
export interface KeptRun {
  readonly runtimeId: string
  readonly startedAt: number
  readonly writtenAt: number
  /** The size of its log, in bytes. */
  readonly size: number
  /** True if its first records were deleted. */
  readonly isCut: boolean
}

export type NumberedRecord = LogRecord & {readonly id: string; readonly seq: number}

/** Lists the runs, the newest first. */
export const listRuns = async (folder: string): Promise<readonly KeptRun[]> => {
  const runs = Map.groupBy(await listSegments(folder), ({runtimeId}) => runtimeId)
  const kept = await Promise.all(
    [...runs].map(async ([runtimeId, segments]): Promise<KeptRun> => {
      const looks = await Promise.all(segments.map(lookAt))
      return {
        runtimeId,
        startedAt: segments[0]?.startedAt ?? 0,
        writtenAt: Math.max(...looks.map(({writtenAt}) => writtenAt)),
        size: looks.reduce((sum, {size}) => sum + size, 0),
        isCut: segments[0]?.first !== 1,
      }
    }),
  )
  return kept.sort((one, other) => other.startedAt - one.startedAt)
}

/** Returns the run with its times in the format of the API. */
export const viewRun = (run: KeptRun) => ({
  ...run,
  startedAt: new Date(run.startedAt).toISOString(),
  writtenAt: new Date(run.writtenAt).toISOString(),
})

export interface RunRequest {
  readonly filter: HistoryFilter
  readonly limit: number
  /** Only records below this number. */
  readonly below?: number | undefined
}

/** Returns records of an earlier run, newest first, and where to continue, if not at the end. Throws `log_unknown`. */
export const readRun = async (
  folder: string,
  runtimeId: string,
  {filter, limit, below = Number.MAX_SAFE_INTEGER}: RunRequest,
): Promise<{readonly items: readonly NumberedRecord[]; readonly next: number | undefined}> => {
  const segments = (await listSegments(folder)).filter(segment => segment.runtimeId === runtimeId)
  if (segments.length === 0) throw new Problem("log_unknown", `no log of the run ${runtimeId} is kept`)
  const found: NumberedRecord[] = []
  for (const segment of segments.filter(({first}) => first < below).toReversed()) {
    const fitting = (await readSegment(segment)).filter(record => record.seq < below && fits(record, filter))
    found.push(...fitting.reverse())
    if (found.length > limit) break
  }
  const items = found.slice(0, limit)
  return {items, next: found.length > limit ? items.at(-1)?.seq : undefined}
}

/** Returns records of runs that were written in a time range and whose field has one of the numbers, oldest first. */
export const readRunsAbout = async (
  folder: string,
  numbers: Readonly<Record<string, ReadonlySet<number>>>,
  {from, to, except}: {readonly from: number; readonly to: number; readonly except: string},
): Promise<readonly NumberedRecord[]> => {
  const names = Object.keys(numbers)
  const found: NumberedRecord[] = []
  for (const segment of await listSegments(folder)) {
    if (segment.runtimeId === except || segment.startedAt > to || (await lookAt(segment)).writtenAt < from) continue
    const records = await readSegment(segment, line => names.some(name => line.includes(`"${name}":`)))
    found.push(...records.filter(record => names.some(name => numbers[name]?.has(record[name] as number))))
  }
  return found
}

/** Skips the last line of a killed run if it is incomplete. */
const readSegment = async (
  {path, runtimeId, first}: Segment,
  isWanted: (line: string) => boolean = () => true,
): Promise<NumberedRecord[]> => {
  const records: NumberedRecord[] = []
  let seq = first - 1
  try {
    for await (const line of createInterface({input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY})) {
      seq++
      const record = isWanted(line) ? (tryFromJson(line) as LogRecord | undefined) : undefined
      if (record !== undefined) records.push({...record, id: `${runtimeId}-${seq}`, seq})
    }
  } catch {
    // A newer segment has replaced it.
  }
  return records
}

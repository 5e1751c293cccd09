import {type Buckets, Histogram} from "../../../shared/metrics/meter.ts"
import type {Database} from "../../database/database.ts"
import {readStorage} from "../../database/upkeep/compact.ts"
import type {HandlerFigures} from "../../messages/handler-meter.ts"
import {Recorder, type Totals} from "../../metrics/history/recorder.ts"
import type {Uptimes} from "../../metrics/history/uptimes.ts"
import {Watch, type Watched} from "../../metrics/history/watch.ts"
import type {Sources} from "../parts/sources.ts"

/** The numbers of stored events have no gaps, even after retention has deleted events. */
const lastNumber = "SELECT seq FROM sqlite_sequence WHERE name = 'inbox'"

/** Creates the recorder of the metric history. `subjects` are those of the status page, each with its current state. */
export const createMetricHistory = (
  {database, logs: {log}, handlers, outbox, endpoints}: Sources,
  subjects: () => readonly Watched[],
  uptimes: Uptimes,
): Recorder =>
  new Recorder({
    database,
    log,
    watch: new Watch({
      endpoints: () => endpoints.list().map(({spec, state}) => ({name: spec.name, state: state.is})),
      subjects,
    }),
    uptimes,
    totals: async (): Promise<Totals> => {
      const [[row], bytes] = await Promise.all([database.read(lastNumber), sizeOf(database)])
      const {owners} = handlers
      const {sent, failed, dead, unknown, expired} = outbox.ends
      return {
        received: Number(row?.seq ?? 0),
        handled: sumOf(owners, ({ends}) => ends.handled),
        failed: sumOf(owners, ({ends}) => ends.failed),
        sent,
        unsent: failed + dead + unknown + expired,
        handlers: addBuckets(owners.map(({seconds}) => seconds)),
        commits: upTo(database.commits.seconds),
        bytes,
        memory: process.memoryUsage.rss(),
      }
    },
  })

const sizeOf = async ({location}: Database): Promise<number> => {
  if (location.dialect !== "sqlite") return 0
  const {file, log} = await readStorage(location.file)
  return file + log
}

const sumOf = (owners: readonly HandlerFigures[], count: (figures: HandlerFigures) => number): number =>
  owners.reduce((sum, figures) => sum + count(figures), 0)

const upTo = (buckets: Buckets): readonly number[] => [...buckets.cumulative(), buckets.count]

const addBuckets = (all: readonly Buckets[]): readonly number[] =>
  all.map(upTo).reduce((sum, counts) => sum.map((count, index) => count + (counts[index] ?? 0)), upTo(new Histogram()))

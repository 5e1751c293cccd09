import {mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from "node:fs"
import {tmpdir} from "node:os"
import {join} from "node:path"
import {afterAll, expect, test} from "vitest"
import {memoryFolder, notes, open} from "../../support/database/databases.ts"
import {Chance, onBun, root, runtimes, scriptCommand} from "../../support/host/host.ts"
import {faultRun, tellHowToRepeat} from "../../support/machine/fault-run.ts"
import {needStrace} from "../../support/machine/strace.ts"
import {ModelDisk} from "../../support/power/disk-model.ts"
import {type DiskEvent, readDisk, startNotingDisk} from "../../support/power/traced-disk.ts"

const run = faultRun("power-loss")
const {rounds, seed} = run
const file = "data.sqlite"
const rowsOfBatch = 8
/** Enough batches for several checkpoints of the WAL. */
const batches = 200
const node = runtimes.find(({name}) => name === "node24") ?? onBun

/** Scratch folders that outlive the test that made the traces. */
const folders: string[] = []
const folder = () => {
  const made = mkdtempSync(join(tmpdir(), "svc-"))
  folders.push(made)
  return made
}
afterAll(() => {
  for (const made of folders) rmSync(made, {recursive: true, force: true})
})

interface Traced {
  /** The database file before the first event. */
  readonly before: Uint8Array
  readonly events: readonly DiskEvent[]
}

const trace = async (slowFrom: string, failing?: number): Promise<Traced> => {
  const path = join(folder(), file)
  await (await open({dialect: "sqlite", file: path}, {known: [notes]})).close()
  const before = readFileSync(path)
  const trace = `${path}.trace`
  const command = [...scriptCommand(node, `${root}tests/support/power/write-acknowledged.ts`), path, String(batches)]
  const {stderr} = await startNotingDisk(command, trace, {SVC_SLOW_DISK_FROM: slowFrom}, failing).finished
  expect(stderr).toBe("")
  return {before, events: readDisk(trace, path)}
}

/** The moments of the power losses: half at random, half close to the end of a sync or to a truncation. */
const cutsOf = (events: readonly DiskEvent[], chance: Chance): ReadonlySet<number> => {
  const turns = [...events.keys()].filter(at => events[at]?.is !== "write")
  return new Set(
    Array.from({length: rounds}, (_, round) =>
      round % 2 === 0 ? chance.below(events.length) : chance.pick(turns) + chance.below(5) - 2,
    ),
  )
}

/** Opens a database after a power loss. Returns everything wrong with it. */
const examine = async (found: ReadonlyMap<string, Uint8Array>, acknowledged: readonly number[]): Promise<string[]> => {
  const folder = join(memoryFolder(), "found")
  mkdirSync(folder)
  for (const [name, content] of found) writeFileSync(join(folder, name), content)
  try {
    const database = await open({dialect: "sqlite", file: join(folder, file)}, {known: [notes], isScratch: true})
    const [check] = await database.read("PRAGMA integrity_check")
    const rows = await database.read("SELECT n, count(*) AS count FROM notes GROUP BY n")
    await database.close()
    const batches = new Map(rows.map(({n, count}) => [Number(n), Number(count)]))
    return [
      ...(check?.integrity_check === "ok" ? [] : [String(check?.integrity_check)]),
      ...[...batches].filter(([, count]) => count !== rowsOfBatch).map(([n, count]) => `${count} rows of batch ${n}`),
      ...acknowledged.filter(n => !batches.has(n)).map(n => `batch ${n} is lost`),
    ]
  } catch (error) {
    return [String(error)]
  } finally {
    rmSync(folder, {recursive: true})
  }
}

/** Loses the power at some of the events. Returns everything wrong afterwards. */
const lose = async ({before, events}: Traced): Promise<string[]> => {
  const chance = new Chance(seed)
  const cuts = cutsOf(events, chance)
  const disk = new ModelDisk(new Map([[file, before]]))
  const acknowledged: number[] = []
  const wrong: string[] = []
  for (const [at, event] of events.entries()) {
    disk.take(event)
    if (event.is === "said") acknowledged.push(...event.text.trim().split("\n").map(Number))
    if (!cuts.has(at)) continue
    const found = await examine(disk.lose(chance), acknowledged)
    wrong.push(...found.map(what => `after event ${at} of ${events.length}: ${what}`))
  }
  return wrong
}

const failedIn = ({events}: Traced): readonly string[] => {
  const begun = new Map<string, string>()
  return events.flatMap(event => {
    if (event.is === "sync begun") begun.set(event.thread, event.file)
    return event.is === "sync ended" && !event.isDone ? [begun.get(event.thread) ?? ""] : []
  })
}

const saidBy = ({events}: Traced) => events.filter(({is}) => is === "said").length

/** The commit from which a disk counts as slow; the number and file of the sync that fails in the thread pool. */
const disks = [
  ["fast", "Infinity", undefined, []],
  ["slow", "0", undefined, []],
  // The pool's first sync is that of the database, after the first checkpoint.
  ["slow, and does not sync the database", "0", 1, [file]],
  ["slow, and once does not sync the log", "0", 25, [`${file}-wal`]],
] as const

/** The traces of all disks. They are made side by side, once for all tests. */
let traces: ReadonlyMap<string, Promise<Traced>> | undefined
const traceOf = async (wanted: (typeof disks)[number][0]): Promise<Traced> => {
  traces ??= new Map(disks.map(([name, slowFrom, failing]) => [name, trace(slowFrom, failing)]))
  // A process must end before the test that started it.
  await Promise.all(traces.values())
  const found = traces.get(wanted)
  if (found === undefined) throw new Error(`no disk ${wanted}`)
  return found
}

test.for(disks)(
  `each acknowledged batch survives ${rounds} power losses (seed ${seed}) on a disk that is %s`,
  async ([name, , , failed], context) => {
    needStrace(context)
    tellHowToRepeat(run)
    const traced = await traceOf(name)
    expect(failedIn(traced)).toEqual(failed)
    if (name === "slow, and once does not sync the log") expect(saidBy(traced)).toBeLessThan(batches)
    else expect(saidBy(traced)).toBe(batches)
    expect(await lose(traced)).toEqual([])
  },
)

test.for(["log", "database"])("the disk model notices missing syncs of the %s", async (what, context) => {
  needStrace(context)
  const {before, events} = await traceOf("slow")
  const left = what === "log" ? `${file}-wal` : file
  const unsynced = events.filter(event => event.is !== "sync begun" || event.file !== left)
  expect((await lose({before, events: unsynced})).length).toBeGreaterThan(0)
})

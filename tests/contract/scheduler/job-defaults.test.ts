import {readFileSync} from "node:fs"
import {join} from "node:path"
import {v7 as uuid} from "uuid"
import {expect, test} from "vitest"
import type {Database, Statement} from "../../../server/database/database.ts"
import type {JobDefault} from "../../../server/generation/kinds/job.ts"
import {systemClock} from "../../../server/runtime/flow/clock.ts"
import {jobDefaultProblem} from "../../../server/scheduler/job-defaults.ts"
import {reconcileJobFile} from "../../../server/scheduler/job-file/reconcile-job-file.ts"
import {Jobs} from "../../../server/scheduler/jobs.ts"
import type {FiringTarget} from "../../../shared/api/scheduled/jobs.ts"
import {log, memoryFolder, open} from "../../support/database/databases.ts"
import {type Death, MortalDatabase} from "../../support/database/mortal-database.ts"

const schedule = {cron: "0 3 1 1 *", timezone: "UTC"}
const defaults: readonly JobDefault[] = ["one", "two"].map(name => ({plugin: "team", name, schedule}))
const authority = uuid()

/** A stand-in for the Host's targets; no job of this file comes due. */
const target: FiringTarget = {problem: () => undefined, fire: async () => ({statements: []})}

const makePlace = async () => {
  const folder = memoryFolder()
  const path = join(folder, "schedule-jobs.json")
  const database = await open({dialect: "sqlite", file: join(folder, "data.sqlite")})
  const idsIn = (): readonly string[] =>
    (JSON.parse(readFileSync(path, "utf8")) as {jobs: {id: string}[]}).jobs.map(({id}) => id)
  return {path, database, idsIn}
}

const settle = (database: Database, path: string) =>
  reconcileJobFile(database, {jobs: path, generation: `${path}.generation`}, authority)

/** The jobs of one life of a Host, made as at its start. */
const makeJobs = async (database: Database, path: string, declared: () => readonly JobDefault[]): Promise<Jobs> =>
  new Jobs({
    database,
    log,
    runtimeId: uuid(),
    clock: systemClock,
    authority,
    path,
    content: await settle(database, path),
    isPaused: () => false,
    scrub: text => text,
    requireOpen: () => {},
    declared,
    targets: {message: target, plugin: target, item: target, agent: target},
  })

/** Runs a life that dies at a write after `writes` others. Resolves to true if it ended before that. */
const live = async (database: Database, path: string, writes: number, death: Death): Promise<boolean> => {
  const mortal = new MortalDatabase(database)
  mortal.doom(writes, death)
  const living = makeJobs(mortal, path, () => defaults).then(async jobs => {
    await jobs.start()
    await jobs.drain()
  })
  await Promise.race([living, mortal.died])
  const hasEnded = !mortal.isDead
  await mortal.die()
  return hasEnded
}

test.each<Death>(["before", "after"])("after a kill %s a write, the next start has each default once", async death => {
  let hasEnded = false
  let writes = 0
  for (; !hasEnded; writes++) {
    const {path, database, idsIn} = await makePlace()
    hasEnded = await live(database, path, writes, death)
    const next = await makeJobs(database, path, () => defaults)
    await next.start()
    expect({writes, ids: idsIn()}).toEqual({writes, ids: ["team.one", "team.two"]})
    await next.remove("team.one")
    await next.edit("team.two", {schedule: {every: "2h"}})
    await next.generationChanged()
    await next.drain()
    expect({writes, ids: idsIn()}).toEqual({writes, ids: ["team.two"]})
    await live(database, path, Number.POSITIVE_INFINITY, death)
    expect({writes, ids: idsIn()}).toEqual({writes, ids: ["team.two"]})
    await database.write([{sql: "DELETE FROM svc_meta WHERE key = 'jobs.declared.team/two'"}])
    await live(database, path, Number.POSITIVE_INFINITY, death)
    expect({writes, ids: idsIn()}).toEqual({writes, ids: ["team.two"]})
  }
  // It was killed at least at the record of the file and at the record of the defaults.
  expect(writes).toBeGreaterThan(2)
})

/** A database whose third read of the declared defaults is answered late. */
class LateDatabase extends MortalDatabase {
  #looks = 0
  readonly answered = Promise.withResolvers<void>()

  override async read(sql: string, args?: Statement["args"]) {
    const rows = await super.read(sql, args)
    if (sql.includes("jobs.declared") && ++this.#looks === 3) await this.answered.promise
    return rows
  }
}

test("a default of a later generation is added once, even when commits overlap", async () => {
  const {path, database, idsIn} = await makePlace()
  const late = new LateDatabase(database)
  let declared = defaults.slice(0, 1)
  const jobs = await makeJobs(late, path, () => declared)
  await jobs.start()
  await jobs.edit("team.one", {label: "mine"})
  declared = defaults.slice()
  const [first, second] = [jobs.generationChanged(), jobs.generationChanged()]
  await first
  expect(idsIn()).toEqual(["team.one", "team.two"])
  await jobs.remove("team.two")
  late.answered.resolve()
  await second
  expect(jobs.get("team.one").label).toBe("mine")
  expect(idsIn()).toEqual(["team.one"])
  await jobs.drain()
})

test("nothing is written before the first generation is committed", async () => {
  const {path, database} = await makePlace()
  const jobs = await makeJobs(database, path, () => defaults)
  await jobs.generationChanged()
  await jobs.drain()
  expect(await settle(database, path)).toBeUndefined()
})

test("a default whose id an operator's job already has gets a number; the job stays unchanged", async () => {
  const {path, database, idsIn} = await makePlace()
  const before = await makeJobs(database, path, () => [])
  await before.start()
  const mine = {endpoint: "line", channel: "c", text: "mine"}
  await before.add({id: "team.one", schedule: {every: "1h"}, timezone: "UTC", target: mine})
  await before.drain()
  await live(database, path, Number.POSITIVE_INFINITY, "before")
  expect(idsIn()).toEqual(["team.one", "team.one-2", "team.two"])
  const [kept] = (JSON.parse(readFileSync(path, "utf8")) as {jobs: {target: object}[]}).jobs
  expect(kept?.target).toEqual(mine)
})

test.for([
  ["a BigInt", 1n, /^schedule\.data cannot be kept as JSON: /],
  ["a function", () => {}, /^schedule\.data cannot be kept as JSON: it is function/],
  ["more than 64 KiB", "x".repeat(65_536), /^schedule\.data: it has more than 65536 characters/],
] as const)("a default whose data is %s fails its draft", ([, data, problem]) => {
  expect(jobDefaultProblem({plugin: "team", name: "one", schedule: {...schedule, data}})).toMatch(problem)
})

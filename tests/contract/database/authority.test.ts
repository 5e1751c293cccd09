import {randomUUID} from "node:crypto"
import {mkdirSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {describe, expect, test} from "vitest"
import {parseConfig} from "../../../server/config/load.ts"
import type {Database} from "../../../server/database/database.ts"
import {resolveAuthority} from "../../../server/project/authority.ts"
import {requireOneHistory} from "../../../server/project/one-history.ts"
import {sha256Of} from "../../../server/runtime/files.ts"
import {projectPaths} from "../../../server/runtime/project.ts"
import {writeJobFile} from "../../../server/scheduler/job-file/job-store.ts"
import {recordJobFile} from "../../../server/scheduler/job-file/reconcile-job-file.ts"
import {adoptStore, adoptTables} from "../../../server/workroom/checkpoint.ts"
import {FileStore} from "../../../server/workroom/store/file-store.ts"
import {TableStore} from "../../../server/workroom/store/table-store.ts"
import {epochOf} from "../../../shared/event-id.ts"
import type {Problem} from "../../../shared/problems.ts"
import {makeFolder, open} from "../../support/database/databases.ts"
import {errorOf} from "../../support/host/problems.ts"
import {openWorkroom} from "../../support/workroom/workroom.ts"

type Part = "authority file" | "event log" | "workroom Journal" | "job file" | "database"

/** Makes a project with one authority, whose parts can each get another one. */
const makeState = async (store: "database" | "file") => {
  const paths = projectPaths(makeFolder())
  mkdirSync(paths.state)
  const text = `workroom: {store: ${store}}\n`
  const {config} = parseConfig({file: "svc.config.yml", text, sha256: sha256Of(text)}, {})
  const database = await open({dialect: "sqlite", file: paths.database})
  const authority = await resolveAuthority(database, paths.authority, undefined)
  const workroom = await openWorkroom(
    store === "file" ? new FileStore({folder: paths.state}) : new TableStore(database),
    authority,
  )
  await workroom.close()
  await recordJobFile(database, await writeJobFile(paths.jobs, authority, []))
  const at = new Date().toISOString()
  const give: Record<Part, (to: string) => unknown> = {
    database: to => changeRow(database, "UPDATE svc_meta SET value = ? WHERE key = 'authority'", to),
    "event log": to => changeRow(database, "UPDATE event_retention SET authority = ?", to),
    "workroom Journal": to => (store === "file" ? adoptStore(paths.state, to, at) : adoptTables(database, to, at)),
    "job file": to => writeJobFile(paths.jobs, to, []),
    "authority file": to => writeFileSync(paths.authority, JSON.stringify({authority: to})),
  }
  return {paths, database, authority, give, judge: () => requireOneHistory({paths, config, database})}
}

const changeRow = (database: Database, sql: string, to: string) => database.write([{sql, args: [to]}])

/** The authorities that a refusal names, each with its parts. */
const historiesOf = ({message}: Problem): Record<string, string[]> =>
  Object.fromEntries(
    [...message.matchAll(/^ {2}authority (\S+), epoch (\S+): (.*)$/gm)].map(([, authority = "", epoch, parts = ""]) => {
      expect(epoch).toBe(epochOf(authority))
      return [authority, parts.split("), ").map(part => part.replace(/ \(.*/, ""))]
    }),
  )

const refusalOf = async (judge: () => Promise<unknown>): Promise<Problem> => {
  const problem = await errorOf(judge())
  expect(problem).toMatchObject({code: "authority_mismatch"})
  return problem as Problem
}

const parts: readonly Part[] = ["database", "event log", "authority file", "workroom Journal", "job file"]

/** Every combination of at least `least` parts. */
const choices = (least: number): readonly (readonly Part[])[] =>
  Array.from({length: 2 ** parts.length}, (_, bits) => parts.filter((_, index) => (bits >> index) % 2 === 1)).filter(
    ({length}) => length >= least && length < parts.length,
  )

describe.each(["database", "file"] as const)("with the workroom in the %s store", store => {
  test("parts with one authority are accepted", async () => {
    const {authority, judge} = await makeState(store)
    const {holders} = await judge()
    expect(holders.map(holder => [holder.name, holder.authority])).toEqual(parts.map(name => [name, authority]))
  })

  test("parts with another authority than the rest are all named in one refusal, with both authorities", async () => {
    const {authority, give, judge} = await makeState(store)
    for (const odd of choices(1)) {
      const other = randomUUID()
      for (const part of odd) await give[part](other)
      const histories = historiesOf(await refusalOf(judge))
      expect(histories).toEqual({[authority]: parts.filter(part => !odd.includes(part)), [other]: odd})
      for (const part of odd) await give[part](authority)
    }
    await judge()
  })

  test("parts with different authorities are all named", async () => {
    const {give, judge} = await makeState(store)
    const own = parts.map(part => [part, randomUUID()] as const)
    for (const [part, authority] of own) await give[part](authority)
    const problem = await refusalOf(judge)
    expect(historiesOf(problem)).toEqual(Object.fromEntries(own.map(([part, authority]) => [authority, [part]])))
    expect(problem.hint).toContain("svc checkpoint restore")
  })
})

test("a missing or damaged part is named together with a differing one, or alone", async () => {
  const {paths, give, authority, judge} = await makeState("file")
  writeFileSync(paths.authority, "{")
  expect(await refusalOf(judge)).toMatchObject({
    code: "authority_mismatch",
    message: expect.stringContaining(`${paths.authority} `),
  })
  const other = randomUUID()
  await give["job file"](other)
  const both = await refusalOf(judge)
  expect(both.message).toContain("authority file: ")
  expect(historiesOf(both)).toMatchObject({[other]: ["job file"]})
  await give["authority file"](authority)
  await give["workroom Journal"](other)
  writeFileSync(join(paths.project, "data/schedule-jobs.json"), '{"version": 1, "jobs": []}')
  const three = await refusalOf(judge)
  expect(three.message).toContain("job file: data/schedule-jobs.json names no authority")
  expect(historiesOf(three)).toMatchObject({[other]: ["workroom Journal"]})
})

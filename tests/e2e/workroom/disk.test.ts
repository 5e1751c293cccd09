import {readdirSync} from "node:fs"
import {join} from "node:path"
import {describe, expect, test} from "vitest"
import {FileStore} from "../../../server/workroom/store/file-store.ts"
import {makeFolder} from "../../support/database/databases.ts"
import {onBun, onNode22, posting, startHost, type TestHost} from "../../support/host/host.ts"
import {fillDisk, mountDisk, needMounts} from "../../support/machine/disk.ts"
import {failSyncs, needStrace} from "../../support/machine/strace.ts"
import {add, openWorkroom} from "../../support/workroom/workroom.ts"

const config = "http: {port: 0}\nworkroom: {store: file}\nplugins: {sandbox: {}}\n"

const tryAdd = async (host: TestHost, title: string): Promise<{readonly status: number; readonly code?: string}> => {
  const response = await host.fetch("/api/workroom/items", posting({title}))
  return {status: response.status, code: ((await response.json()) as {code?: string}).code ?? ""}
}

const titlesOf = async (host: TestHost) =>
  (await host.get("/api/workroom/items", {limit: 500})).items.map(({title}) => title).reverse()

describe.each([onBun, ...(onNode22 === undefined ? [] : [onNode22])])("on $name", runtime => {
  test("a command with a failed fsync is neither acknowledged nor retried, and later ones are stored", async context => {
    needStrace(context)
    const host = await startHost({own: true, runtime, config})
    expect(await tryAdd(host, "before")).toMatchObject({status: 201})
    const strace = await failSyncs(context, host.process.pid)
    for (const title of ["failed 1", "failed 2"]) expect((await tryAdd(host, title)).status).toBe(503)
    expect((await fetch(`${host.url}/pub/health`)).status).toBe(200)
    expect(await titlesOf(host)).toEqual(["before"])
    strace.child.kill("SIGINT")
    await strace.finished
    expect(await tryAdd(host, "after")).toMatchObject({status: 201})
    expect(await titlesOf(host)).toEqual(["before", "after"])
    await host.stop("SIGKILL")
    const next = await startHost({project: host.project, runtime})
    expect(await titlesOf(next)).toEqual(["before", "after"])
    expect(await next.post("/api/workroom/verify")).toMatchObject({seq: 2})
  })
})

test("on a full disk commands are refused and have no effect, and none acknowledged is lost", async context => {
  needMounts(context)
  const folder = join(makeFolder(), "disk")
  const disk = mountDisk(folder, "512k")
  const workroom = await openWorkroom(new FileStore({folder, segmentSize: 64 * 1024}))
  const acknowledged: string[] = []
  const refused: unknown[] = []
  const work = async (title: string) =>
    workroom
      .run(add(title, {description: "x".repeat(4000)}))
      .then(() => acknowledged.push(title))
      .catch(error => refused.push(error.code))
  for (let n = 0; refused.length === 0 && n < 500; n++) await work(`item ${n}`)
  expect(refused).toEqual(["workroom_failed"])
  fillDisk(folder)
  await Promise.all(Array.from({length: 20}, (_, n) => work(`burst ${n}`)))
  expect(refused.length).toBe(21)
  expect(new Set(refused)).toEqual(new Set(["workroom_failed"]))
  disk.resize("4m")
  await work("after")
  expect(acknowledged.at(-1)).toBe("after")
  await workroom.verify()
  expect(workroom.items.map(({title}) => title)).toEqual(acknowledged)
  await workroom.close()
  expect((await openWorkroom(new FileStore({folder}))).items.map(({title}) => title)).toEqual(acknowledged)
  expect(readdirSync(join(folder, "workroom-journal")).filter(name => name.startsWith("torn"))).toEqual([])
})

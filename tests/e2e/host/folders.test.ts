import {existsSync, readFileSync, realpathSync} from "node:fs"
import {relative} from "node:path"
import {describe, expect, test} from "vitest"
import {makeFolder, makeProject, runtimes, svc, until} from "../../support/host/host.ts"
import {needStrace, readFolders, startNotingFolders} from "../../support/machine/strace.ts"

const config = `http: {port: 0}
database: {dialect: sqlite, filename: data/deep/bot.sqlite}
workroom: {store: file}
plugins: {sandbox: {}}
`

/** Whether the next start recreates this path. */
const isPassing = (path: string) => path.startsWith(".svc/tmp")

describe.each(runtimes)("on $name", runtime => {
  test("the parent of every durable folder is synced after the folder is made", async context => {
    needStrace(context)
    const project = makeProject({config})
    const folder = realpathSync(project.folder)
    const notes = `${makeFolder()}/notes`
    const host = startNotingFolders([...runtime.command, "runtime", "start", "--no-watch"], notes, folder)
    await until("the Host to serve", () => existsSync(project.path(".svc/host.json")))
    const {pid} = JSON.parse(readFileSync(project.path(".svc/host.json"), "utf8")) as {pid: number}
    expect((await svc(runtime, project, ["checkpoint", "create"])).code).toBe(0)
    process.kill(pid, "SIGTERM")
    await host.finished
    const made = readFolders(notes, folder).flatMap(({path, isDurable}) => {
      const name = relative(folder, path)
      return name === "" || name.startsWith("..") || isPassing(name) ? [] : [{name, isDurable}]
    })
    const names = made.map(({name}) => name)
    for (const name of [".svc", "data", "data/deep", ".svc/checkpoints", ".svc/workroom-journal"])
      expect(names).toContain(name)
    expect(made.filter(({isDurable}) => !isDurable)).toEqual([])
  })
})

import {describe, expect, test} from "vitest"
import {makeProject, posting, startHost, startProcess, type TestHost, until} from "../../support/host/host.ts"
import {bunAnd, bunOr} from "../../support/host/runtimes.ts"
import {mountDisk, needMounts} from "../../support/machine/disk.ts"
import {recordsIn, talkerHost} from "./talker.ts"

const say = (host: TestHost, text: string, times = 1) => host.plugin("/api/plugins/talker/say", {text, times})

const recordOf = (host: TestHost, message: string) =>
  until(message, () => recordsIn(host.process.stdout()).find(record => record.message === message))

const isHealthy = async (host: TestHost) =>
  (await fetch(`${host.url}/pub/health`, {signal: AbortSignal.timeout(60_000)})).status === 200

describe.each(bunOr("node22"))("the log of a Host on $name", runtime => {
  test("has one JSON object for each record, with its plugin, event, endpoint or request", async () => {
    const host = await startHost({own: true, ...talkerHost, runtime})
    expect(await host.say("/tell")).toEqual(["told"])
    await say(host, "in a request")
    const common = {project: "scratch-bot", runtimeId: host.runtimeId, generation: 1, plugin: "talker"}
    const inHandler = {...common, level: "info", endpoint: "sandbox", event: 1}
    for (const message of ["by the session", "by the plugin", "by the console { n: 1 }"]) {
      expect(await recordOf(host, message)).toMatchObject(inHandler)
    }
    expect(await recordOf(host, "of the console")).toMatchObject({...inHandler, level: "error", error: {name: "Error"}})
    const requested = await recordOf(host, "in a request")
    expect(requested).toMatchObject({...common, requestId: expect.stringMatching(/^[0-9a-f]{12}-/)})
    expect(requested).not.toHaveProperty("event")
    const ended = await host.stop()
    expect({code: ended.code, stderr: ended.stderr}).toEqual({code: 0, stderr: ""})
    expect(recordsIn(ended.stdout).at(-1)).toMatchObject({level: "info", message: "stopped"})
  })

  test("survives a reader that stalls and closes, and counts the records lost", async () => {
    const host = await startHost({own: true, ...talkerHost, runtime})
    host.process.child.stdout?.pause()
    for (let round = 0; round < 20; round++) await say(host, `${"flood ".repeat(200)}${round}`, 500)
    expect(await isHealthy(host)).toBe(true)
    expect(await host.say("/tell")).toEqual(["told"])
    host.process.child.stdout?.resume()
    const told = await until("the record about lost records", async () => {
      await say(host, "is it read again?")
      return recordsIn(host.process.stdout()).find(({dropped}) => dropped !== undefined)
    })
    expect(told).toMatchObject({level: "warn", message: expect.stringMatching(/\brecords were not\b/)})
    // The Host may report the lost records in several parts.
    await until("every record to be written or counted as lost", () => {
      const records = recordsIn(host.process.stdout())
      const flooded = records.filter(({message}) => String(message).startsWith("flood "))
      return flooded.length + records.reduce((sum, {dropped = 0}) => sum + Number(dropped), 0) >= 10_000
    })

    host.process.child.stdout?.destroy()
    await say(host, "to nobody", 100)
    expect(await isHealthy(host)).toBe(true)
    expect(await host.say("/tell")).toEqual(["told"])
    const {items} = await host.get("/api/logs", {limit: 5, plugin: "talker"})
    expect(items.map(({message}) => message)).toContain("by the session")
    expect((await host.stop()).code).toBe(0)
  })
})

describe.each(bunAnd("node22"))("a Host whose standard output accepts no data, on $name", runtime => {
  test.each(["/dev/full", "&-"])("runs with standard output on %s", async target => {
    const project = makeProject(talkerHost)
    const command = `exec "$@" >${target}`
    const args = [...runtime.command, "runtime", "start", ...talkerHost.args]
    const running = startProcess(["sh", "-c", command, "sh", ...args], {cwd: project.folder, env: talkerHost.env})
    const file = await until("the Host to serve", () => project.read(".svc/host.json") || undefined)
    const {url} = JSON.parse(file) as {url: string}
    const authorization = `Bearer ${talkerHost.env.HTTP_TOKEN}`
    const logs = await fetch(`${url}/api/logs`, {headers: {authorization}})
    expect(await logs.text()).toContain("generation 1 committed")
    running.child.kill("SIGTERM")
    expect((await running.finished).code).toBe(0)
  })

  test("writes again once the full disk has space, and logs the number of missing records", async context => {
    needMounts(context)
    const project = makeProject(talkerHost)
    const disk = mountDisk(project.path("log"), "64k")
    const args = [...runtime.command, "runtime", "start", ...talkerHost.args]
    startProcess(["sh", "-c", 'exec "$@" >>log/run.log', "sh", ...args], {cwd: project.folder, env: talkerHost.env})
    const file = await until("the Host to serve", () => project.read(".svc/host.json") || undefined)
    const {url} = JSON.parse(file) as {url: string}
    const post = (text: string, times: number) =>
      fetch(
        `${url}/api/plugins/talker/say`,
        posting({text, times}, {authorization: `Bearer ${talkerHost.env.HTTP_TOKEN}`}),
      )
    expect((await post("filling the disk", 1000)).status).toBe(200)
    const isFull = project.read("log/run.log").length
    expect((await post("not written", 1)).status).toBe(200)
    expect(project.read("log/run.log")).toHaveLength(isFull)
    disk.resize("4m")
    expect((await post("written again", 1)).status).toBe(200)
    const records = recordsIn(project.read("log/run.log"))
    expect(records.map(({message}) => message)).toContain("written again")
    const told = records.find(({dropped}) => dropped !== undefined)
    const filling = records.filter(({message}) => String(message).startsWith("filling"))
    expect(filling.length + Number(told?.dropped)).toBe(1001)
  })
})

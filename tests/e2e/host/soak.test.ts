import {readdirSync, statSync} from "node:fs"
import {join} from "node:path"
import {expect, test} from "vitest"
import {slopeOf} from "../../bench/measure/statistics.ts"
import {makeProject, reload, runtimes, startHost, svc, type TestRuntime, until} from "../../support/host/host.ts"
import {makeClock} from "../../support/machine/clock.ts"
import {faultRun, tellHowToRepeat} from "../../support/machine/fault-run.ts"
import {describeWith} from "../../support/machine/tools.ts"
import type {Open} from "../../support/messages/open-work.ts"
import {untilOneBot} from "../../support/platforms/onebot/host.ts"
import {group, groupMessage, startOneBot, token} from "../../support/platforms/onebot/onebot.ts"
import {everythingConfig, everythingPlugin, startDrawingModel} from "../messages/everything/bot.ts"
import {startCrowd} from "../messages/everything/crowd.ts"

const run = faultRun("soak")
const week = 7
const hours = 24 * 2 * week
const megabyte = 2 ** 20

/** The number of groups that speak, and of messages that may be open at the same time. */
const [groups, mostOpen] = [100, 400]

/** Events of the crowd in an hour: files, timers, buttons, an agent that draws. */
const wishes = 12

/** How far the clock jumps at once, in seconds: the interval of retention. */
const jump = 600

/** How long to wait for anything that the Host does, in milliseconds. */
const patience = 300_000

/** Answers every fourth message, and collects garbage before it tells the least memory of its process. */
const meter = `import {setFlagsFromString} from "node:v8"
import {runInNewContext} from "node:vm"
import {definePlugin, Type} from "svc-runtime"

export default definePlugin({
  config: Type.Object({hour: Type.Integer()}),
  setup(plugin, {hour}) {
    plugin.on("message-created", ({text}) => /^\\d*[048]$/.test(text) ? "heard in hour " + hour : undefined)
    plugin.route({
      method: "GET", path: "/memory", scope: "full", summary: "Resident memory after a forced collection, in bytes",
      handle: async (_, call) => {
        if (process.versions.bun === undefined) setFlagsFromString("--expose-gc")
        const collect = process.versions.bun === undefined ? runInNewContext("gc") : () => Bun.gc(true)
        let rss = Infinity
        // Bun frees some memory only after a pause.
        for (let n = 0; n < 5; n++) {
          await new Promise(resolve => setTimeout(resolve, 50))
          collect()
          rss = Math.min(rss, process.memoryUsage.rss())
        }
        return call.json(Type.Object({rss: Type.Integer()}), {rss})
      },
    })
  },
})
`

const configOf = (model: string, onebot: string, hour: number): string =>
  everythingConfig(model).replace(
    "plugins: {sandbox: {}, everything: {}}",
    `plugins:
  sandbox: {}
  everything: {}
  meter: {config: {hour: ${hour}}}
  onebot: {endpoints: [{id: qq, url: "${onebot}", accessToken: "\${TOKEN}"}]}
watchdog: {seconds: 3600}
retention:
  {handled: {age: 1d, least: 100}, duplicates: {age: 1d}, sent: {age: 1d}, agentRuns: {age: 1d}, jobRuns: {age: 1d}}`,
  )

/** The Host may remove files meanwhile. */
const bytesIn = (folder: string): number =>
  readdirSync(folder, {recursive: true, withFileTypes: true})
    .filter(entry => entry.isFile())
    .reduce(
      (sum, {parentPath, name}) => sum + (statSync(join(parentPath, name), {throwIfNoEntry: false})?.size ?? 0),
      0,
    )

const startScene = async (runtime: TestRuntime) => {
  const clock = makeClock({monotonic: true})
  const model = await startDrawingModel()
  const onebot = await startOneBot()
  const config = (hour: number) => configOf(model.url, onebot.wsUrl, hour)
  const project = makeProject({config: config(0), plugins: {everything: everythingPlugin(0), meter}})
  const host = await startHost({own: true, runtime, project, env: {...clock.env, TOKEN: token}, args: ["--no-watch"]})
  await untilOneBot(host, "qq", "online")
  return {clock, onebot, config, project, host, crowd: startCrowd(6)}
}

type Scene = Awaited<ReturnType<typeof startScene>>

/** Spends a virtual hour: messages up to this number, a new configuration, a lost connection, and the rest of the hour. */
const spend = async (
  {clock, onebot, config, project, host, crowd}: Scene,
  hour: number,
  said: number,
): Promise<number> => {
  const open = () => host.plugin<Open>("/api/plugins/everything/open")
  const last = Math.round(((hour + 1) * run.rounds) / (24 * week))
  crowd.aim(host)
  const served = crowd.untilAcknowledged(wishes)
  for (let next = said; next < last; ) {
    for (const end = Math.min(last, next + mostOpen); next < end; next++)
      onebot.report({...groupMessage(String(next), next), group_id: group + (next % groups)})
    await until("the Host to keep up", async () => (await open()).marks < mostOpen, patience)
  }
  await served
  crowd.aim(undefined)
  const isDone = ({marks, messages, later}: Open) => marks + messages + later === 0
  await until("the work to be done", async () => isDone(await open()), patience)
  project.write("svc.config.yml", config(hour + 1))
  expect(await reload(host)).toMatchObject({committed: true})
  onebot.cut()
  for (let at = jump; at <= 3600; at += jump) {
    clock.set(hour * 3600 + at)
    // The request wakes the event loop, whose timers are then due. The Host closes connections from before the jump.
    await until("an answer", () =>
      host.fetch("/api/metrics").then(
        answer => answer.text(),
        () => undefined,
      ),
    )
  }
  await untilOneBot(host, "qq", "online")
  return last
}

const look = ({host, project}: Scene, readings: readonly number[]) => ({
  "rss in MB": Math.min(...readings) / megabyte,
  "database in MB": statSync(project.path(".svc/data.sqlite")).size / megabyte,
  "log in KB": bytesIn(project.path(".svc/logs")) / 1024,
  "files in MB": bytesIn(project.path("data/files")) / megabyte,
  descriptors: readdirSync(`/proc/${host.process.pid}/fd`).length,
})

describeWith("faketime")("a soak", () => {
  test.skipIf(run.rounds === 0).each(runtimes)(
    `of two virtual weeks with ${run.rounds} messages each keeps memory, database and log flat, on $name`,
    async runtime => {
      tellHowToRepeat(run)
      const print = (text: string) => process.stdout.write(`${runtime.name}: ${text}\n`)
      const begun = performance.now()
      const scene = await startScene(runtime)
      const rows: ReturnType<typeof look>[] = []
      let said = 0
      let readings: number[] = []
      for (let hour = 0; hour < hours; hour++) {
        said = await spend(scene, hour, said)
        // Garbage that a collection leaves, and pages that the allocator keeps, come and go.
        if (hour % 6 === 5) readings.push((await scene.host.plugin<{rss: number}>("/api/plugins/meter/memory")).rss)
        if (hour % 24 < 23) continue
        // Retention spares other work: days pressed into minutes leave it behind, and a jump lengthens its pauses.
        expect(await svc(runtime, scene.project, ["database", "compact"])).toMatchObject({code: 0})
        rows.push(look(scene, readings))
        readings = []
        const row = Object.entries(rows.at(-1) ?? {}).map(([name, value]) => `${name} ${value.toFixed(1)}`)
        print(`day ${rows.length}: ${said} messages, ${row.join(", ")}`)
      }
      scene.crowd.aim(scene.host)
      await scene.crowd.stop()
      const slope = (name: keyof ReturnType<typeof look>, from: number) =>
        slopeOf(rows.map((row, day) => [day, row[name]] as const).slice(from))
      // In the first week, checkpoints and retention need memory that stays, and the runtime compiles what runs seldom.
      const memory = slope("rss in MB", week)
      print(`${memory.toFixed(2)} MB a day, in ${((performance.now() - begun) / 60_000).toFixed(1)} minutes`)
      expect(memory).toBeLessThanOrEqual(1)
      // Retention has worked since the third day. Free pages, files and open files come and go.
      for (const name of ["database in MB", "files in MB", "descriptors"] as const)
        expect(slope(name, 2) * week, name).toBeLessThanOrEqual((rows[2]?.[name] ?? 0) / 4)
      const grown = (day: number) => (rows[day]?.["log in KB"] ?? 0) - (rows[day - 1]?.["log in KB"] ?? 0)
      expect(grown(13)).toBeLessThanOrEqual(grown(2) * 1.25)
    },
    3_600_000,
  )
})

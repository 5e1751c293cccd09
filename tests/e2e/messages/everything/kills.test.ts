import {createHash} from "node:crypto"
import {readFileSync} from "node:fs"
import {setTimeout as sleep} from "node:timers/promises"
import {expect, test} from "vitest"
import {inspectFile} from "../../../../server/database/upkeep/maintenance.ts"
import {killStarting, makeProject, reload, startHost, type TestHost, until} from "../../../support/host/host.ts"
import {bunAnd, type TestRuntime} from "../../../support/host/runtimes.ts"
import {Chance, faultRun, seedOf, tellHowToRepeat} from "../../../support/machine/fault-run.ts"
import {readRows} from "../../../support/messages/inbox-ledger.ts"
import type {Open} from "../../../support/messages/open-work.ts"
import {counted, deedsOf, everythingConfig, everythingPlugin, startDrawingModel} from "./bot.ts"
import {startCrowd} from "./crowd.ts"

const run = faultRun("everything-kills")
const {rounds, seed} = run

/** How long to wait for anything that a Host does, in milliseconds. The machine may be busy. */
const patience = 300_000

/** Handlers and messages that may be open when a round continues, so that the backlog does not grow with the rounds. */
const mostOpen = 60

const meet = async (runtime: TestRuntime) => {
  const model = await startDrawingModel()
  const project = makeProject({config: everythingConfig(model.url), plugins: {everything: everythingPlugin(0)}})
  const options = {runtime, project, patience, args: ["--no-watch"]}
  /** The events that ran at two deaths in a row, and were repeated by their operator. */
  const suspected = new Set<number>()
  return {options, project, crowd: startCrowd(6), chance: new Chance(seedOf(seed, runtime.name)), suspected}
}

type Scene = Awaited<ReturnType<typeof meet>>

/** Waits until the work is done, and repeats events that are suspected of causing the deaths. */
const untilDone = (host: TestHost, {suspected}: Scene, isDone: (open: Open) => boolean) =>
  until(
    "the work to be done",
    async () => {
      const {items} = await host.get("/api/inbox", {limit: 500, state: "dead"})
      for (const {seq} of items) {
        suspected.add(seq)
        await host.post("/api/inbox/:seq/retry", {seq})
      }
      return isDone(await host.plugin<Open>("/api/plugins/everything/open"))
    },
    patience,
  )

/** Starts the Host and kills it, in its start or under load. Every third round also replaces the plugin under load. */
const killOnce = async (scene: Scene, round: number): Promise<void> => {
  const {options, project, crowd, chance} = scene
  if (round > 0 && chance.below(5) === 0) return killStarting(options, chance.below(800))
  const host = await startHost({own: true, ...options})
  await untilDone(host, scene, ({marks, suspects, messages}) => suspects === 0 && marks + messages < mostOpen)
  crowd.aim(host)
  await crowd.untilAcknowledged(1 + chance.below(20))
  if (round % 3 === 2) {
    project.write("plugins/everything.ts", everythingPlugin(round))
    expect(await reload(host)).toMatchObject({committed: true})
    await crowd.untilAcknowledged(1 + chance.below(10))
  }
  await sleep(chance.below(100))
  await host.stop("SIGKILL")
  crowd.aim(undefined)
}

/** Runs a last Host to the end. Resolves to what its handlers have counted. */
const settle = async (scene: Scene): Promise<Readonly<Record<string, number>>> => {
  const host = await startHost({own: true, ...scene.options})
  scene.crowd.aim(host)
  await scene.crowd.stop()
  await untilDone(host, scene, ({marks, messages, later}) => marks + messages + later === 0)
  const counts = await host.plugin<Readonly<Record<string, number>>>("/api/plugins/everything/counts")
  expect((await host.stop()).code).toBe(0)
  return counts
}

/** Expects that each stored file has the content that its name says. */
const checkFiles = (project: Scene["project"], hashes: readonly string[]): void => {
  const damaged = hashes.filter(hash => {
    const bytes = readFileSync(project.path("data/files", hash.slice(0, 2), hash))
    return createHash("sha256").update(bytes).digest("hex") !== hash
  })
  expect(damaged).toEqual([])
}

test.each(bunAnd("node24"))(
  `after ${rounds} kills on $name, a bot that uses everything has done each thing once (seed ${seed})`,
  async runtime => {
    tellHowToRepeat(run)
    const scene = await meet(runtime)
    const {crowd, project, suspected} = scene
    for (let round = 0; round < rounds; round++) await killOnce(scene, round)
    const counts = await settle(scene)

    const file = project.path(".svc/data.sqlite")
    expect((await inspectFile(file)).findings).toEqual([])
    const rows = (sql: string) => readRows(file, sql)
    const column = async (sql: string) => (await rows(sql)).map(({value}) => String(value)).sort()
    // Each event is stored once and handled, with the events of timers.
    const said = crowd.said.map(({word}) => word)
    const pressed = crowd.said.filter(({wish}) => wish === "ask").map(({word}) => `press ${word}`)
    const stored = "SELECT event_id AS value FROM inbox WHERE type"
    expect(await column(`${stored} = 'message-created'`)).toEqual(said.toSorted())
    expect(await column(`${stored} = 'interaction/button'`)).toEqual(pressed.toSorted())
    expect(await rows("SELECT seq, handler, state, error FROM inbox_marks WHERE state <> 'handled'")).toEqual([])
    expect(await rows("SELECT run_id, state, reason, error FROM agent_runs WHERE state <> 'succeeded'")).toEqual([])
    // The engine gives up a call after three interruptions.
    const cut = await rows("SELECT input, error FROM agent_steps WHERE kind = 'tool' AND state <> 'done'")
    expect(cut.filter(({error}) => !/^the Host or .+ ended \d+ times while/.test(String(error)))).toEqual([])
    const undone = new Set(cut.map(({input}) => `drawn ${JSON.parse(String(input)).word}`))
    // Each deed is stored once, in a batch with what was counted. The sandbox does not drop repetitions.
    const all = crowd.said.flatMap(({wish, word}) => deedsOf[wish].map(deed => `${deed} ${word}`))
    const deeds = all.filter(deed => !undone.has(deed))
    expect(await column("SELECT json_extract(content, '$[0]') AS value FROM outbox")).toEqual(deeds.toSorted())
    expect(await rows("SELECT id, state, error FROM outbox WHERE state NOT IN ('sent', 'unknown')")).toEqual([])
    const doneAs = (name: string) => deeds.filter(deed => deed.startsWith(`${name} `)).length
    expect(counts).toEqual(Object.fromEntries(counted.map(name => [name, doneAs(name)])))
    const hashes = await column("SELECT sha256 AS value FROM outbox_files")
    expect(new Set(hashes).size).toBe(doneAs("picture") + doneAs("drawn"))
    checkFiles(project, hashes)

    expect(said.length).toBeGreaterThan(rounds)
    process.stdout.write(
      `seed ${seed}, ${runtime.name}: ${rounds} kills; ${said.length} said, ${deeds.length} deeds, ` +
        `${hashes.length} files, ${suspected.size} suspected_crash and repeated, ${cut.length} calls given up\n`,
    )
  },
  180_000 + rounds * 8000,
)

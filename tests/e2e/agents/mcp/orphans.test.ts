import {readdirSync, readFileSync} from "node:fs"
import {setTimeout as sleep} from "node:timers/promises"
import {fileURLToPath} from "node:url"
import {expect, test} from "vitest"
import {runsOf} from "../../../support/agents/host.ts"
import {helperAt, startScriptedModel} from "../../../support/agents/scripted-model.ts"
import {bunAnd, makeProject, reload, startHost, type TestHost, until} from "../../../support/host/host.ts"
import {nodeOf} from "../../../support/host/runtimes.ts"
import {Chance, faultRun, seedOf, tellHowToRepeat} from "../../../support/machine/fault-run.ts"

const run = faultRun("mcp-orphans")
const program = fileURLToPath(new URL("../../../support/agents/mcp-server.mjs", import.meta.url))

/** How long processes may outlive the Host or their configuration, in milliseconds. */
const bound = 10_000

/** Two servers: both ignore that their input ends, one also SIGTERM, and the other one has a child. */
const configOf = (model: string, mark: string, allow: string) => `http: {port: 0}
permissions: [{endpoint: sandbox, user: ada, permission: trusted}]
plugins: {sandbox: {}}
agents:
${helperAt(model)}    mcp:
${["stubborn", "forks"]
  .map(
    kind =>
      `      - {name: ${kind}, command: ["${process.execPath}", "${program}", mode, calls.log, "${mark}", ${kind}], allow: [${allow}], effect: none}\n`,
  )
  .join("")}    limits: {user: none, day: none, seconds: 20}
    triggers: {direct: true}
`

/** The processes whose command line has this text. */
const processesWith = (mark: string): readonly number[] =>
  readdirSync("/proc").flatMap(pid => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(mark) ? [Number(pid)] : []
    } catch {
      return []
    }
  })

test.skipIf(process.platform !== "linux").each([...bunAnd("node24"), nodeOf("node22")])(
  "no process of an MCP server survives kills of the Host and reloads, on $name",
  async runtime => {
    tellHowToRepeat(run)
    const model = await startScriptedModel(({last}) =>
      last.role === "tool"
        ? {text: "done"}
        : {calls: ["stubborn", "forks"].map(name => ({name: `${name}.env`, args: {}}))},
    )
    const project = makeProject({})
    const mark = project.path("pids.log")
    const chance = new Chance(seedOf(run.seed, runtime.name))
    let longest = 0
    const untilGone = async (pids: () => readonly number[]) => {
      const began = performance.now()
      await until("the processes to end", () => pids().length === 0, bound)
      longest = Math.max(longest, performance.now() - began)
    }
    const start = () => startHost({own: true, runtime, project})
    const configure = (round: number) =>
      project.write("svc.config.yml", configOf(model.url, mark, ["env", ...Array(round % 2).fill("add")].join(", ")))
    const ask = (host: TestHost) =>
      host.plugin("/api/plugins/sandbox/messages", {text: "go", user: "ada", channel: "ada"})
    const untilAnswered = (host: TestHost) =>
      until("the runs to end", async () => (await runsOf(host)).every(({endedAt}) => endedAt !== null))

    configure(0)
    let host = await start()
    let seen = 0
    for (let round = 1; round <= run.rounds; round++) {
      await ask(host)
      // Half of the time, the servers are just starting.
      if (chance.below(2) === 0) await untilAnswered(host)
      else await sleep(chance.below(600))
      const before = processesWith(mark)
      seen += before.length
      if (round % 2 === 0) {
        configure(round / 2)
        await reload(host)
        await untilGone(() => processesWith(mark).filter(pid => before.includes(pid)))
      } else {
        await host.stop("SIGKILL")
        await untilGone(() => processesWith(mark))
        host = await start()
      }
    }
    await untilAnswered(host)
    expect((await host.stop()).code).toBe(0)
    await untilGone(() => processesWith(mark))
    // Four processes each: two programs, their watchers, and the child of one.
    expect(seen).toBeGreaterThan(run.rounds)
    process.stdout.write(
      `${runtime.name}: ${run.rounds} rounds, ${seen} processes, ${Math.round(longest)} ms at most\n`,
    )
  },
)

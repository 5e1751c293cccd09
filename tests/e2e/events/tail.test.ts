import {describe, expect, test} from "vitest"
import type {Envelope, StreamGap} from "../../../shared/events/event-stream.ts"
import {problems} from "../../../shared/problems.ts"
import {readHistoryOf} from "../../support/events/reader.ts"
import {makeProject, type Project, startHost, svc, type TestHost} from "../../support/host/host.ts"
import {linesIn, type Running, startProcess, until, untilPrinted} from "../../support/host/process.ts"
import {bunOr, onBun, type TestRuntime} from "../../support/host/runtimes.ts"

const tail = (runtime: TestRuntime, project: Project, ...args: readonly string[]): Running =>
  startProcess([...runtime.command, "events", "tail", ...args], {cwd: project.folder})

const linesOf = (running: Running): readonly (Envelope | {readonly gap: StreamGap})[] =>
  linesIn(running.stdout())
    .filter(line => line.startsWith("{"))
    .map(line => JSON.parse(line))

const envelopesOf = (running: Running) => linesOf(running).flatMap(line => ("gap" in line ? [] : [line]))
const gapsOf = (running: Running) => linesOf(running).flatMap(line => ("gap" in line ? [line.gap] : []))

const newestOf = async (host: TestHost) => {
  const [newest] = (await readHistoryOf(host)).slice(-1)
  return newest?.id ?? ""
}

describe.each(bunOr("node22"))("svc events tail on $name", runtime => {
  test("follows ten stops and kills of the Host without a gap, and reports a gap after eviction", async () => {
    const project = makeProject()
    // Every second one is killed.
    const start = (number: number) => startHost({own: number % 2 === 1, runtime, project})
    let host = await start(0)
    const first = await newestOf(host)
    const running = tail(runtime, project, "--json", "--after", first)
    for (let restart = 0; restart < 10; restart++) {
      await host.say(`before ${restart}`)
      if (restart % 3 === 0) await until("the tail to print an event", () => envelopesOf(running).length > 0)
      await host.stop(restart % 2 === 0 ? "SIGTERM" : "SIGKILL")
      host = await start(restart + 1)
    }
    await host.say("last")
    const stored = (await readHistoryOf(host)).map(({id}) => id)
    const wanted = stored.slice(stored.indexOf(first) + 1)
    await until("the tail to print the last event", () => envelopesOf(running).some(({id}) => id === wanted.at(-1)))
    expect(gapsOf(running)).toEqual([])
    const told = envelopesOf(running).map(({id}) => id)
    // The tail may also have printed later events.
    expect(told.slice(0, wanted.length)).toEqual(wanted)
    expect(new Set(envelopesOf(running).map(({runtimeId}) => runtimeId)).size).toBe(11)

    // The events that the paused tail has not read yet are evicted.
    running.child.kill("SIGSTOP")
    await host.stop()
    project.write("svc.config.yml", `${project.read("svc.config.yml")}events:\n  history: {events: 2}\n`)
    host = await startHost({runtime, project})
    await host.say("more")
    await until("eviction", async () => (await readHistoryOf(host)).length === 2)
    running.child.kill("SIGCONT")
    const [gap] = await until("the gap", () => gapsOf(running).length > 0 && gapsOf(running))
    expect(gap?.reason).toBe("evicted")
    expect(gapsOf(running).length).toBe(1)
    running.child.kill("SIGINT")
    expect((await running.finished).code).toBe(0)
  })
})

describe("svc events tail", () => {
  test("prints one line for each matching event and gap, without colours into a pipe", async () => {
    const host = await startHost()
    const running = tail(onBun, host.project, "--types", "message.*", "--after", "of another history")
    await untilPrinted(running, "gap")
    await host.say("/help")
    const lines = await until("the events", () => {
      const all = linesIn(running.stdout())
      return /message\.sent/.test(all.at(-1) ?? "") && all
    })
    expect(lines[0]).toMatch(
      /^-- gap \(malformed\): events after "of another history" up to [0-9a-f]{12}-\d+ are not shown$/,
    )
    expect(lines.slice(1).map(line => line.split(/ +/).slice(1, 3))).toEqual([
      ["message.received", "sandbox"],
      ["message.handled", "sandbox"],
      ["message.sent", "sandbox"],
    ])
    expect(running.output()).not.toContain("\x1b")
  })

  test("exits 1 with an explanation if no Host runs, or the filter or the token is wrong", async () => {
    const project = makeProject()
    expect(await svc(onBun, project, ["events", "tail"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(problems.host_unreachable.hint),
    })
    await startHost({project})
    expect(await svc(onBun, project, ["events", "tail", "--types", "mesage.*"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("event type mesage.*"),
    })
    const refused = await svc(onBun, project, ["events", "tail", "--json"], {env: {SVC_HTTP_TOKEN: "wrong"}})
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain("unauthorized")
  })

  test("ends when its output is closed", async () => {
    const host = await startHost()
    const running = tail(onBun, host.project, "--after", `${(await newestOf(host)).split("-")[0]}-0`)
    await untilPrinted(running, "generation.committed")
    running.child.stdout?.destroy()
    for (const text of ["one", "two", "three"]) await host.say(text)
    expect((await running.finished).code).toBe(0)
  })
})

import {writeFileSync} from "node:fs"
import {describe, expect, test} from "vitest"
import {printed, runCommand} from "../../support/host/command-line.ts"
import {readinessOf} from "../../support/host/generation.ts"
import {bunOr, launchHost, pluginWith, startHost, type TestRuntime, until} from "../../support/host/host.ts"
import {makeProject, type Project} from "../../support/host/project.ts"

const env = {HTTP_TOKEN: "a-long-token-of-this-test", SVC_SUPERVISOR: "test"}

const production = {args: ["--mode", "production", "--no-watch"], env}

const config = `http: {port: 0, token: "\${HTTP_TOKEN}"}
plugins: {sandbox: {}, answers: {}}
`

/** A plugin that answers with its name. `before` runs in its setup. */
const answering = (name: string, before = "") =>
  pluginWith(`${before}
    plugin.on("message-created", async session => "${name} " + session.text)`)

const failedStart = async (project: Project, runtime: TestRuntime) => {
  const {process: running} = launchHost({...production, project, runtime})
  const {code} = await running.finished
  expect(code).toBe(1)
  return running.output()
}

describe.each(bunOr("node22"))("on $name", runtime => {
  test("after two failed starts the last good generation answers, not ready, until the project is fixed", async () => {
    const project = makeProject({
      config,
      plugins: {answers: answering("good")},
      files: {".env": `HTTP_TOKEN=${env.HTTP_TOKEN}\n`, "bun.lock": "locked"},
    })
    const first = await startHost({own: true, ...production, project, runtime})
    expect(await first.say("hi")).toEqual(["good hi"])
    await until("the generation to be kept", () => /\bnow the last good\b/.test(first.process.output()), 120_000)
    await first.stop()

    project.write("plugins/answers.ts", answering("broken", `throw new Error("no setup today")`))
    expect(await failedStart(project, runtime)).toContain("no setup today")
    expect(await failedStart(project, runtime)).toContain("no setup today")
    const fallback = await startHost({own: true, ...production, project, runtime})
    expect(fallback.process.output()).toMatch(/LAST GOOD: .*no setup today/)
    expect(await fallback.say("hi")).toEqual(["good hi"])
    expect(await (await fallback.fetch("/pub/ready")).json()).toEqual({ready: false})
    expect((await fallback.fetch("/pub/health")).status).toBe(200)
    const report = await readinessOf(fallback)
    expect(report).toMatchObject({ready: false, generation: 1})
    expect(report.components[0]).toMatchObject({kind: "generation", ready: false, reason: "last_good"})
    const status = await fallback.get("/api/system/status")
    expect(status).toMatchObject({lastGood: {generation: 1}, generation: {number: 1, reason: "last good"}})
    expect(await printed(project, "runtime status")).toContain("LAST GOOD")
    expect((await runCommand(project, "doctor")).stdout).toMatch(/\blast good generation 1\b/)
    // The fallback process commits nothing, so any change needs a restart.
    const refused = await runCommand(project, "runtime reload")
    expect({code: refused.code, running: fallback.process.pid}).toEqual({code: 1, running: fallback.process.pid})
    expect(await fallback.say("still")).toEqual(["good still"])

    project.write("plugins/answers.ts", answering("better"))
    await printed(project, "runtime restart")
    expect((await fallback.process.finished).code).toBe(51)
    const corrected = await startHost({own: true, ...production, project, runtime})
    expect(await corrected.say("hi")).toEqual(["better hi"])
    expect((await corrected.fetch("/pub/ready")).status).toBe(200)
    expect((await corrected.get("/api/system/status")).generation.number).toBe(2)
    await corrected.stop()

    // A configuration that cannot be read is handled in the same way.
    project.write("svc.config.yml", `${config}nonsense: true\n`)
    for (const _ of [1, 2]) expect(await failedStart(project, runtime)).toContain("nonsense")
    const again = await startHost({own: true, ...production, project, runtime})
    expect(await again.say("hi")).toEqual(["good hi"])
    await again.stop()

    // The fallback never changes packages. With another lockfile, only a rollback helps.
    writeFileSync(project.path("bun.lock"), "locked otherwise")
    for (const _ of [1, 2]) await failedStart(project, runtime)
    const named = await failedStart(project, runtime)
    expect(named).toMatch(/\blockfile\b/)
    expect(named).toContain("svc rollback")
  }, 600_000)
})

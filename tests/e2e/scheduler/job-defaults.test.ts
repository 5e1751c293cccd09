import {describe, expect, test} from "vitest"
import type {Job} from "../../../shared/api/scheduled/jobs.ts"
import {makeCheckpoint, restore} from "../../support/checkpoint/checkpoints.ts"
import {printed} from "../../support/host/command-line.ts"
import {reload} from "../../support/host/generation.ts"
import {bunOr, makeProject, type Project, startHost, svc, type TestHost, until} from "../../support/host/host.ts"
import {problemsIn} from "../../support/host/problems-in.ts"
import {pluginWith} from "../../support/plugins/plugin-sources.ts"

const config = "http: {port: 0}\nplugins:\n  sandbox: {}\n  team: {}\n"
const nightly = {cron: "0 3 * * *", timezone: "Europe/Berlin", data: "all"}

const teamWith = (schedule: object): string =>
  pluginWith(`plugin.job("Digest", {schedule: ${JSON.stringify(schedule)}, data: Type.String()}, () => {})`)

const jobsIn = (project: Project): readonly Job[] => {
  const text = project.read("data/schedule-jobs.json")
  return text === "" ? [] : (JSON.parse(text) as {jobs: readonly Job[]}).jobs
}

const untilWritten = (project: Project) => until("the default to be written", async () => jobsIn(project).length > 0)

/** Waits until the Host has checked for defaults to write: a second plugin's default, declared here, is in the file. */
const untilConsidered = async (host: TestHost) => {
  host.project.write(
    "plugins/mark.ts",
    pluginWith(`plugin.job("mark", {schedule: {every: "1h", timezone: "UTC"}}, () => {})`),
  )
  host.project.write("svc.config.yml", `${config}  mark: {}\n`)
  await reload(host)
  await until("the mark", async () => jobsIn(host.project).some(({id}) => id === "mark.mark"))
}

describe.each(bunOr("node24"))("the default of a plugin's job on $name", runtime => {
  test("is written once, and stays removed across reloads and restarts if the operator removes it", async () => {
    const host = await startHost({runtime, config, plugins: {team: teamWith({...nightly, missed: "once"})}})
    const {project} = host
    await untilWritten(project)
    expect(jobsIn(project)).toEqual([
      {
        id: "team.digest",
        schedule: {cron: "0 3 * * *"},
        timezone: "Europe/Berlin",
        target: {plugin: "team", job: "Digest", data: "all"},
        missed: "once",
      },
    ])
    await host.post("/api/jobs/:id/remove", {id: "team.digest"})
    project.write("plugins/team.ts", teamWith({...nightly, cron: "0 4 * * *"}))
    await reload(host)
    await untilConsidered(host)
    expect(jobsIn(project).map(({id}) => id)).toEqual(["mark.mark"])
    await host.stop()
    const again = await startHost({runtime, project})
    expect((await again.get("/api/jobs")).items.map(({id}) => id)).toEqual(["mark.mark"])
  })

  test("is restored by a checkpoint with the operator's changes", async () => {
    const host = await startHost({runtime, config, plugins: {team: teamWith(nightly)}})
    const {project} = host
    await until("the Host to record the write", async () => /\bdefaults of team\/Digest\b/.test(host.process.output()))
    const withIt = await makeCheckpoint(project, runtime)
    await host.post("/api/jobs/:id/remove", {id: "team.digest"})
    const without = await makeCheckpoint(project, runtime)
    await host.stop()
    await restore(project, withIt.id, runtime)
    const first = await startHost({runtime, project})
    expect(jobsIn(project).map(({id}) => id)).toEqual(["team.digest"])
    await first.stop()
    await restore(project, without.id, runtime)
    await untilConsidered(await startHost({runtime, project}))
    expect(jobsIn(project).map(({id}) => id)).toEqual(["mark.mark"])
  })

  test("is shown by svc schedule show, with the Host running or stopped", async () => {
    const host = await startHost({runtime, config, plugins: {team: teamWith(nightly)}})
    const {project} = host
    await untilWritten(project)
    const {id} = await host.post("/api/jobs/:id/run", {id: "team.digest"})
    await until("the run to end", async () => (await host.get("/api/runs/:id", {id})).endedAt)
    const shown = await printed(project, "schedule show team.digest", runtime)
    const facts = [
      "schedule +cron 0 3 ",
      "timezone +Europe/Berlin",
      "target +job Digest of team",
      'data +"all"',
      "next +2",
    ]
    for (const fact of facts) expect(shown).toMatch(new RegExp(`^${fact}`, "m"))
    expect(shown).toMatch(/^last run +succeeded at 2/m)
    expect(problemsIn((await svc(runtime, project, ["schedule", "show", "digest"])).stderr)).toEqual(["job_unknown"])
    await host.stop()
    const stopped = await printed(project, "schedule show team.digest", runtime)
    expect(stopped).toMatch(/\bno Host\b/)
    expect(stopped).not.toContain("last run")
  })

  test("is reported and not written if it is invalid, and a one-shot start writes none", async () => {
    const project = makeProject({config, plugins: {team: teamWith(nightly)}})
    expect((await svc(runtime, project, ["runtime", "start", "--once"])).code).toBe(0)
    expect(jobsIn(project)).toEqual([])
    const wrong = async (schedule: object) => {
      project.write("plugins/team.ts", teamWith(schedule))
      return (await svc(runtime, project, ["config", "check"])).stderr
    }
    expect(await wrong({...nightly, timezone: undefined})).toMatch(
      /job\("Digest"\): timezone: expected text, got nothing/,
    )
    expect(await wrong({...nightly, cron: "0 25 * * *"})).toMatch(/job\("Digest"\): schedule\.cron/)
    expect(await wrong({...nightly, often: true})).toMatch(/often/)
    expect(await wrong({at: "2999-01-01T00:00", timezone: "UTC", data: "all"})).toMatch(/\bat; .*\bcron, every\b/)
    expect(await wrong({...nightly, data: 7})).toMatch(/schedule\.data: expected text, got 7/)
  })

  test("is checked by svc doctor for jobs that nothing calls and calls that nothing declares", async () => {
    const host = await startHost({runtime, config, plugins: {team: teamWith(nightly)}})
    const {project} = host
    await untilWritten(project)
    await host.post("/api/jobs/:id/remove", {id: "team.digest"})
    const target = {plugin: "team", job: "Digest", data: "all"}
    const findings = async () => {
      const {findings} = JSON.parse((await svc(runtime, project, ["doctor", "--json"])).stdout) as {
        findings: readonly {check: string; level: string; detail: string}[]
      }
      return findings.flatMap(({check, level, detail}) => (check === "jobs" ? [`${level}: ${detail}`] : []))
    }
    expect(await findings()).toContainEqual(expect.stringMatching(/^ok: .*: team\/Digest$/))
    await host.post("/api/jobs", {body: {id: "mine", schedule: {every: "1h"}, timezone: "UTC", target}})
    expect((await findings()).length).toBe(1)
    project.write("plugins/team.ts", pluginWith(""))
    expect(await findings()).toContainEqual(expect.stringMatching(/^warning: job mine .* team\/Digest, /))
  })
})

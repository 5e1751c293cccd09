import {hash} from "node:crypto"
import {appendFileSync, rmSync} from "node:fs"
import {expect, test} from "vitest"
import type {CheckpointDetail} from "../../../shared/api/checkpoint.ts"
import type {ReleaseEntry, ReleaseView} from "../../../shared/api/release.ts"
import {refusal, restore} from "../../support/checkpoint/checkpoints.ts"
import {posting} from "../../support/host/client.ts"
import {printed, printedJson} from "../../support/host/command-line.ts"
import {type GitProject, makeGitProject} from "../../support/host/git-project.ts"
import {expectProblem, type Project, plainConfig, startHost, type TestHost, until} from "../../support/host/host.ts"

const started = async (own = false): Promise<{project: GitProject; host: TestHost}> => {
  const project = makeGitProject({files: {"bun.lock": "locked"}})
  return {project, host: await startHost({project, own})}
}

const begin = (project: Project) => printedJson<ReleaseView>(project, "release begin")

const status = async (project: Project) =>
  (await printedJson<{release: ReleaseView | null}>(project, "release status")).release

const ingressOf = (host: TestHost) => host.get("/api/ingress")

/** A verification result in the form that `svc release verify` records. */
const passed = (commit: string) => ({
  commit,
  ok: true,
  steps: [{name: "test" as const, ok: true, skipped: false, seconds: 1, command: "bun test", detail: ""}],
})

test("begin pauses ingress, keeps the probes up, and records a verified checkpoint with commit and lockfile", async () => {
  const {project, host} = await started()
  const release = await begin(project)
  const checkpoint = await printedJson<CheckpointDetail>(project, "checkpoint show newest")
  expect(checkpoint).toMatchObject({state: "verified", reason: "release"})
  expect(release).toMatchObject({
    state: "begun",
    problem: null,
    restorePoint: {
      checkpoint: checkpoint.id,
      authority: checkpoint.authority,
      commit: project.git("rev-parse", "HEAD"),
      lockfile: {name: "bun.lock", sha256: hash("sha256", "locked")},
      configuration: {sha256: hash("sha256", plainConfig), generation: 1},
    },
  })
  expect((await host.fetch("/pub/ready")).status).toBe(200)
  expect((await host.fetch("/pub/health")).status).toBe(200)
  await expectProblem(
    await host.fetch("/api/plugins/sandbox/messages", posting({text: "hello"})),
    503,
    "ingress_paused",
  )
  await host.stop()
  const again = await startHost({project})
  expect(await ingressOf(again)).toMatchObject({state: "paused", reasons: ["release"]})
  expect(await status(project)).toEqual(release)
  const {items} = await again.get("/api/releases")
  expect(items).toEqual([release])
  const types = (await again.get("/api/events/history")).items.map(({type}) => type)
  expect(types).toContain("release.begun")
})

test("a release completes once it is verified, ready and accepted by a named person, and is then observed", async () => {
  const {project, host} = await started()
  const {restorePoint} = await begin(project)
  expect(await refusal(project, "release complete --accepted-by dana")).toContain("was not verified")
  const commit = project.git("rev-parse", "HEAD")
  await host.post("/api/releases/verification", {
    body: {...passed(commit), ok: false, steps: passed(commit).steps.map(step => ({...step, ok: false}))},
  })
  expect(await refusal(project, "release complete --accepted-by dana")).toContain("failed its verification: test")
  await host.post("/api/releases/verification", {body: passed("a".repeat(40))})
  expect(await refusal(project, "release complete --accepted-by dana")).toContain(` ${commit}`)
  await host.post("/api/releases/verification", {body: passed(commit)})
  const release = await printedJson<ReleaseView>(project, "release complete --accepted-by dana --window 90m")
  const {build} = await host.get("/api/system/status")
  expect(release).toMatchObject({state: "observing", build: build.id, acceptedBy: "dana", unverified: null})
  expect(release.windowLeft).toBeGreaterThan(5300)
  expect(await printed(project, "release status")).toMatch(/\bcomplete; .* 1 h /)
  expect(await ingressOf(host)).toMatchObject({state: "open", reasons: []})
  await printed(project, "checkpoint create")
  await printed(project, "checkpoint prune --keep 1")
  const kept = await printedJson<{items: {id: string}[]}>(project, "checkpoint list")
  expect(kept.items.map(({id}) => id)).toContain(restorePoint?.checkpoint)
  expect(kept.items).toHaveLength(2)
  await host.stop()
  await printed(project, "checkpoint prune --keep 1")
  expect((await printedJson<{items: object[]}>(project, "checkpoint list")).items).toHaveLength(2)
})

test("a release's checkpoint can be pruned once the observation window is over", async () => {
  const {project} = await started()
  const {restorePoint} = await begin(project)
  const line = ["release", "complete", "--accepted-by", "dana", "--window", "0s", "--unverified", "tried elsewhere"]
  await printed(project, line)
  expect(await status(project)).toMatchObject({state: "complete", windowLeft: 0, unverified: "tried elsewhere"})
  await printed(project, "checkpoint create")
  await printed(project, "checkpoint prune --keep 1")
  const {items} = await printedJson<{items: {id: string}[]}>(project, "checkpoint list")
  expect(items.map(({id}) => id)).not.toContain(restorePoint?.checkpoint)
})

test("a release does not complete while the Host is not ready", async () => {
  const needing = `${plainConfig}  webhook: {}\n`.replace(
    "http:\n",
    "http:\n  readiness: {endpoints: [{owner: root/webhook, name: webhook}]}\n",
  )
  const project = makeGitProject({config: needing})
  const host = await startHost({project})
  await begin(project)
  await host.post("/api/releases/verification", {body: passed(project.git("rev-parse", "HEAD"))})
  expect(await refusal(project, "release complete --accepted-by dana")).toContain("not ready: endpoint webhook")
  expect(await ingressOf(host)).toMatchObject({state: "paused"})
})

test("a command that does not fit the release's state is refused with the right one", async () => {
  const {project, host} = await started()
  for (const line of ["release complete --accepted-by dana", "release abort"])
    expect(await refusal(project, line)).toMatch(/^svc: .*\n.*svc release begin/)
  project.write("plugins/new.ts", "// not committed")
  expect(await refusal(project, "release begin")).toMatch(/uncommitted changes\n.*git status/)
  expect(await ingressOf(host)).toMatchObject({state: "open"})
  project.commit("a new plugin")
  await begin(project)
  expect(await refusal(project, "release begin")).toMatch(/is under way\n.*svc release complete/)
  const aborted = await printedJson<ReleaseView>(project, ["release", "abort", "--reason", "not-today"].join(" "))
  expect(aborted).toMatchObject({state: "aborted", reason: "not-today"})
  expect(await ingressOf(host)).toMatchObject({state: "open"})
  expect(await refusal(project, "release abort")).toMatch(/; r.* is aborted/)
})

test("a killed begin leaves ingress paused, and can be repeated", async () => {
  const {project, host} = await started(true)
  const cutOff = async (running: TestHost): Promise<ReleaseView | null> => {
    await running.post("/api/releases")
    await running.stop("SIGKILL")
    const again = await startHost({own: true, project})
    expect(await ingressOf(again)).toMatchObject({state: "paused", reasons: ["release"]})
    const cut = await status(project)
    if (cut?.state !== "begun") return cut
    // The checkpoint completed before the kill, so nothing was interrupted. Try again.
    await printed(project, "release abort")
    return cutOff(again)
  }
  const cut = await cutOff(host)
  expect(await begin(project)).toMatchObject({id: cut?.id, state: "begun"})
})

test("the next start removes a pause that an ended release left behind", async () => {
  const {project, host} = await started(true)
  const {id} = await begin(project)
  await host.stop("SIGKILL")
  // The state after a process that died between the two steps.
  const entry = {is: "aborted", seq: 3, at: new Date().toISOString(), release: id, reason: "killed"}
  appendFileSync(project.path(".svc/releases.jsonl"), `${JSON.stringify(entry)}\n`)
  expect(await ingressOf(await startHost({own: true, project}))).toMatchObject({state: "open", reasons: []})
})

test("the record survives a restore and a torn last line, is append-only, and shows damage by line", async () => {
  const {project, host} = await started()
  const {restorePoint} = await begin(project)
  await printed(project, "release abort")
  await host.stop()
  const before = project.read(".svc/releases.jsonl")
  await restore(project, restorePoint?.checkpoint ?? "")
  expect(project.read(".svc/releases.jsonl")).toBe(before)
  appendFileSync(project.path(".svc/releases.jsonl"), '{"is":"beginn')
  const {entries} = await printedJson<{entries: ReleaseEntry[]}>(project, "release history")
  expect(entries.map(({is}) => is)).toEqual(["beginning", "begun", "aborted", "ingress_resumed"])
  const again = await startHost({project})
  await again.post("/api/ingress/resume", {body: {reason: "release"}})
  await begin(project)
  expect(project.read(".svc/releases.jsonl").startsWith(before)).toBe(true)
  expect(await status(project)).toMatchObject({state: "begun"})
  project.write(".svc/releases.jsonl", project.read(".svc/releases.jsonl").replace('"aborted"', '"abortet"'))
  expect(await refusal(project, "release status")).toContain("releases.jsonl:3 ")
  expect((await again.fetch("/pub/ready")).status).toBe(200)
})

test("a release whose checkpoint fails says why, and can be begun again", async () => {
  const {project, host} = await started()
  project.write("data/schedule-jobs.json", "{")
  expect(await refusal(project, "release begin")).toMatch(/\bjob file\b/)
  expect(await ingressOf(host)).toMatchObject({state: "paused"})
  expect((await status(project))?.problem).toMatchObject({code: "checkpoint_failed"})
  rmSync(project.path("data/schedule-jobs.json"))
  const release = await until("the job file to be accepted", () => begin(project).catch(() => undefined))
  expect(release).toMatchObject({state: "begun", problem: null})
})

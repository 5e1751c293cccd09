import {expect, test} from "vitest"
import {expectProblem, makeProject, posting, problemsIn, startHost, svc, untilPrinted} from "../../support/host/host.ts"
import {onBun, onNode22, type TestRuntime} from "../../support/host/runtimes.ts"

const env = {HTTP_TOKEN: "a-token-of-the-limit-tests-0123456789"}
const args = ["--mode", "production", "--no-watch"]
const config = (port = 0) => `http: {port: ${port}, token: "\${HTTP_TOKEN}"}\nplugins: {sandbox: {}}\n`

const refused =
  /^systemd allows at most 5 starts in 120 s, and has counted 5; the next restart is possible at \d{4}-\d\d-\d\dT[\d:.]+Z, in \d+ s$/

test("a restart that would make systemd give up is refused with the earliest time, on Bun and Node", async () => {
  const project = makeProject({config: config()})
  const start = (runtime: TestRuntime) =>
    startHost({own: true, runtime, project, args, env: {...env, SVC_SUPERVISOR: "systemd"}})
  const runtime = onNode22 ?? onBun
  for (const each of [onBun, runtime, onBun, runtime]) {
    const host = await start(each)
    await host.post("/api/system/restart")
    expect((await host.process.finished).code).toBe(51)
  }
  const host = await start(runtime)
  for (const body of [{}, {confirm: true}]) {
    const answer = await host.fetch("/api/system/restart", posting(body))
    const wait = Number(answer.headers.get("retry-after"))
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(121)
    expect((await expectProblem(answer, 429, "restart_limit")).detail).toMatch(refused)
  }
  const command = await svc(runtime, project, ["runtime", "restart", "--confirm"], {env})
  expect({code: command.code, stdout: command.stdout}).toEqual({code: 1, stdout: ""})
  expect(problemsIn(command.stderr)).toEqual(["restart_limit"])
  expect(command.stderr).toMatch(/^svc: .*\n {2}detail: systemd .*\b5 starts in 120 s\b.*\n {2}hint: /)

  project.write("svc.config.yml", config(9))
  const reload = await svc(runtime, project, ["runtime", "reload"], {env})
  expect({code: reload.code, stdout: reload.stdout}).toEqual({code: 1, stdout: ""})
  expect(reload.stderr).toContain("systemd allows at most 5 starts in 120 s")
  host.process.child.kill("SIGHUP")
  await untilPrinted(host.process, /restart refused: systemd allows .*[\s\S]*restart refused: systemd/)
  expect((await host.fetch("/pub/ready")).status).toBe(200)
  expect((await host.stop()).code).toBe(0)
})

test("a failed start counts towards the limit, a one-shot start does not, and kubernetes has none", async () => {
  const project = makeProject({config: "prot: 1\n"})
  const supervised = {env: {...env, SVC_SUPERVISOR: "systemd"}}
  for (let n = 0; n < 4; n++)
    expect((await svc(onBun, project, ["runtime", "start", ...args], supervised)).code).toBe(1)
  project.write("svc.config.yml", config())
  expect((await svc(onBun, project, ["runtime", "start", "--once", "--mode", "test"], supervised)).code).toBe(0)
  const host = await startHost({own: true, project, args, ...supervised})
  expect(JSON.parse(project.read(".svc/starts.json")).starts).toHaveLength(5)
  const answer = await host.fetch("/api/system/restart", posting())
  await expectProblem(answer, 429, "restart_limit")
  await host.stop()

  // A supervisor that only pauses between starts never gives up.
  const kept = await startHost({own: true, project, args, env: {...env, SVC_SUPERVISOR: "kubernetes"}})
  await kept.post("/api/system/restart")
  expect((await kept.process.finished).code).toBe(51)
})

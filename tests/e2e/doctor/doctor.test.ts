import {chmodSync} from "node:fs"
import {describe, expect, test} from "vitest"
import {bunAnd, onBun, startHost, svc} from "../../support/host/host.ts"
import {findingsOf, makeSoundProject, runDoctor, soundToken} from "./doctor.ts"

describe("svc doctor on a healthy project", () => {
  test.each(bunAnd("node22"))("finds nothing wrong, on $name", async runtime => {
    const findings = await runDoctor(await makeSoundProject(), runtime)
    expect(findings.map(({level, check}) => `${level} ${check}`)).toEqual([
      "ok runtime",
      "ok lockfile",
      "ok configuration",
      "ok token",
      "ok environment file",
      "ok build",
      "ok database",
      "ok authority",
      "ok port",
      "ok token age",
      "ok disk space",
      "ok jobs",
      "ok clock",
      "ok restarts",
    ])
    expect(findings[0]?.detail).toMatch(runtime === onBun ? /^Bun 1\./ : /^Node 22\.12\.0$/)
  })

  test("prints the same findings for people, errors with a remedy, and exits 0 or 1", async () => {
    const project = await makeSoundProject()
    const sound = await svc(onBun, project, ["doctor"])
    expect({code: sound.code, stderr: sound.stderr}).toEqual({code: 0, stderr: ""})
    expect(sound.stdout).toMatch(/^ok {6}runtime: Bun /)
    chmodSync(project.path(".env"), 0o644)
    const unsound = await svc(onBun, project, ["doctor"])
    expect(unsound.code).toBe(1)
    expect(unsound.stdout).toMatch(/^ERROR {3}environment file: \.env .*644.*\n +do: chmod 600 \.env$/m)
  })

  test("asks the running Host about its database, and recognizes its port", async () => {
    const project = await makeSoundProject()
    await startHost({project, env: {HTTP_TOKEN: soundToken}})
    const findings = await runDoctor(project)
    expect(findings.filter(({level}) => level !== "ok")).toEqual([])
    const detailOf = (name: string) => findings.find(({check}) => check === name)?.detail
    expect(detailOf("database")).toMatch(/^sqlite, schema \d+, .*\bHost$/)
    expect(detailOf("port")).toMatch(/\bHost uses /)
  })

  test("warns about a pinned generation, and about a Host that rejects its token", async () => {
    const project = await makeSoundProject()
    const host = await startHost({project, env: {HTTP_TOKEN: soundToken}})
    await host.post("/api/generations/:number/rollback", {number: 1})
    expect(await findingsOf(project)).toEqual([
      expect.stringMatching(/^warning pin: .*generation 1, .*svc\.config\.yml/),
    ])
    project.write(".env", "HTTP_TOKEN=another-token-than-the-hosts\n")
    expect(await findingsOf(project)).toEqual([expect.stringMatching(/^warning database: .*svc doctor/)])
  })
})

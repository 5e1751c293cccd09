import {readFileSync} from "node:fs"
import type {ReleaseView} from "../../../shared/api/release.ts"
import {onBun, type Project, printedJson, svc, type TestRuntime} from "../host/host.ts"

export const beginRelease = (project: Project, runtime?: TestRuntime) =>
  printedJson<ReleaseView>(project, "release begin", runtime)

export const releaseOf = async (project: Project) =>
  (await printedJson<{release: ReleaseView}>(project, "release status")).release

/** The findings of `svc release verify --json`, and its exit code. */
export const verifyRelease = async (
  project: Project,
  args = "",
  runtime: TestRuntime = onBun,
  env: Record<string, string> = {},
) => {
  const line = `release verify --json ${args}`.trim()
  const {code, stdout, stderr} = await svc(runtime, project, line.split(" "), {env})
  if (stdout === "") throw new Error(`${line}: ${stderr}`)
  const release = JSON.parse(stdout) as ReleaseView
  const steps = release.verification?.steps ?? []
  return {
    code,
    release,
    steps,
    /** `install ok`, `test FAILED`. */
    marks: steps.map(({name, ok, skipped}) => `${name} ${skipped ? "left out" : ok ? "ok" : "FAILED"}`),
    outputOf: (step: string) => readFileSync(project.path(steps.find(({name}) => name === step)?.output ?? ""), "utf8"),
  }
}

export const allSteps = ["worktree ok", "install ok", "doctor ok", "build ok", "test ok", "start ok"]

import {execFileSync, spawn} from "node:child_process"
import {once} from "node:events"
import {chmodSync} from "node:fs"
import {expect} from "vitest"
import type {Finding} from "../../../server/doctor/finding.ts"
import {cleanEnvironment, makeProject, type Project, replying, svc, whenOver} from "../../support/host/host.ts"
import {onBun, root, scriptCommand, type TestRuntime} from "../../support/host/runtimes.ts"
import {freePort} from "../../support/machine/ports.ts"

/** The full token in the `.env` of a healthy project. */
export const soundToken = "a-token-of-thirty-two-characters"

/** The configuration of a healthy project. `more` are YAML lines below `plugins`. */
export const soundConfig = (port: number, more = "") => `http: {port: ${port}, token: "\${HTTP_TOKEN}"}
plugins:
  sandbox: {}
  greeter: {}
${more}`

/** Runs git in the project under a test identity. */
export const runGit = (project: Project, ...args: string[]) => {
  const who = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"]
  execFileSync("git", [...who, ...args], {cwd: project.folder, stdio: "pipe"})
}

/** Makes a project without findings: installed, committed, with private secrets. */
export const makeSoundProject = async (): Promise<Project> => {
  const project = makeProject({
    config: soundConfig(await freePort()),
    plugins: {greeter: replying("greet", "hello")},
    files: {
      ".gitignore": "node_modules/\n.svc/\ndist/\n.env\n",
      "bun.lock": "{}\n",
      ".env": `HTTP_TOKEN=${soundToken}\n`,
    },
  })
  chmodSync(project.path(".env"), 0o600)
  runGit(project, "init", "-q")
  runGit(project, "add", ".")
  runGit(project, "commit", "-q", "-m", "A sound project")
  return project
}

export const configure = (project: Project, config: string) => {
  project.write("svc.config.yml", config)
  runGit(project, "commit", "-q", "-m", "Another configuration", "svc.config.yml")
}

/** Runs `svc doctor --json`; expects a fitting exit code, `ok`, remediations, and no secret. Returns the findings. */
export const runDoctor = async (project: Project, runtime: TestRuntime = onBun) => {
  const ended = await svc(runtime, project, ["doctor", "--json"])
  expect(ended.stderr).toBe("")
  const {ok, findings} = JSON.parse(ended.stdout) as {ok: boolean; findings: readonly Finding[]}
  expect({code: ended.code, ok}).toEqual(
    findings.some(({level}) => level === "error") ? {code: 1, ok: false} : {code: 0, ok: true},
  )
  return inspected(findings)
}

/** Expects that every finding has a remediation unless it is ok, and that none shows the secret. */
const inspected = (findings: readonly Finding[]) => {
  expect(JSON.stringify(findings)).not.toContain(soundToken)
  for (const finding of findings) {
    expect({...finding, isTold: finding.remediation !== undefined}).toMatchObject({isTold: finding.level !== "ok"})
  }
  return findings
}

const format = (findings: readonly Finding[]) =>
  findings.filter(({level}) => level !== "ok").map(({level, check, detail}) => `${level} ${check}: ${detail}`)

/** Returns the findings that are not `ok`, as `level check: detail`. */
export const findingsOf = async (project: Project, runtime?: TestRuntime) => format(await runDoctor(project, runtime))

/** A process on Bun that finds the same as the command, without the command's start for each project. */
export const startDoctor = async () => {
  const [bun = "", script = ""] = scriptCommand(onBun, `${root}tests/e2e/doctor/examine.ts`)
  const child = spawn(bun, [script], {env: cleanEnvironment(), stdio: ["ignore", "ignore", "inherit", "ipc"]})
  whenOver(() => child.kill("SIGKILL"))
  const examine = async ({folder}: Project) => {
    const answer = once(child, "message")
    child.send(folder)
    const [findings] = await answer
    return inspected(findings)
  }
  return {examine, findingsOf: async (project: Project) => format(await examine(project))}
}

import {execFileSync} from "node:child_process"
import {readFileSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {expect, test} from "vitest"
import {parse} from "yaml"
import {readDocuments} from "../support/docs/documents.ts"
import {freePort, isOk, makeFolder, roomyPlace, runProcess, startProcess, until} from "../support/host/host.ts"
import {bunAnd, onBun, pathWith, root, type TestRuntime} from "../support/host/runtimes.ts"
import {registryEnvironment} from "../support/machine/registry.ts"
import {describePart, program} from "./support/part.ts"
import {commandsOf, runJob, type Workflow} from "./support/workflow.ts"

const workflowPath = ".github/workflows/check.yml"

/** Makes a committed project with the workflow and a production token. Returns the checkout of a runner. */
const checkOut = async (runtime: TestRuntime, PATH: string): Promise<string> => {
  // Bun links packages from its cache, which is on the disk.
  const folder = runtime === onBun ? makeFolder() : makeFolder(roomyPlace())
  const init = [...runtime.command, "init", "my-bot"]
  const made = await runProcess(init, {cwd: folder, env: {...registryEnvironment, PATH}})
  expect({code: made.code, stderr: made.stderr}).toEqual({code: 0, stderr: ""})
  const project = join(folder, "my-bot")
  const config = readFileSync(join(project, "svc.config.yml"), "utf8")
  writeFileSync(join(project, "svc.config.yml"), config.replace("# token: ${HTTP_TOKEN}", "token: ${HTTP_TOKEN}"))
  const added = await runProcess([...runtime.command, "deploy", "add", "ci"], {cwd: project})
  expect({code: added.code, stderr: added.stderr}).toEqual({code: 0, stderr: ""})
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=test", "-c", "user.email=test@localhost", ...args], {
      cwd: folder,
      env: {PATH: process.env.PATH ?? "", HOME: folder, GIT_CONFIG_NOSYSTEM: "1"},
      stdio: "pipe",
    })
  git("-C", project, "init", "--quiet")
  git("-C", project, "add", "--all")
  git("-C", project, "commit", "--quiet", "--message", "first")
  git("clone", "--quiet", project, "checkout")
  return join(folder, "checkout")
}

/** The complaints of GitHub's own parser about each workflow. */
const errorsOf = async (...texts: readonly string[]): Promise<readonly (readonly string[])[]> => {
  const folder = makeFolder()
  const files = texts.map((text, index) => {
    writeFileSync(join(folder, `${index}.yml`), text)
    return join(folder, `${index}.yml`)
  })
  const script = join(root, "tests/deploy/support/check-workflow.ts")
  const {code, stdout, stderr} = await runProcess([onBun.command[0] ?? "bun", script, ...files])
  expect({code, stderr}).toEqual({code: 0, stderr: ""})
  return JSON.parse(stdout)
}

const commandsOn = {
  bun: [
    "bun install --frozen-lockfile",
    "bun run --bun svc doctor",
    "bun run build",
    "bun run test",
    "bun run --bun svc runtime start --once --mode test",
  ],
  node: ["npm ci", "npx svc doctor", "npm run build", "npm run test", "npx svc runtime start --once --mode test"],
} as const

describePart("the workflow of a project's CI", [program("git"), program("npm")], () => {
  test("passes GitHub's own parser, which rejects a wrong workflow", async () => {
    const text = readFileSync(join(root, "container/ci/workflow.yml"), "utf8")
    const mistakes = [
      ["runs-on:", "run-on:"],
      ["${{ vars.", "${{ vrs."],
      ["timeout-minutes: 15", "timeout-minutes: long"],
    ] as const
    const release = readFileSync(join(root, ".github/workflows/release.yml"), "utf8")
    const broken = mistakes.map(([from, to]) => text.replace(from, to))
    const [own, ofRelease, ...some] = await errorsOf(text, release, ...broken)
    expect([own, ofRelease]).toEqual([[], []])
    expect(some.map(errors => errors.length > 0)).toEqual([true, true, true])
  })

  test("has its commands named on the page", () => {
    const page = readDocuments().find(({path}) => path === "docs/deploy/ci.md")
    const [check, live] = page?.fences.filter(({language}) => language === "sh").map(({text}) => text.trim()) ?? []
    const workflow = parse(readFileSync(join(root, "container/ci/workflow.yml"), "utf8")) as Workflow
    expect(check?.split("\n")).toEqual(commandsOf(workflow, "check"))
    expect(live).toBe(commandsOf(workflow, "live").at(-1))
  })

  test.each(bunAnd("node24"))(
    "runs doctor, build, tests, a one-shot start and then the deployed Host of a project on $name",
    {timeout: 480_000},
    async runtime => {
      const PATH = pathWith(runtime)
      const cwd = await checkOut(runtime, PATH)
      const text = readFileSync(join(cwd, workflowPath), "utf8")
      expect(await errorsOf(text)).toEqual([[]])
      const workflow = parse(text) as Workflow
      const commands = commandsOf(workflow, "check")
      expect(commands).toEqual(runtime === onBun ? commandsOn.bun : commandsOn.node)
      const env = {...registryEnvironment, PATH}
      const ran = await runJob(workflow, "check", {cwd, env})
      expect(ran.map(({command, code}) => ({command, code}))).toEqual(commands.map(command => ({command, code: 0})))
      expect(JSON.parse(ran.at(-1)?.stdout.trim().split("\n").at(-1) ?? "")).toMatchObject({ok: true})

      const token = "a-token-of-the-deployed-host"
      const port = String(await freePort())
      const [binary = ""] = runtime.command
      startProcess([binary, "node_modules/svc-runtime/cli/launch.js", "runtime", "start", "--mode", "production"], {
        cwd,
        env: {PATH, HTTP_TOKEN: token, HTTP_PORT: port},
      })
      const url = `http://127.0.0.1:${port}`
      await until("the Host to be ready", () => isOk(`${url}/pub/ready`))
      const live = async (shown: string) => {
        const values = {"vars.SVC_HOST_URL": url, "secrets.SVC_HTTP_TOKEN": shown}
        return (await runJob(workflow, "live", {cwd, env, values})).at(-1)
      }
      expect(await live(token)).toMatchObject({command: expect.stringContaining("doctor --live"), code: 0})
      // The checks are the same on Node, where each install takes longer.
      if (runtime !== onBun) return
      expect(await live("another-token")).toMatchObject({command: expect.stringContaining("doctor --live"), code: 1})

      writeFileSync(join(cwd, "plugins/greeter.ts"), "export default {")
      const broken = await runJob(workflow, "check", {cwd, env})
      expect(broken.at(-1)?.code).not.toBe(0)
      expect(broken.length).toBeLessThan(commands.length)
    },
  )
})

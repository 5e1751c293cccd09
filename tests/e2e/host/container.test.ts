import {spawnSync} from "node:child_process"
import {readFileSync} from "node:fs"
import {expect, test} from "vitest"
import {problems} from "../../../shared/problems.ts"
import {bunAnd, makeProject, runProcess, startProcess, until} from "../../support/host/host.ts"

/** Runs a command with process id 1, like a container's main process. */
const alone = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
const canUnshare = spawnSync(alone[0] ?? "", [...alone.slice(1), "true"]).status === 0

test.skipIf(!canUnshare).each(bunAnd("node24"))(
  "a container's main process does not count as supervised, and svc says what is missing, on $name",
  async runtime => {
    const project = makeProject()
    const start = [...alone, ...runtime.command, "runtime", "start", "--no-watch"]
    const host = startProcess(start, {cwd: project.folder})
    await until("the Host to serve", () => project.read(".svc/host.json") !== "")
    const {pid} = host.child
    const inner = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim()
    const inside = (...args: readonly string[]) =>
      runProcess([
        "nsenter",
        "--target",
        inner,
        "--pid",
        "--mount",
        ...runtime.command,
        ...args,
        "--project",
        project.folder,
      ])
    expect(JSON.parse((await inside("runtime", "status", "--json")).stdout)).toMatchObject({supervisor: "none"})
    const restart = await inside("runtime", "restart")
    expect({code: restart.code, stderr: restart.stderr}).toEqual({
      code: 1,
      stderr: expect.stringContaining(problems.no_supervisor.hint),
    })
    const {stdout} = await inside("doctor", "--json")
    const {findings} = JSON.parse(stdout) as {findings: readonly {check: string}[]}
    expect(findings.find(({check}) => check === "restarts")).toMatchObject({
      level: "warning",
      detail: expect.stringMatching(/\bcontainer\b.*\brestart policy\b/),
      remediation: expect.stringContaining("--restart unless-stopped --env SVC_SUPERVISOR=docker"),
    })
    // unshare ignores SIGTERM.
    process.kill(Number(inner), "SIGTERM")
    await host.finished

    const daemon = await runProcess([...start, "--daemon"], {cwd: project.folder})
    expect({code: daemon.code, stderr: daemon.stderr}).toEqual({
      code: 1,
      stderr: expect.stringMatching(/\bdaemon\b.*\n +hint: .*--daemon\b/),
    })
  },
)

import {execFileSync, spawn} from "node:child_process"
import {once} from "node:events"
import {existsSync} from "node:fs"
import {userInfo} from "node:os"
import {resolve, sep} from "node:path"
import {Option} from "clipanion"
import {findService} from "../../server/process/service/find.ts"
import {isReadyWithin} from "../../server/process/service/ready.ts"
import type {Service} from "../../server/process/service/service.ts"
import {projectName, requireProject} from "../../server/project/settings.ts"
import {packageRoot} from "../../server/runtime/own-files.ts"
import {projectPaths} from "../../server/runtime/project.ts"
import {messageOf, Problem} from "../../shared/problems.ts"
import {facts} from "../kit/print.ts"
import {rowCommand} from "../kit/rows.ts"
import type {SvcCommand} from "../kit/svc-command.ts"

const user = Option.Boolean("--user", false, {description: "On Linux: use your user's systemd instead of the system's"})

/** Throws `project_missing`, `service_refused`. */
const serviceOf = async (given: SvcCommand & {readonly user: boolean}, changes: boolean): Promise<Service> => {
  const paths = projectPaths(given.folder)
  await requireProject(paths)
  const {uid, homedir} = userInfo()
  const installed = resolve(paths.project, "node_modules/svc-runtime/cli/launch.js")
  return findService(
    {platform: process.platform, isUser: given.user, changes},
    {
      project: paths.project,
      name: await projectName(paths),
      runtime: process.execPath,
      launcher: existsSync(installed) ? installed : resolve(process.argv[1] ?? ""),
      packageRoot,
      env: process.env,
      user: {id: uid, name: userName(), home: homedir},
    },
  )
}

/** Asks `id`, because Bun reads the name from the environment, where it may be missing. */
const userName = (): string => execFileSync("id", ["-un"], {encoding: "utf8"}).trim()

/** How long to wait until an installed Host is ready, in milliseconds. */
const patience = 20_000

export const install = rowCommand({
  description: "install the project's Host as a service of this machine",
  details: `
      On Linux with \`--user\`, it installs a unit of your user's systemd. On Linux as root, without \`--user\`, it installs an instance of the system template svc@.service, for the project in /srv/svc/<user>. On macOS, without \`--user\`, it installs a launchd agent.

      It writes, enables and starts the service, and skips steps that are already done. The project needs its .env, with mode 0600.
    `,
  examples: [
    ["For your own user, on Linux", "svc service install --user"],
    ["On macOS, or as root on Linux", "svc service install"],
    ["Show the file first", "svc service install --user --dry-run"],
  ],
  options: {user, dryRun: Option.Boolean("--dry-run", false, {description: "Print the file and change nothing"})},
  run: async given => {
    requireLasting(process.execPath)
    const service = await serviceOf(given, !given.dryRun)
    if (given.dryRun) {
      given.show({files: service.files}, () =>
        service.files
          .map(({text}) => text)
          .join("\n")
          .trimEnd(),
      )
      return true
    }
    const steps: string[] = []
    await service.install(step => {
      steps.push(step)
      if (!given.json) given.print(`svc: ${step}`)
    })
    const ready = await isReadyWithin(projectPaths(given.folder), patience)
    if (given.json) given.print(JSON.stringify({steps, ready, ...(await service.state())}, undefined, 2))
    else given.print(ready ? "the Host is ready" : "the Host is not ready yet: svc service status, svc service logs")
    return ready
  },
})

/** Throws `service_refused` for a runtime that npx fetched for one command: npm may delete it at any time. */
const requireLasting = (runtime: string): void => {
  if (!runtime.includes(`${sep}_npx${sep}`)) return
  throw new Problem("service_refused", `the service would run on ${runtime}, which npx keeps only temporarily`, {
    hint: "Install Bun (npm install --global bun@1.4.5) or Node 22.12 or newer, and repeat the command with it.",
  })
}

export const logs = rowCommand({
  description: "print the log of the project's service",
  details: "Reads the journal on Linux and .svc/runtime.log on macOS. svc logs asks the running Host instead.",
  examples: [
    ["The newest 100 lines", "svc service logs --user"],
    ["Also new lines, as they are written", "svc service logs --user --follow"],
  ],
  options: {
    user,
    follow: Option.Boolean("--follow,-f", false, {description: "Also print new lines, until Ctrl-C"}),
    lines: Option.String("--lines", "100", {description: "How many existing lines to print"}),
  },
  run: async given => {
    if (!/^\d+$/.test(given.lines))
      throw new Problem("request_invalid", `--lines must be a number, not "${given.lines}"`)
    const service = await serviceOf(given, false)
    const [program = "", ...args] = service.logs({follow: given.follow, lines: Number(given.lines)})
    const child = spawn(program, args, {stdio: ["ignore", "inherit", "inherit"]})
    const [code]: (number | null)[] = await once(child, "close").catch(cause => {
      throw new Problem("service_failed", `cannot run ${program}: ${messageOf(cause)}`, {cause})
    })
    return (code ?? 0) === 0
  },
})

export const status = rowCommand({
  description: "show whether the project's service runs, and whether its Host is ready",
  details: "Exits 0 only if the service runs. If the Host is not ready, svc doctor shows why.",
  examples: [
    ["The service of your own user, on Linux", "svc service status --user"],
    ["As JSON", "svc service status --user --json"],
  ],
  options: {user},
  run: async given => {
    const state = await (await serviceOf(given, false)).state()
    const ready = state.running && (await isReadyWithin(projectPaths(given.folder), 0))
    given.show({...state, ready}, () =>
      facts([
        ["service", `${state.name} (${state.manager})`],
        ["installed", state.installed ? state.file : "no (svc service install)"],
        ["enabled", state.enabled ? "yes" : "no"],
        ["state", state.state],
        ["ready", ready ? "yes" : "no"],
        ["process", state.pid === null ? null : `pid ${state.pid}`],
        ["restarts", state.restarts?.toString()],
      ]),
    )
    return state.running
  },
})

export const uninstall = rowCommand({
  description: "stop the project's service and remove it",
  details:
    "The project and its data stay as they are. The system template svc@.service also stays: other projects may use it.",
  examples: [["The service of your own user, on Linux", "svc service uninstall --user"]],
  options: {user},
  run: async given => {
    const service = await serviceOf(given, true)
    const steps: string[] = []
    await service.uninstall(step => steps.push(step))
    given.show({steps}, () => steps.map(step => `svc: ${step}`).join("\n") || "this project has no service")
  },
})

import {mkdirSync, mkdtempSync, rmSync} from "node:fs"
import {tmpdir} from "node:os"
import {join} from "node:path"
import {root, type TestRuntime} from "../../support/host/runtimes.ts"
import {npmTool} from "../../support/machine/npm-tool.ts"
import {makeProject, svc, token} from "../measure/host.ts"
import {type Running, startProcess} from "../measure/process.ts"
import {freePort} from "../measure/ready.ts"
import {type Door, secret} from "./requests.ts"

export const frameworks = npmTool("bench-peers-2", [
  "@minatojs/driver-sqlite@4.7.0",
  "grammy@1.46.0",
  "hubot@14.1.0",
  "koishi@4.18.11",
])

/** A bot with a hundred commands, on one runtime, with its files in its own folder. */
export interface Bot {
  readonly name: string
  readonly runtime: string
  readonly door: Door
  readonly port: number
  /** `pause` is the duration of each command, in milliseconds. */
  start(pause: number): Running
  remove(): void
}

/** The commands of the bot on svc, like those of the others in `bots/`. */
const commandsOfSvc = `import {definePlugin} from "svc-runtime"
import {setTimeout as sleep} from "node:timers/promises"

const pause = Number(process.env.PAUSE)

export default definePlugin({
  setup(plugin) {
    for (let nth = 0; nth < 100; nth++)
      plugin.command(\`cmd\${nth} <text:string>\`, {description: "Answers"}, async ({args}) => {
        if (pause > 0) await sleep(pause)
        return "pong " + args.text
      })
  },
})
`

const accountOfSvc =
  "  peers: {}\n  webhook:\n    endpoints:\n      - id: peers\n        secrets:\n          - ${HOOK_SECRET}\n        url: ${PLATFORM}/reply\n"

const makeSvc = async (runtime: TestRuntime, platform: string): Promise<Bot> => {
  const project = makeProject(accountOfSvc, {peers: commandsOfSvc})
  project.write(".env", `HOOK_SECRET=${secret}\nPLATFORM=${platform}\n`)
  await svc(runtime, project, ["build"])
  const port = await freePort()
  const command = [...runtime.command, "runtime", "start", "--mode", "production", "--no-watch"]
  return {
    name: "svc",
    runtime: runtime.name,
    door: "svc",
    port,
    start: pause => {
      const env = {HTTP_PORT: String(port), HTTP_TOKEN: token, PAUSE: String(pause)}
      return startProcess(command, {cwd: project.folder, env})
    },
    remove: () => project.remove(),
  }
}

interface Framework {
  readonly name: string
  readonly file: string
  readonly door: Door
  readonly hasDatabase?: boolean
}

const makeFramework = async (
  {command: [binary = ""], name: runtime}: TestRuntime,
  {name, file, door, hasDatabase}: Framework,
  platform: string,
): Promise<Bot> => {
  const folder = mkdtempSync(join(tmpdir(), "svc-bench-"))
  const remove = () => rmSync(folder, {recursive: true, force: true})
  process.on("exit", remove)
  mkdirSync(join(folder, "data"))
  const port = await freePort()
  const database = hasDatabase === true ? {DATABASE: join(folder, "data/bot.db")} : {}
  const settings = {PORT: String(port), PLATFORM: platform, FRAMEWORKS: frameworks.folder, HUBOT_LOG_LEVEL: "error"}
  return {
    name,
    runtime,
    door,
    port,
    start: pause => {
      const env = {...settings, ...database, NODE_ENV: "production", PAUSE: String(pause)}
      return startProcess([binary, `${root}tests/bench/peers/bots/${file}`], {cwd: folder, env})
    },
    remove,
  }
}

const grammy: Framework = {name: "grammY", file: "grammy.mjs", door: "telegram"}

const onNode: readonly Framework[] = [
  grammy,
  {name: "Hubot", file: "hubot.mjs", door: "plain"},
  {name: "Koishi", file: "koishi.mjs", door: "plain"},
  {name: "Koishi with SQLite", file: "koishi.mjs", door: "plain", hasDatabase: true},
]

/** All bots of these runtimes; the frameworks must be installed. */
export const makeBots = async (chosen: readonly TestRuntime[], platform: string): Promise<readonly Bot[]> => {
  const made = chosen.map(async runtime => [
    await makeSvc(runtime, platform),
    ...(await Promise.all(
      (runtime.name === "bun" ? [grammy] : onNode).map(each => makeFramework(runtime, each, platform)),
    )),
  ])
  return (await Promise.all(made)).flat()
}
